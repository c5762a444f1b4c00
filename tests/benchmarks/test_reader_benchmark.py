"""The benchmark of readers: statements by rule, figures, verdicts read once."""

import gzip
import json

import numpy as np
import pytest

from benchmarks.reader import BEGIN, END, put_between_marks
from benchmarks.reader_answers import own_answers, turned_around
from benchmarks.reader_cache import Remembering
from benchmarks.reader_cascade import Settled, settled
from benchmarks.reader_figures import auc, kappa, macro_f1, share
from benchmarks.reader_measures import column_of, table
from benchmarks.reader_runs import Reader
from benchmarks.reader_sets import beside, half_truths, inversions
from benchmarks.reader_subjects import answers_of
from medassay.models.nuggets.behind_question import telling
from medassay.models.records import PairVerdict


class Counted:
    fingerprint = {"name": "counted"}
    pairs_at_once = 8

    def __init__(self):
        self.read = []

    def score(self, pairs, on_progress=None):
        self.read += pairs
        return [PairVerdict(0.7, 0.2, 0.1) for _ in pairs]


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("Smoking increases the risk.", "Smoking decreases the risk."),
        ("Warfarin should not be taken.", "Warfarin should be taken."),
        ("Gout is painful.", "Gout is not painful."),
        ("There are no known interactions.", None),
        ("Take it with food.", None),
    ],
)
def test_turned_around(text, turned):
    assert turned_around(text) == turned


def test_verdicts_are_read_once(tmp_path):
    first, second = Counted(), Counted()
    store = tmp_path / "verdicts.sqlite"
    pairs = [("a", "b"), ("c", "d"), ("a", "b")]
    assert [v.entailment for v in Remembering(lambda: first, first.fingerprint, store).score(pairs)] == [
        0.7
    ] * 3
    again = Remembering(lambda: second, second.fingerprint, store)
    assert [v.contradiction for v in again.score([("c", "d"), ("e", "f")])] == [0.1, 0.1]
    assert sorted(first.read) == [("a", "b"), ("c", "d")]
    assert second.read == [("e", "f")]
    other = Counted()
    Remembering(lambda: other, {"name": "another"}, store).score([("a", "b")])
    assert other.read == [("a", "b")]


def test_two_facts_of_one_subject_are_neutral_and_what_was_trained_on_is_not_among_them(tmp_path):
    files = {
        "nli/evidence_inference/train.jsonl.gz": [
            {
                "doc": doc,
                "label": "entailment",
                "hypothesis": f"Compared with placebo, drug {doc} significantly {way}.",
            }
            for doc in ("PMC2", "PMC3")
            for way in ("increased sleep", "decreased pain")
        ],
        "kqa/questions.jsonl.gz": [
            {
                "question_id": f"kqa-{n}",
                "nuggets": [{"text": f"Drug {n} eases {what}"} for what in ("pain", "gout")],
            }
            for n in (0, 2)  # the first is left out of the encoder's training
        ],
    }
    for name, rows in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    found = {one.name: one for one in beside(tmp_path)}
    labels = [pair.label for pair in found["two_facts"].pairs]
    assert (labels.count("neutral"), labels.count("contradiction")) == (60, 30)
    assert not {pair.texts for pair in found["two_facts"].pairs} & {
        p.texts for p in found["two_facts_dev"].pairs
    }
    assert {pair.group for pair in found["nuggets_beside"].pairs} == {"kqa-0"}
    assert {(pair.group, pair.label) for pair in found["effects_beside"].pairs} == {
        ("PMC3", "neutral"),
        ("PMC3", "contradiction"),
    }


def test_figures():
    assert share([True, True, False]).text.startswith("2 of 3 (")
    gold, groups = ["entailment", "neutral"] * 10, [str(i) for i in range(20)]
    assert macro_f1(gold, gold, groups).value == 1.0
    assert macro_f1(gold, ["entailment"] * 20, groups).value == pytest.approx(1 / 3)
    half = ["entailment", "not_entailment"]
    assert macro_f1(half, ["entailment", "contradiction"], ["1", "2"]).value == 1.0
    assert kappa(gold, gold, groups).value == 1.0
    assert auc([True, False, True], [0.9, 0.1, 0.1], ["1", "2", "3"]).value == 0.75
    assert auc([True, True], [0.9, 0.1], ["1", "2"]).text == "–"


