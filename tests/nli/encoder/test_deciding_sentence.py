"""The deciding sentence that is shown: no heading, and no mark of what stands below."""

from pathlib import Path

import pytest

from medassay.models.deciding_sentence import deciding_sentence, heading_over, without_marks
from medassay.models.nli.chat import CitationCheck
from medassay.models.nli.encoder.checkpoints import load_checkpoint
from medassay.models.records import Span

GUIDELINE = """# Anticoagulation

## Apixaban in renal failure
It is given twice daily. The usual dose of apixaban is 5 mg.

## Bridging

- Bridging is hardly ever needed
- Stop apixaban two days before

Apixaban in dialysis"""


def span(words: str, text: str = GUIDELINE) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


def shown(words: str, claim: str = "", text: str = GUIDELINE) -> str:
    found = deciding_sentence(text, claim, span(words, text))
    return text[found.start : found.end]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("The usual dose of apixaban is 5 mg.\n\n##", "The usual dose of apixaban is 5 mg."),
        ("It is given twice daily.", "It is given twice daily."),
        ("Bridging is hardly ever needed\n-", "Bridging is hardly ever needed"),
        ("Apixaban in dialysis", "Apixaban in dialysis"),  # with nothing below
    ],
)
def test_marks_of_what_stands_below_are_left_out(told: str, said: str) -> None:
    assert shown(told) == said


@pytest.mark.parametrize(
    "told", ["# Anticoagulation\n\n##", "Apixaban in renal failure", "## Apixaban in renal failure"]
)
def test_below_a_heading_the_sentence_nearest_to_the_claim_is_shown(told: str) -> None:
    assert shown(told, "The dose of apixaban is 5 mg") == "The usual dose of apixaban is 5 mg."
    assert shown(told, "Apixaban is given twice daily") == "It is given twice daily."


def test_only_what_stands_below_a_heading_takes_its_place() -> None:
    assert shown("Bridging\n\n-", "Stop apixaban before surgery") == "Stop apixaban two days before"
    assert shown("Dosing", "5 mg", "Dosing\n\nTake 5 mg daily with food.") == "Take 5 mg daily with food."
    assert shown("Dosing", "5 mg", "Dosing and nothing else") == "Dosing"


@pytest.mark.parametrize("said", ["##", "\n##", "A 1\n2 b", "5 mg", "- a", "It is 5\n10 mg", "## Dosing"])
def test_words_are_never_taken_for_marks(said: str) -> None:
    start, end = without_marks(said, 0, len(said))
    assert said[start:end] == said.removeprefix("## ")


def test_lines_without_end_take_no_time() -> None:
    said = "It helps." + "\n" * 20_000 + "#\n- \n" * 5_000
    assert without_marks(said, 0, len(said)) == (0, 9)
    assert without_marks(said + "x", 0, len(said) + 1) == (0, len(said) + 1)


def test_the_heading_over_a_place_is_the_nearest_above_it() -> None:
    places = ["# Anti", "It is given", "Bridging is"]
    assert [heading_over(GUIDELINE, GUIDELINE.index(words)) for words in places] == [
        "", "Apixaban in renal failure", "Bridging",
    ]  # fmt: skip


def test_who_judges_names_the_sentence_below_the_heading(checkpoint_folder: Path) -> None:
    claim = "aspirin lowered the risk of stroke"
    text = "# Aspirin and the risk of stroke\n\nIt was lowered by aspirin in adults.\n\n# Sleep\n\nBlood was stored."
    (found,) = load_checkpoint(str(checkpoint_folder))[0].score([(text, claim)])
    quoted = '{"sentence": "Aspirin and the risk of stroke", "label": "Supports"}'
    for verdict in (found, CitationCheck(text, claim).read(quoted)):
        assert verdict.sentence is not None
        said = text[verdict.sentence.start : verdict.sentence.end]
        assert said == "It was lowered by aspirin in adults."
