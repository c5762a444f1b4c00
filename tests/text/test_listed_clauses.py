"""Parts of a sentence that each have a marker and are no clauses."""

import pytest

from medassay.models.records import Answer
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.claims.parts import claim_parts


@pytest.mark.parametrize(
    "listed",
    [
        "aspirin lowers pain [1] and fever caused by infections [2].",
        "patients with diabetes [1] and adults with CKD need lower doses [2].",
        "it lowers hospital visits [1] and blood tests the next day [2].",
    ],
)
def test_what_a_clause_lists_stays_one_claim(listed: str) -> None:
    (claim,) = decompose(Answer("q", "s", listed), "").claims
    assert [citation.marker for citation in claim.citations] == ["[1]", "[2]"]


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        (
            "Aspirin lowers stroke risk but raises bleeding.",
            ("Aspirin lowers stroke risk.", "Aspirin raises bleeding."),
        ),
        ("Aspirin is cheap; it lowers stroke risk.", ("Aspirin is cheap.", "it lowers stroke risk.")),
        ("Aspirin is cheap, but not for children.", ()),
        ("Trials show that aspirin helps but harms.", ()),
    ],
)
def test_clauses_of_a_claim_are_parts_of_it(claim: str, parts: tuple[str, ...]) -> None:
    assert claim_parts(claim) == parts