def test_column_is_the_worst_of_a_readers_parts():
    seen = {"encoder": "left out", "language model": "seen"}
    assert column_of(Reader("cascade", None, "reader", ("encoder", "language model")), seen) == "seen"
    assert column_of(Reader("encoder", None, "reader", ("encoder",)), seen) == "left out"
    assert column_of(Reader("floor", None, "reader", ()), seen) == "left out"
    assert table([])[0].startswith("| measure")


def test_statements_beside_physicians_own_answers(tmp_path):
    folder = tmp_path / "kqa"
    folder.mkdir()
    questions = [
        {
            "question_id": f"q{i}",
            "question": "?",
            "reference_answer": "Aspirin is safe.",
            "nuggets": [{"text": f"Drug {i} is safe."}],
        }
        for i in range(3)
    ]
    labels = [{"question_id": "q0"}]
    for name, rows in (("questions", questions), ("nugget_labels_dev", labels), ("nugget_labels_dev2", [])):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    found = own_answers(tmp_path, lambda text, others: others[0])
    assert sorted(one.group for one in found) == ["q1", "q2"]
    one = next(one for one in found if one.group == "q1")
    assert dict(zip(one.kinds, one.nuggets, strict=True)) == {
        "own": "Drug 1 is safe.",
        "turned": "Drug 1 is dangerous.",
        "foreign": "Drug 2 is safe.",
        "half": "Drug 1 is safe and drug 2 is safe.",
    }


def test_cases_are_read(tmp_path):
    (tmp_path / "inversions_dev.tsv").write_text("nugget\ttrue\topposite\n", "utf-8")
    (tmp_path / "half_true_dev.tsv").write_text("source\tA lowers B and cures C.\n", "utf-8")
    assert [(p.passage, p.label) for p in inversions(tmp_path).pairs] == [
        ("true", "entailment"),
        ("opposite", "contradiction"),
    ]
    assert [p.statement for p in half_truths(tmp_path).pairs] == ["A lowers B and cures C.", "A lowers B."]


def test_tables_replace_what_stands_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    put_between_marks(page, "new")
    assert page.read_text("utf-8") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"


def test_what_the_encoder_settles_is_compared_with_the_mean():
    encoders = np.array([[0.9, 0.05, 0.05], [0.85, 0.1, 0.05], [0.8, 0.1, 0.1], [0.5, 0.3, 0.2]])
    language_models = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]])
    labels = ["contradiction", "entailment", "not_entailment", "neutral"]
    assert settled(encoders, language_models, labels, 0, 0.8) == Settled(3, 1, 1)
    assert settled(encoders, language_models, labels, 2, 0.6) == Settled(0, 0, 0)


def test_answers_that_leave_their_subject_to_the_question():
    asked = telling("What is the usual dose of paracetamol for a child?")
    nugget = "The usual dose of paracetamol for a child is 15 mg per kg."
    made = {
        sentence: list(answers_of(sentence, nugget, asked))
        for sentence in (
            "The usual dose is 15 mg per kg.",
            "Of paracetamol one gives 15 mg per kg.",
            "Paracetamol is given at 15 mg per kg.",
            "Your doctor knows more.",
        )
    }
    assert list(made.values()) == [
        [
            ("alone", "The usual dose is 15 mg per kg."),
            ("it", "It is 15 mg per kg."),
            ("short", "15 mg per kg."),
        ],
        [
            ("alone", "Of paracetamol one gives 15 mg per kg."),
            ("it", " one gives 15 mg per kg."),
            ("short", "One gives 15 mg per kg."),
        ],
        [
            ("alone", "Paracetamol is given at 15 mg per kg."),
            ("it", "It is given at 15 mg per kg."),
            ("short", "Given at 15 mg per kg."),
        ],
        [],
    ]
