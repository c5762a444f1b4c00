"""Passages in rows, what a reader sees of them out: sections, deciding sentences and tables."""

from typing import Any

import pytest

from medassay.models.report import ReportData, render
from medassay.models.report.passages_shown import Lump, Piece, in_words, label_of, lumps, place_of

GUIDELINE = "# Renal\n\n## Dosing\n\nHalve it.\n\n## Risks\n\n- Bleeding is rare."
TABLE = "Doses:\n\n| Drug | Dose <b> |\n|---|:--|\n| A | 5 mg |\n| B \\| C | 10 mg |\n\nGive it."


def verdict(passage: str, said: str, **more: Any) -> dict[str, Any]:
    start = passage.index(said)
    return {"passage": passage, "sentence_start": start, "sentence_end": start + len(said), **more}


def plain(text: str) -> tuple[Piece, ...]:
    return (Piece(text, False),)


def test_the_mark_of_the_next_heading_is_no_part_of_the_sentence() -> None:
    assert place_of(verdict(GUIDELINE, "Halve it.\n\n##")) == (20, 29)
    assert place_of({"passage": GUIDELINE, "sentence": "Halve it."}) == (20, 29)
    assert place_of({"passage": GUIDELINE, "sentence_start": 5, "sentence_end": 500}) == (0, 0)
    assert place_of({}) == (0, 0)


@pytest.mark.parametrize(
    ("said", "kind", "label", "shown"),
    [
        ("Halve it.", "document", "", "Dosing"),
        ("Bleeding", "document", "ABSTRACT", "Risks"),
        ("# Renal", "document", "ABSTRACT", "supplied text"),
        ("Halve it.", "full_text", "Results", "Results"),
        ("Halve it.", "abstract", "ABSTRACT", "ABSTRACT"),
    ],
)
def test_a_passage_of_a_document_bears_the_heading_over_its_sentence(
    said: str, kind: str, label: str, shown: str
) -> None:
    assert label_of(verdict(GUIDELINE, said, text_kind=kind, passage_label=label)) == shown


def test_a_table_is_taken_apart_with_its_mark() -> None:
    before, after = TABLE[: TABLE.index("| A")], TABLE[TABLE.index("| B") - 1 :]
    assert lumps((before, "| A | 5 mg |", after)) == [
        Lump(plain("Doses:")),
        Lump(
            head=(plain(" Drug "), plain(" Dose <b> ")),
            rows=(
                ((Piece(" A ", True),), (Piece(" 5 mg ", True),)),
                (plain(" B \\| C "), plain(" 10 mg ")),
            ),
        ),
        Lump(plain("Give it.")),
    ]


@pytest.mark.parametrize(
    "text", ["|a|", "|x| is a norm\n|y| too", "| a | b |\n| c |", "a | b\nc | d", "", "\n"]
)
def test_bars_alone_make_no_table(text: str) -> None:
    assert lumps((text, "", "")) == ([Lump(plain(text))] if text else [])


def test_rows_without_a_rule_are_a_table_and_one_at_either_end_loses_no_word() -> None:
    assert lumps(("| a | b |\n| c | d |", "", "")) == [
        Lump(rows=((plain(" a "), plain(" b ")), (plain(" c "), plain(" d "))))
    ]
    assert in_words("| A | 5 mg |") == "A · 5 mg"
    assert in_words("A or |x|") == "A or |x|"


def test_the_citations_page_shows_a_table_and_nothing_of_it_is_markup() -> None:
    row = verdict(
        TABLE,
        "| A | 5 mg |",
        run_id="r",
        question_id="q",
        system="s",
        claim="c",
        citation="[1]",
        state="neutral",
    )
    page = render(
        ReportData(
            runs=[{"run_id": "r"}],
            questions=[{"run_id": "r", "question_id": "q", "question": "?"}],
            citation_verdicts=[row],
            answers=[{"question_id": "q", "system": "s"}],
        )
    )
    assert (
        '<p class="prose" dir="auto">Doses:</p><div class="scroll"><table class="quoted" dir="auto">' in page
    )
    assert '<th scope="col"> Dose &lt;b&gt; </th>' in page
    assert '<td><mark class="deciding"> 5 mg </mark></td>' in page
    assert "<q>A · 5 mg</q>" in page
