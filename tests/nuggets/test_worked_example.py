"""The worked example of the metrics contract, as text through what is embedded."""

from functools import cache

import pytest

from medassay.models.embedding import Embedder, load_embedder
from medassay.models.nli.encoder.embedded import BASE, load_embedded
from medassay.models.nli.labels import EntailmentModel
from medassay.models.nuggets.evidence import ClaimText, Held, MatchResult, MatchSettings
from medassay.models.nuggets.matching import match, pairs_to_entail, read_further
from medassay.models.weights import ModelMissing, ensure

NUGGETS = [
    "Gastrointestinal symptoms are the most common side effects of metformin",
    "Metformin can cause lactic acidosis in rare cases",
    "Metformin may lead to vitamin B12 deficiency with long-term use",
    "Diarrhea, nausea, and abdominal pain are frequent GI side effects",
    "Lactic acidosis risk increases with renal impairment",
]


@pytest.fixture(scope="module", autouse=True)
def _models_are_here() -> None:
    try:
        ensure("all-MiniLM-L6-v2")
        ensure(BASE)
    except ModelMissing as missing:
        pytest.skip(str(missing))


@cache
def models() -> tuple[Embedder, EntailmentModel]:
    return load_embedder("embedded"), load_embedded(ensure(BASE))


def matched(*texts: str, question: str = "", nuggets: list[str] = NUGGETS) -> MatchResult:
    claims, settings = [ClaimText(at, text) for at, text in enumerate(texts)], MatchSettings()
    embedder, reader = models()
    similarity = embedder.encode(texts) @ embedder.encode(nuggets).T
    pairs = [(r.premise, r.hypothesis) for r in pairs_to_entail(claims, nuggets, similarity, settings)]
    verdicts = dict(zip(pairs, reader.score(pairs), strict=True))
    held = Held(claims, nuggets, similarity, question)
    read = read_further(
        [held], verdicts, settings, lambda pairs: dict(zip(pairs, reader.score(pairs), strict=True))
    )
    return match(claims, nuggets, similarity, read, settings, question)


def test_as_text() -> None:
    result = matched(
        "Metformin commonly causes gastrointestinal issues such as diarrhea and nausea",
        "Lactic acidosis is a serious but rare complication",
        "Metformin can cause weight gain in some patients",
    )
    assert [row.state for row in result.nuggets] == ["covered", "covered", "missing", "covered", "missing"]
    assert [row.state for row in result.claims] == ["correct", "correct", "unmatched"]


def test_turned_around() -> None:
    result = matched(
        "Metformin cannot cause lactic acidosis",
        "The risk of lactic acidosis decreases with renal impairment",
    )
    assert [row.state for row in result.nuggets if row.position in (1, 4)] == ["contradicted", "contradicted"]


DOSE = "What is the usual dose of paracetamol for a child?"
BLEEDING = "Does aspirin raise the risk of bleeding?"


@pytest.mark.parametrize(
    ("question", "answer", "nugget", "state"),
    [
        (
            DOSE,
            "The usual dose for a child is 15 mg per kg body weight.",
            "The usual dose of paracetamol for a child is 15 mg per kg body weight",
            "covered",
        ),
        (
            DOSE,
            "15 mg per kg body weight.",
            "The usual dose of paracetamol for a child is 15 mg per kg body weight",
            "covered",
        ),
        (
            DOSE,
            "15 mg per kg body weight.",
            "The usual dose of paracetamol for a child is 60 mg per kg body weight",
            "contradicted",
        ),
        (
            DOSE,
            "It is sold as tablets and as a syrup.",
            "The usual dose of paracetamol for a child is 15 mg per kg body weight",
            "missing",
        ),
        (BLEEDING, "Take it with food.", "Aspirin raises the risk of bleeding", "missing"),
        (
            "I have read that aspirin raises the risk of bleeding. How much may I take?",
            "75 mg a day.",
            "Aspirin raises the risk of bleeding",
            "missing",
        ),
    ],
)
def test_the_subject_may_stand_in_the_question(question: str, answer: str, nugget: str, state: str) -> None:
    assert matched(answer, question=question, nuggets=[nugget]).nuggets[0].state == state
