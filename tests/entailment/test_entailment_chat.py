"""What a language model says of a citation, as servers with and without a schema write it."""

import json

import pytest

from models.chat.reply import Complaint
from models.entailment.chat import CitationCheck

CHECK = CitationCheck("Rest helps. Ice lowers the swelling.", "Ice lowers swelling.")


@pytest.mark.parametrize(
    ("written", "shares", "remark"),
    [
        ("Supports", (1, 0, 0), None),
        ("SUPPORTED", (1, 0, 0), None),
        (" contradicts. ", (0, 0, 1), None),
        ("Neutral", (0, 1, 0), None),
        ("not_relevant", (0, 1, 0), "the model calls the source not relevant to the claim"),
        ("Irrelevant", (0, 1, 0), "the model calls the source not relevant to the claim"),
    ],
)
def test_the_four_labels_are_read_however_they_are_written(
    written: str, shares: tuple[float, ...], remark: str | None
) -> None:
    verdict = CHECK.read(json.dumps({"sentence": "Ice lowers the swelling.", "label": written}))
    assert (verdict.entailment, verdict.neutral, verdict.contradiction) == shares
    assert verdict.remark == remark
    assert verdict.sentence is not None
    assert CHECK.premise[verdict.sentence.start : verdict.sentence.end] == "Ice lowers the swelling"


@pytest.mark.parametrize("written", ["Supports partially", "", None, 1])
def test_another_label_is_asked_about_again(written: object) -> None:
    with pytest.raises(Complaint, match="must be one of Supports, Contradicts, Neutral, Not relevant"):
        CHECK.read(json.dumps({"sentence": "", "label": written}))


def test_a_sentence_that_the_source_does_not_hold_is_not_shown() -> None:
    verdict = CHECK.read(json.dumps({"sentence": "Heat helps too.", "label": "Supports"}))
    assert (verdict.entailment, verdict.sentence) == (1, None)
