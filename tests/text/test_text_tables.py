"""The readable tables beside this file: what stands in an answer, what is read from it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from medassay.models.records import Answer, Decomposition, Reference
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.sentences.splitting import sentences

HERE = Path(__file__).parent
GIVEN = tuple(Reference(marker=str(n), pmid=str(100 + n)) for n in range(1, 31))
FIVE = tuple(
    Reference(marker=str(n), pmid=str(10 + n), title=title)
    for n, title in enumerate(
        (
            "Ridker PM, Cook NR. Aspirin in women. N Engl J Med. 2005",
            "McNeil JJ, Wolfe R. Aspirin in the elderly. N Engl J Med. 2018",
            "Bowman L. Aspirin in diabetes. N Engl J Med. 2018",
            "Gaziano JM. Aspirin in both. Lancet. 2018",
            "Zheng SL, Roddick AJ. Aspirin in all. JAMA. 2019",
        ),
        start=1,
    )
)
SUPPLIED = {
    "@five": (FIVE, ()),
    "@references": (GIVEN, ()),
    "@documents": ((), ("D1", "doc-3", "guideline 2023")),
    "@nothing": ((), ()),
}


def claim_cases(name: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Read a table of claims: (what is supplied, the answer, the claims as written in the table)."""
    supplied = "@nothing"
    for paragraph in (HERE / name).read_text(encoding="utf-8").split("\n\n")[2:]:
        answer, *claims = paragraph.strip("\n").split("\n")
        if answer in SUPPLIED:
            supplied = answer
        elif not (answer.startswith("# ") and not claims and "↵" not in answer):
            yield supplied, answer, tuple(claims)


def as_table(found: Decomposition) -> tuple[str, ...]:
    """Write claims as the tables do."""
    named = {
        s.source_id: f'"{s.title or s.origin}"' for s in found.sources if s.source_id.startswith("reference:")
    }
    lines = []
    for claim in found.claims:
        cited = " ".join(
            named.get(c.source_id, c.source_id)
            if c.source_id
            else "?" + c.marker.strip("[]").replace(" ", "_")
            for c in claim.citations
        )
        lines.append(
            ("→ " if claim.kind == "claim" else "× ") + claim.text + (f" ‹{cited}›" if cited else "")
        )
    return tuple(lines)


MARKERS = [
    case
    for name in (
        "markers",
        "marker_shapes",
        "clauses_with_sources",
        "documents_and_names",
        "markers_of_products",
        "reference_lists",
        "blind_markers",
        "mainstream_answers",
        "citation_or_value",
        "lists_without_heading",
        "authors_beside",
        "offers_and_frames",
        "numbers_and_scores",
        "citations_of_all_kinds",
        "answers_as_written",
        "second_trial",
    )
    for case in claim_cases(f"{name}.txt")
]
NAMED = list(claim_cases("named_sources.txt"))
CLAIMS = list(claim_cases("claims.txt"))
SENTENCES = [
    tuple(paragraph.split("\n→ "))
    for paragraph in (HERE / "sentences.txt").read_text(encoding="utf-8").strip("\n").split("\n\n")[1:]
]


def cites_a_source(claims: tuple[str, ...]) -> bool:
    """Tell whether a claim cites more than markers with nothing behind them."""
    return any(re.search(r" ‹[^?]", claim) for claim in claims)


def test_the_tables_are_long_enough() -> None:
    assert len(MARKERS) >= 1000
    assert len(CLAIMS) >= 70
    assert len(SENTENCES) >= 90
    assert len([case for case in NAMED if cites_a_source(case[2])]) >= 60
    assert len([case for case in NAMED if not cites_a_source(case[2])]) >= 60


@pytest.mark.parametrize(("supplied", "answer", "expected"), MARKERS + NAMED + CLAIMS)
def test_claims_and_citations(supplied: str, answer: str, expected: tuple[str, ...]) -> None:
    references, documents = SUPPLIED[supplied]
    text = answer.replace("↵", "\n").replace("⇥", "\t")
    found = decompose(Answer("q", "s", text, references), "", documents)
    assert as_table(found) == expected
    assert found.n_characters_covered == found.n_characters
    for claim in found.claims:
        assert 0 <= claim.start < claim.end <= len(text)


@pytest.mark.parametrize(("supplied", "answer", "expected"), NAMED)
def test_a_source_named_in_the_text_is_a_reference(
    supplied: str, answer: str, expected: tuple[str, ...]
) -> None:
    found = decompose(Answer("q", "s", answer.replace("↵", "\n")), "")
    assert found.has_references is cites_a_source(expected)


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text: str, expected: str) -> None:
    text = text.replace("↵", "\n").replace("⇥", "\t")
    found = [text[span.start : span.end].replace("\n", "↵") for span in sentences(text)]
    assert " ¦ ".join(found) == expected
