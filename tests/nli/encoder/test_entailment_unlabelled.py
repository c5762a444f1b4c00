"""Pairs that a teacher labels: made from abstracts, written down as they are read, and not read twice."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from medassay.models.nli.encoder.training.pairs import read_pairs
from medassay.models.nli.encoder.training.unlabelled import label, read_abstracts, unlabelled_pairs
from medassay.models.nli.labels import Pair
from medassay.models.records import PairVerdict
from medassay.models.usage import UsageError

EVENTS = ("stroke", "embolism", "bleeding", "dementia", "heart failure", "falls", "fracture")
ABSTRACTS = [
    (
        str(n),
        [
            f"{drug} and stroke",
            *(f"{drug} lowered the risk of {event} in {n + 40} older adults." for event in EVENTS),
        ],
    )
    for n, drug in enumerate(("Aspirin", "Warfarin", "Apixaban"))
]


class Teacher:
    """Says that everything is stated."""

    fingerprint: dict[str, object] = {}
    pairs_at_once = 8

    def __init__(self) -> None:
        self.asked: list[Pair] = []

    def score(self, pairs: Sequence[Pair], on_progress: object = None) -> list[PairVerdict]:
        self.asked += pairs
        return [PairVerdict(0.9, 0.06, 0.04) for _ in pairs]


def test_statements_are_made_of_a_passage_and_of_what_is_like_it() -> None:
    made = list(unlabelled_pairs(ABSTRACTS, 3, 1))
    assert {pair.kind for pair in made} >= {"short", "turned", "near", "joined"}
    assert all(pair.premise.count(".") == 3 for pair in made)
    turned = next(pair for pair in made if pair.kind == "turned")
    assert turned.hypothesis not in turned.premise
    joined = next(pair for pair in made if pair.kind == "joined")
    assert ", and " in joined.hypothesis


def test_labels_are_written_down_and_nothing_is_read_twice(tmp_path: Path) -> None:
    pairs, teacher, out = list(unlabelled_pairs(ABSTRACTS, 3, 1)), Teacher(), tmp_path / "taught.jsonl"
    half = len(pairs) // 2
    label(pairs[:half], teacher, out, lambda line: None)
    assert label(pairs, teacher, out, lambda line: None) == len(set(pairs)) == len(teacher.asked)
    shares = {pair.source: pair.shares for pair in read_pairs(out, "corpus")}
    assert shares == {"corpus": (0.9, 0.06, 0.04)}


def test_a_teacher_who_takes_a_foreign_statement_for_stated_is_not_believed(tmp_path: Path) -> None:
    pairs, out = list(unlabelled_pairs(ABSTRACTS, 3, 1)), tmp_path / "taught.jsonl"
    label(pairs, Teacher(), out, lambda line: None)
    own = {pair for pair in pairs if pair.kind in ("short", "part", "turned")}
    assert len(read_pairs(out, "corpus")) == len(own) < len(set(pairs))


def test_the_title_of_an_article_stands_apart_from_its_abstract(tmp_path: Path) -> None:
    text = "TITLE: \nAspirin helps\n\n\n\nABSTRACT.BACKGROUND:\nPain is common. It hurts.\n\nABSTRACT.RESULTS:\nIt went.\n\nBODY.INTRO:\nMore."
    rows = [{"id": "a", "text": text}, {"id": "b", "title": "Sleep", "sentences": ["One.", "Two."]}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert list(read_abstracts(tmp_path)) == [
        ("a", ["Aspirin helps", "Pain is common.", "It hurts.", "It went."]),
        ("b", ["Sleep", "One.", "Two."]),
    ]


@pytest.mark.parametrize("row", [{"title": 5, "sentences": ["a"]}, {"sentences": "a"}, {"text": ["a"]}])
def test_an_abstract_that_is_no_text_is_named(tmp_path: Path, row: dict[str, object]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "A."}) + "\n" + json.dumps(row), "utf-8")
    with pytest.raises(UsageError, match=r"a\.jsonl, row 2: title, sentences or text are no texts"):
        list(read_abstracts(tmp_path))
