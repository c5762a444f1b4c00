"""Passages: nothing lost, nothing doubled, offsets that lead back."""

import textwrap

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.passages import Part, Passage, passages_of


def test_an_abstract_is_one_passage_beside_its_title() -> None:
    record = SourceRecord(
        "pmid:1",
        "A title",
        (Section("METHODS", "We gave it."), Section("", "It worked."), Section("X", "End.")),
    )
    assert passages_of(record) == [
        Passage("TITLE", "A title"),
        Passage(
            "ABSTRACT",
            "METHODS: We gave it.\nIt worked.\nX: End.",
            (Part(9, 0, 0, 11), Part(21, 1, 0, 10), Part(35, 2, 0, 4)),
        ),
    ]


def test_a_full_text_is_packed_by_paragraphs_within_a_chapter() -> None:
    sections = (
        Section("Methods › Participants", "Short one.\n\nShort two."),
        Section("Methods › Analysis", "Third."),
        Section("Results", "Fourth."),
    )
    record = SourceRecord("pmcid:PMC1", None, sections, full_text=True)
    assert passages_of(record, limit=2000) == [
        Passage(
            "Methods",
            "Methods › Participants: Short one.\nShort two.\nMethods › Analysis: Third.",
            (Part(24, 0, 0, 10), Part(35, 0, 12, 22), Part(66, 1, 0, 6)),
        ),
        Passage("Results", "Results: Fourth.", (Part(9, 2, 0, 7),)),
    ]
    assert [passage.text for passage in passages_of(record, limit=40)] == [
        "Methods › Participants: Short one.",
        "Methods › Participants: Short two.",
        "Methods › Analysis: Third.",
        "Results: Fourth.",
    ]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentence = "The dose was 0.5 mg in Smith et al. and the outcome improved by 12.5 percent"
    text = " ".join(f"{sentence} in group {n}." for n in range(60))
    record = SourceRecord("document:a", None, (Section("", text),), full_text=True)
    found = passages_of(record)
    assert [len(passage.text) for passage in found] == [1969, 1979, 1439]
    assert all(passage.text.endswith(".") for passage in found)
    assert " ".join(passage.text for passage in found) == text


@pytest.mark.parametrize("limit", [50, 400, 2000])
@pytest.mark.parametrize("full_text", [True, False])
def test_every_word_is_in_exactly_one_passage(limit: int, full_text: bool) -> None:
    sections = tuple(
        Section(
            f"S{n}",
            "\n".join(f"Paragraph {n}.{m} says something.  " * (1 + m * 7) for m in range(4)) + "\r\n ",
        )
        for n in range(5)
    )
    record = SourceRecord("document:a", None, sections, full_text=full_text)
    found = passages_of(record, limit)
    covered = [[False] * len(section.text) for section in sections]
    for passage in found:
        for part in passage.parts:
            assert (
                passage.text[part.at : part.at + part.end - part.start]
                == sections[part.section].text[part.start : part.end]
            )
            for index in range(part.start, part.end):
                assert not covered[part.section][index]
                covered[part.section][index] = True
    for section, flags in zip(sections, covered, strict=True):
        assert "".join(c for c, flag in zip(section.text, flags, strict=True) if not flag).strip() == ""


@pytest.mark.parametrize("blank", ["", " \u200b\n\u2800\u00a0\ufeff", "— …"])
@pytest.mark.parametrize("full_text", [True, False])
def test_what_holds_no_word_is_no_passage(blank: str, full_text: bool) -> None:
    record = SourceRecord(
        "document:a", "Title", (Section("", blank), Section("", blank)), full_text=full_text
    )
    assert [passage.label for passage in passages_of(record)] == ["TITLE"]


GUIDELINE = """# Anticoagulation

## Apixaban in renal failure

The usual dose is 5 mg twice daily. It is halved where two of
three criteria are met, as the label of the European Medicines Agency
(EMA) says: age over 80, weight under 60 kg, creatinine over 133.

Do not give it in:

- dialysis
- liver failure

| Drug | Dose |
|---|---|
| Apixaban | 2.5 mg |
| Edoxaban | 30 mg |

## Bridging

Bridging is hardly ever needed."""


def test_what_says_nothing_alone_is_read_together() -> None:
    record = SourceRecord("document:a", None, (Section("", GUIDELINE),), full_text=True)
    assert [passage.text for passage in passages_of(record, 120)] == [
        "# Anticoagulation\n## Apixaban in renal failure\nThe usual dose is 5 mg twice daily.",
        GUIDELINE[GUIDELINE.index("It is") : GUIDELINE.index("\n\nDo not")],
        GUIDELINE[GUIDELINE.index("Do not") : GUIDELINE.index("\n\n## Bri")].replace("\n\n|", "\n|"),
        GUIDELINE[GUIDELINE.index("## Bri") :],
    ]
    whole = passages_of(record, 1000)[0].text
    assert "".join(whole.split()) == "".join(GUIDELINE.split())


def test_lines_that_are_wrapped_end_no_passage() -> None:
    words = (
        "This sentence of a guideline that was copied from a PDF goes on over several lines of it, as number"
    )
    lines = "\n".join(
        line for n in range(40) for line in textwrap.wrap(f"{words} {n} does, and then it ends.", 76)
    )
    record = SourceRecord("document:a", None, (Section("", lines),), full_text=True)
    found = passages_of(record)
    assert len(found) == 3
    assert all(passage.text.endswith("it ends.") for passage in found)
