"""The worked example of the metrics contract, as text through the embedded models."""

import pytest

from medassay.models.embedding import Embedder, load_embedder
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.nuggets.matching import match
from medassay.models.nuggets.windows import window_vectors
from medassay.models.registry import ModelMissing, ensure

QUESTION = "What are the side effects of metformin?"
NUGGETS = [
    "Gastrointestinal symptoms are the most common side effects of metformin",
    "Metformin can cause lactic acidosis in rare cases",
    "Metformin may lead to vitamin B12 deficiency with long-term use",
    "Diarrhea, nausea, and abdominal pain are frequent GI side effects",
    "Lactic acidosis risk increases with renal impairment",
]
CLAIMS = [
    ClaimText(0, "Metformin commonly causes gastrointestinal issues such as diarrhea and nausea"),
    ClaimText(1, "Lactic acidosis is a serious but rare complication"),
    ClaimText(2, "Metformin can cause weight gain in some patients"),
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    try:
        ensure("all-MiniLM-L6-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))
    return load_embedder("embedded")


@pytest.mark.parametrize("question", ["", QUESTION])
@pytest.mark.parametrize("windowed", [True, False])
def test_as_text(embedder: Embedder, question: str, windowed: bool) -> None:
    claims, nuggets = embedder.encode([claim.text for claim in CLAIMS]), embedder.encode(NUGGETS)
    around = window_vectors(CLAIMS, claims) @ nuggets.T if windowed else None
    result = match(CLAIMS, NUGGETS, claims @ nuggets.T, {}, question=question, window_similarity=around)
    assert [row.state for row in result.nuggets] == ["covered", "covered", "missing", "covered", "missing"]
    assert [row.claim_positions for row in result.nuggets] == [(0,), (1,), (), (0,), ()]
    assert [row.one_to_one for row in result.nuggets] == [0, 1, None, None, None]
    assert [row.state for row in result.claims] == ["correct", "correct", "unmatched"]


def test_turned_around(embedder: Embedder) -> None:
    claims = [
        ClaimText(0, "Metformin often leads to constipation but rarely to gastrointestinal symptoms"),
        ClaimText(1, "Metformin cannot cause lactic acidosis"),
        ClaimText(2, "The risk of lactic acidosis decreases with renal impairment"),
    ]
    vectors, nuggets = embedder.encode([claim.text for claim in claims]), embedder.encode(NUGGETS)
    result = match(claims, NUGGETS, vectors @ nuggets.T, {}, question=QUESTION)
    assert [(row.state, row.reason) for row in result.nuggets if row.position in (1, 4)] == [
        ("contradicted", "nugget says *Metformin can cause lactic acidosis*, answer says *cannot cause*"),
        ("contradicted", "nugget says *increases*, answer says *decreases*"),
    ]
