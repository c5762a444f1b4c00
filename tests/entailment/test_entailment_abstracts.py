"""Pairs by rule from abstracts: what sums an abstract up is entailed as it stands and contradicted turned around."""

import json
from pathlib import Path

import pytest

from medassay.models.entailment.training.abstracts import (
    pairs_from_conclusions,
    pairs_from_sentences,
    pairs_from_titles,
    read_abstracts,
)
from medassay.models.entailment.training.pairs import LabelledPair, held_out
from medassay.models.settings import UsageError

RESULTS = ["Adults took aspirin.", "Strokes were counted.", "Four of ten had one.", "Six of ten had not."]
ABSTRACTS = [
    ("1", ["Aspirin", *RESULTS, "In conclusion, aspirin reduced strokes in adults who had had one."]),
    ("2", ["Sleep", *RESULTS, "Exercise improved the sleep of people who walk daily."]),
]


def test_a_conclusion_is_entailed_as_it_stands_and_contradicted_turned_around() -> None:
    made = pairs_from_conclusions(ABSTRACTS, 10, 2)
    assert [(p.doc, p.hypothesis, p.label) for p in made] == [
        ("2", "Exercise improved the sleep of people who walk daily.", 0),
        ("2", "Exercise worsened the sleep of people who walk daily.", 2),
        ("2", "Aspirin reduced strokes in adults who had had one.", 1),
        ("1", "Aspirin reduced strokes in adults who had had one.", 0),
        ("1", "Aspirin raised strokes in adults who had had one.", 2),
        ("1", "Exercise improved the sleep of people who walk daily.", 1),
    ]
    assert {p.premise for p in made} == {" ".join(RESULTS)}


def test_a_title_that_asserts_something_is_a_claim_about_its_abstract() -> None:
    abstracts = [
        ("1", ["Aspirin regulates platelet aggregation in adults", *RESULTS]),
        ("2", ["Does sleep regulate platelet aggregation?", *RESULTS]),
        ("3", ["A trial of aspirin in adults after stroke", *RESULTS]),
    ]
    made = [(p.doc, p.hypothesis, p.label) for p in pairs_from_titles(abstracts, 10, 3) if p.label != 1]
    assert made == [
        ("1", "Aspirin regulates platelet aggregation in adults.", 0),
        ("1", "Aspirin does not regulate platelet aggregation in adults.", 2),
    ]


def test_a_foreign_summary_is_neutral() -> None:
    abstracts = [(str(i), [f"Drug{i} reduces pain in adults", *RESULTS]) for i in range(8)]
    foreign = [p for p in pairs_from_titles(abstracts, 100, 1) if p.label == 1]
    assert foreign
    assert all(f"Drug{p.doc} " not in p.hypothesis for p in foreign)


def test_a_sentence_entails_itself_shortened_and_contradicts_itself_turned() -> None:
    texts = [
        "Aspirin",
        *(f"Aspirin lowered the risk of stroke in group {i} of the adults (P < .01)." for i in "abcd"),
    ]
    made = pairs_from_sentences([("1", texts)], 40, 5)
    assert len(made) == 40
    assert {p.label for p in made} == {0, 1, 2}
    assert all(
        "lower" in p.hypothesis or "reduc" in p.hypothesis or "decreas" in p.hypothesis
        for p in made
        if p.label == 0
    )


def test_the_title_of_an_article_stands_apart_from_its_abstract(tmp_path: Path) -> None:
    text = "TITLE: \nAspirin helps\n\n\n\nABSTRACT.BACKGROUND:\nPain is common. It hurts.\n\nABSTRACT.RESULTS:\nIt went.\n\nBODY.INTRO:\nMore."
    rows = [{"id": "a", "text": text}, {"id": "b", "title": "Sleep", "sentences": ["One.", "Two."]}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert list(read_abstracts(tmp_path)) == [
        ("a", ["Aspirin helps", "Pain is common.", "It hurts.", "It went."]),
        ("b", ["Sleep", "One.", "Two."]),
    ]


def test_from_sentences_that_are_too_short_no_pair_is_made() -> None:
    assert pairs_from_sentences([("1", ["Aspirin", "It works.", "It does.", "So it is."])], 10, 17) == []


def test_one_abstract_alone_has_no_foreign_claim() -> None:
    made = pairs_from_conclusions(ABSTRACTS[1:], 10, 2)
    assert sorted({pair.label for pair in made}) == [0, 2]


@pytest.mark.parametrize("row", [{"title": 5, "sentences": ["a"]}, {"sentences": "a"}, {"text": ["a"]}])
def test_an_abstract_that_is_no_text_is_named(tmp_path: Path, row: dict[str, object]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "A."}) + "\n" + json.dumps(row), "utf-8")
    with pytest.raises(UsageError, match=r"a\.jsonl, row 2: title, sentences or text are no texts"):
        list(read_abstracts(tmp_path))


def test_abstracts_without_id_or_title_are_told_apart(tmp_path: Path) -> None:
    rows = [{"title": None, "sentences": ["a", "b"]}, {"sentences": ["c"]}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert list(read_abstracts(tmp_path)) == [("a.jsonl/1", ["", "a", "b"]), ("a.jsonl/2", ["", "c"])]


def test_pairs_without_a_document_are_held_out_by_their_premise() -> None:
    pairs = [LabelledPair(f"premise {n}", "claim", 0, "s", "") for n in range(50)]
    assert 2 <= sum(map(held_out, pairs)) <= 25
