"""What a language model says of a citation, as servers with and without a schema write it."""

import json

import pytest

from medassay.models.chat.reply import Complaint
from medassay.models.nli.chat import SCHEMA, CitationCheck
from medassay.models.records import Span

CHECK = CitationCheck("Rest helps. Ice lowers the swelling.", "Ice lowers swelling.")


@pytest.mark.parametrize(
    ("written", "shares", "remark"),
    [
        ("Supports", (1, 0, 0), None),
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
    assert CHECK.premise[verdict.sentence.start : verdict.sentence.end] == "Ice lowers the swelling."


@pytest.mark.parametrize("written", ["Supports partially", "", None, 1])
def test_another_label_is_asked_about_again(written: object) -> None:
    with pytest.raises(Complaint, match="must be one of Supports, Contradicts, Neutral, Not relevant"):
        CHECK.read(json.dumps({"sentence": "", "label": written}))


TRIAL = "Metformin lowers fasting glucose. Nonetheless nausea is common.\nSafe. In adults (n = 5) it was well tolerated."
NOWHERE = "the quotation does not stand in the passage"


@pytest.mark.parametrize(
    ("quoted", "shown", "remark"),
    [
        ("nausea is common", "Nonetheless nausea is common.", None),
        ("LOWERS  fasting", "Metformin lowers fasting glucose.", None),
        (
            "glucose. Nonetheless nausea",
            "Metformin lowers fasting glucose. Nonetheless nausea is common.",
            None,
        ),
        ("Safe.", "Safe.", None),
        # What ends in mid-word, or is one word of many, is no sentence of the passage.
        ("ausea is common", None, NOWHERE),
        ("nausea is comm", None, NOWHERE),
        ("No", None, NOWHERE),
        ("nausea", None, NOWHERE),
        ("none.", None, None),
        ("N/A", None, None),
        ("(null)", None, None),
        ("...", None, None),
        ("None of them had nausea", None, NOWHERE),
    ],
)
def test_a_quotation_shows_the_whole_sentence_that_it_is_taken_from(
    quoted: str, shown: str | None, remark: str | None
) -> None:
    check = CitationCheck(TRIAL, "Metformin harms.")
    verdict = check.read(json.dumps({"sentence": quoted, "label": "Contradicts"}))
    place = verdict.sentence
    assert (TRIAL[place.start : place.end] if place else None, verdict.remark) == (shown, remark)


def test_a_quotation_in_plain_letters_is_found_in_typeset_ones() -> None:
    check = CitationCheck("It is new. The eﬃcacy was con\u00adﬁrmed.", "It works.")
    place = check.read('{"sentence": "The efficacy was confirmed.", "label": "Supports"}').sentence
    assert place == Span(11, len(check.premise))


@pytest.mark.parametrize(
    ("label", "sentence", "remark"),
    [
        ("Supports", " ", None),
        ("Supports", None, None),
        ("Contradicts", "Heat helps too.", "the quotation does not stand in the passage"),
        # A remark on a neutral reading would stand for what the whole source is, in the table of citations.
        ("Neutral", "Heat helps too.", None),
        ("Not relevant", "Heat helps too.", "the model calls the source not relevant to the claim"),
    ],
)
def test_a_quotation_is_remarked_upon_where_it_would_be_evidence(
    label: str, sentence: str | None, remark: str | None
) -> None:
    assert CHECK.read(json.dumps({"sentence": sentence, "label": label})).remark == remark


GOOD = '{"sentence": "Ice lowers the swelling.", "label": "Supports"}'


@pytest.mark.parametrize(
    "reply",
    [
        GOOD + '\n{"confidence": 0.9}',
        GOOD + "\n" + json.dumps({"name": "citation_check", "schema": SCHEMA}),
        '{"sentence": "", "label": "Neutral"}\n' + GOOD,
        '{"result": ' + GOOD + ', "confidence": 0.9}',
        '{"Sentence": "Ice lowers the swelling.", "LABEL": "supports"}',
        f"```json\n{GOOD}\n```\n" + '{"note": {"model": "m"}}',
    ],
)
def test_the_last_object_that_names_a_label_is_meant(reply: str) -> None:
    verdict = CHECK.read(reply)
    assert (verdict.entailment, verdict.remark) == (1, None)
    assert verdict.sentence is not None


@pytest.mark.parametrize(
    "reply",
    [
        '{"confidence": 0.9}',
        '{"one": ' + GOOD + ', "two": ' + GOOD + "}",
        GOOD + '\n{"label": "Supports | Contradicts"}',
        GOOD + '\n{"label": null}',
    ],
)
def test_what_names_no_label_or_an_unknown_one_last_is_asked_about_again(reply: str) -> None:
    with pytest.raises(Complaint, match="must be one of"):
        CHECK.read(reply)
