"""Rationales against a named author's, without Prefect and without a model: a measure that counts common words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.people import rationales
from medassay.tasks.people.rationales import score_rationales
from tests.rows import answer_row, run_row

DOSE, WARNING = "the dose is wrong", "the warning is missing"


class Common:
    """The share of a rationale's words that the reference has."""

    measures = ("common words",)

    def __init__(self) -> None:
        self.fingerprint: dict[str, Any] = {"measure": "common", "model": "words"}
        self.asked: list[tuple[str, str]] = []

    def is_cut(self, text: str) -> bool:
        return "long" in text

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        self.asked += pairs
        return [(len({*a.split()} & {*b.split()}) / len({*a.split()}),) for a, b in pairs]


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> Common:
    found = Common()
    monkeypatch.setattr("medassay.models.rationales.loading.load_bertscore", lambda spec: found)

    @contextmanager
    def lock(*_: Any, **__: Any) -> Iterator[None]:
        yield

    monkeypatch.setattr(rationales, "home_lock", lock)
    return found


def freeze(warehouse: Warehouse, run_id: str) -> None:
    """Freeze a run of the data set `d`: six questions that one system answered and one judge judged twice."""
    warehouse.append("run", [run_row(run_id)])
    warehouse.append("mart.answer", [answer_row(f"q{n}", run_id=run_id, text_key="t") for n in range(6)])
    warehouse.append(
        "mart.judgement", [judged(run_id, f"q{n}", sample) for n in range(6) for sample in (0, 1)]
    )


def judged(run_id: str, question_id: str, sample_no: int) -> Row:
    return {
        "run_id": run_id, "question_id": question_id, "system": "s", "judge": "j", "sample_no": sample_no,
        "status": "scored", "justification": DOSE if sample_no == 0 else WARNING,
        "has_references": False, "guidance_given": False,
    }  # fmt: skip


def say(warehouse: Warehouse, author: str, text: str, n: int = 6) -> None:
    warehouse.append(
        "rationale",
        [
            {"dataset": "d", "question_id": f"q{i}", "system": "s", "author": author, "rationale": text}
            for i in range(n)
        ],
    )


def agreement(home: Path, run_id: str = "r") -> list[tuple[Any, ...]]:
    rows = read_results(home, f"from agreement where run_id = '{run_id}' order by metric")
    return [tuple(row[name] for name in ("metric", "measure", "value", "low", "n", "reason")) for row in rows]


def test_judges_and_people_are_held_against_the_named_author(
    home: Path, warehouse: Warehouse, measure: Common
) -> None:
    freeze(warehouse, "r")
    say(warehouse, "ada", DOSE)
    say(warehouse, "ben", WARNING, 1)
    assert score_rationales(home, "r", "ada", "embedded", "none") == 13
    # The judge said the same words once, other words once: 1 and 1/2, so .75 a question, .354 apart.
    assert agreement(home) == [
        ("ben", "common words", 0.5, None, 1, "against ada, by words; 1 question is too few for an interval"),
        (
            "j", "common words", 0.75, 0.75, 6,
            "against ada, by words; repeats spread by 0.354; every question has the same value",
        ),
    ]  # fmt: skip
    # Each pair of texts is scored once, whoever said it, and never again in a later run.
    assert measure.asked == [(WARNING, DOSE), (DOSE, DOSE)]
    freeze(warehouse, "later")
    score_rationales(home, "later", "ada", "embedded", "none")
    assert len(measure.asked) == 2
    assert agreement(home, "later") == agreement(home)
    rows = read_results(home, "from rationale_scores where run_id = 'r' and author = 'ben'")
    assert [(row["question_id"], row["reference_author"], row["value"]) for row in rows] == [
        ("q0", "ada", 0.5)
    ]


def test_what_is_longer_than_the_window_is_counted(home: Path, warehouse: Warehouse, measure: Common) -> None:
    freeze(warehouse, "r")
    warehouse.execute("delete from mart.judgement")
    say(warehouse, "ada", DOSE)
    say(warehouse, "ben", "a long story", 1)
    score_rationales(home, "r", "ada", "embedded", "none")
    ((_, _, value, _, _, reason),) = agreement(home)
    assert (value, reason) == (
        0.0,
        "against ada, by words; 1 pairs hold a text that is longer than the model's window, of which only the beginning"
        " counts; 1 question is too few for an interval",
    )


def test_without_the_named_author_the_reason_names_the_others(
    home: Path, warehouse: Warehouse, measure: Common
) -> None:
    freeze(warehouse, "r")
    say(warehouse, "ada", DOSE)
    score_rationales(home, "r", "reference", "embedded", "none")
    ((_, _, value, _, n, reason),) = agreement(home)
    assert (value, n) == (None, 0)
    assert reason == "no rationale is by reference: name one of ada with --reference"
    assert measure.asked == []
