"""Clauses joined at random, each with its marker: every clause is a claim that keeps its own source."""

import random

import pytest

from medassay.models.records import Answer
from medassay.models.text.claims.decomposition import decompose

CLAUSES = tuple(
    """aspirin lowers the risk of stroke
statins lower LDL cholesterol by 30%
lithium is excreted by the kidneys
vitamin D did not prevent fractures in women
exercise improves sleep quality in older adults
half of the patients stopped treatment
patients with CKD need lower doses
children under 12 need half of the dose
up to 30% of patients relapse within a year
sertraline passes into breast milk in small amounts
doses above 40 mg add little
generic versions cost less
adherence drops after 6 months
weight gain is common
folic acid prevents neural tube defects
screening detects most cancers
symptoms usually resolve within days
no difference was seen in older adults
most guidelines recommend it
bleeding was more common with apixaban
in women the effect was smaller
adverse events led to discontinuation in 8%
neither trial was blinded
not all patients respond
the risk of bleeding doubles
pregnant women should not take ibuprofen after week 20
a Cochrane review found moderate-certainty evidence
colchicine reduced recurrent events after infarction""".split("\n")
)
PAIRS = tuple(
    "{0} [1]" + joint + " {1} [2]."
    for joint in (
        ", but",
        ", and",
        ";",
        ", whereas",
        " but",
        ", while",
        ", although",
        ", yet",
        " and",
        "; however,",
    )
)
THREES = (
    "{0} [1], {1} [2], and {2} [3].",
    "{0} [1], {1} [2] and {2} [3].",
    "{0} [1]; {1} [2]; and {2} [3].",
    "{0} [1], but {1} [2], and {2} [3].",
    "{0},[1] {1},[2] and {2}.[3]",
    "while {0} [1], {1} [2], and {2} [3].",
    "{0} [1] because {1} [2], but {2} [3].",
)


@pytest.mark.parametrize("joined", PAIRS + THREES)
def test_every_clause_keeps_its_source(joined: str) -> None:
    chance = random.Random(joined)
    for _ in range(60):
        clauses = chance.sample(CLAUSES, 3)
        text = joined.format(*clauses)
        claims = decompose(Answer("q", "s", text[0].upper() + text[1:]), "").claims
        cited = [[citation.marker for citation in claim.citations] for claim in claims]
        assert cited == [[f"[{n}]"] for n in range(1, joined.count("[") + 1)], text
        for clause, claim in zip(clauses, claims, strict=False):
            assert clause[1:] in claim.text, text


@pytest.mark.parametrize(
    "listed",
    [
        "aspirin lowers pain [1] and fever caused by infections [2].",
        "aspirin lowers pain in adults [1] and doses adjusted for weight [2].",
        "trials tested two doses [1] and patients aged 65 or older [2].",
        "patients with diabetes [1] and adults with CKD need lower doses [2].",
        "it lowers hospital visits [1] and blood tests the next day [2].",
    ],
)
def test_what_a_clause_lists_stays_one_claim(listed: str) -> None:
    (claim,) = decompose(Answer("q", "s", listed), "").claims
    assert [citation.marker for citation in claim.citations] == ["[1]", "[2]"]
