"""Cases of answers with their claims (cases.jsonl), sentences (sentences.txt), and real answers beside the checkout.

A case has an id, a reason and its origin. In `answer` ↵ is a line end and ⇥ a tab; of `claims` → is a claim, × a text
that asserts nothing, ‹…› what it cites: an identifier, "a title", or ?mark for a mark that leads nowhere.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.text_real import CITED, DATA, as_data, as_text, compared, half, rows
from medassay.models.records import Answer, Decomposition, Reference
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.markers.finding import find_markers
from medassay.models.text.markers.shapes import SHAPES
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
SUPPLIED: dict[str, tuple[tuple[Reference, ...], tuple[str, ...]]] = {
    "five": (FIVE, ()),
    "references": (GIVEN, ()),
    "documents": ((), ("D1", "doc-3", "guideline 2023")),
    "nothing": ((), ()),
}
CASES = [json.loads(line) for line in (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
SENTENCES = [
    tuple(paragraph.split("\n→ "))
    for paragraph in (HERE / "sentences.txt").read_text(encoding="utf-8").strip("\n").split("\n\n")[1:]
]


def as_table(found: Decomposition) -> list[str]:
    """Write claims as the cases do."""
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
    return lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_claims_and_citations(case: dict[str, Any]) -> None:
    references, documents = SUPPLIED[case["supplied"]]
    text = case["answer"].replace("↵", "\n").replace("⇥", "\t")
    found = decompose(Answer("q", "s", text, references), "", documents)
    assert as_table(found) == case["claims"], case["reason"]
    assert found.has_references is case["has_references"]
    assert found.n_characters_covered == found.n_characters
    for claim in found.claims:
        assert 0 <= claim.start < claim.end <= len(text)


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text: str, expected: str) -> None:
    text = text.replace("↵", "\n").replace("⇥", "\t")
    found = [text[span.start : span.end].replace("\n", "↵") for span in sentences(text)]
    assert " ¦ ".join(found) == expected


NAMED = (
    "According to the KDIGO 2022 guideline, SGLT2 inhibitors are given.",
    "Metformin is first-line (Inzucchi et al., 2014).",
    "The American Diabetes Association says that metformin is given first.",
    "The 2023 ESC guidelines recommend statins.",
    "NICE recommends aspirin.",
    "The UKPDS trial found lower mortality.",
    "As the World Health Organization recommends, wash your hands.",
    "Per the American Heart Association guidelines, statins help.",
    "Smith et al. (2020) found a benefit.",
    "A 2019 Cochrane review found no effect.",
    "According to UpToDate, it is safe.",
)
UNNAMED = (
    "Aspirin helps [1].",
    "Studies show that it helps.",
    "Experts recommend rest.",
    "According to your doctor, it is fine.",
    "Guidelines recommend statins.",
    "A recent trial found a benefit.",
    "The FDA approved it in April 2017.",
    "In 2014, the rate rose.",
)


@pytest.mark.parametrize(
    ("text", "has"), [*((text, True) for text in NAMED), *((text, False) for text in UNNAMED)]
)
def test_a_source_named_in_words_is_a_reference(text: str, has: bool) -> None:
    assert decompose(Answer("q", "s", text), "").has_references is has


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_example_of_a_shape_is_read(shape: Any) -> None:
    labels = {"1", "2", "3", "smith 2020", "smith2020"}
    for example in shape.examples:
        text = f"It helps {example}."
        assert any(marker.targets for marker in find_markers(text, labels)), example


@pytest.mark.shared_data
@pytest.mark.parametrize("way", [as_data, as_text])
def test_claims_of_real_answers_get_their_sources(way: Any) -> None:
    if not DATA.exists():
        pytest.skip("the shared data is not beside this checkout")
    count: Counter[str] = Counter()
    for row in (row for name in CITED for row in rows(DATA, name) if half(row["question_id"]) == "open"):
        count += compared(row, decompose(way(row), row["question"]))
    assert 2 * count["right"] / (2 * count["right"] + count["false"] + count["missing"]) > 0.98


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("answer", "claim", "marks"),
    [
        ("eqa-005/bing_chat", 0, ["[1]"]),  # a mark pasted to its word
        ("eqa-399/bing_chat", 1, ["[1]", "[3]"]),  # of the line that introduces the list
        ("eqa-221/rr_sphere_gpt4", 0, ["[1]", "[2]"]),  # [1,2]
        ("eqa-169/post_hoc_sphere_gpt4", 0, ["[1]"]),  # T², which is no mark
    ],
)
def test_marks_of_real_answers(answer: str, claim: int, marks: list[str]) -> None:
    if not DATA.exists():
        pytest.skip("the shared data is not beside this checkout")
    (row,) = (row for name in CITED for row in rows(DATA, name) if row["id"] == answer)
    found = [c for c in decompose(as_data(row), "").claims if c.kind == "claim"]
    assert [citation.marker for citation in found[claim].citations] == marks
