"""MEDIQA's ranked answers as cases with gold."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from medassay.flows.commands.judge_data import judge_data
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.mediqa import mediqa_cases, read_mediqa, split_by_question, triples
from medassay.models.judge_training.records import read_cases
from tests.rows import write_rows


def answers(*scores: int, question: int = 1) -> list[dict[str, Any]]:
    return [
        {
            "question_id": f"q{question}",
            "question": f"What is sign {question}?",
            "system": f"rank{n}",
            "answer": f"Answer {n} to {question}.",
            "score": score,
        }
        for n, score in enumerate(scores, 1)
    ]


def test_triples_are_three_different_answers_each_used_once() -> None:
    rows = answers(1, 2, 3, 4, 4, 4, 1)
    drawn = triples(rows, seed=0, most=5)
    used = [answer["system"] for chosen in drawn for answer in chosen]
    assert ([len(chosen) for chosen in drawn], len(used)) == ([3, 3], len(set(used)))
    assert triples(rows, seed=0, most=5) == drawn != triples(rows, seed=1, most=5)
    untied = triples(rows, seed=0, most=5, untied=True)
    assert [len({answer["score"] for answer in chosen}) for chosen in untied] == [3] * len(untied) != []
    assert triples(answers(1, 1, 2), seed=0, untied=True) == []
    same = [{**row, "answer": "The same."} for row in rows]
    assert triples(same, seed=0) == []


def test_cases_carry_gold_and_no_evaluation_and_questions_are_not_shared() -> None:
    by_question = {f"q{n}": answers(1, 2, 3, 4, question=n) for n in range(10)}
    cases = mediqa_cases(by_question, seed=0)
    for case in cases:
        own = {row["answer"]: float(row["score"]) for row in by_question[case.question_id]}
        assert case.gold == tuple(own[text] for text in case.responses)
        assert (case.scores, case.evaluation, case.status) == (None, "", "abstained")
    train, test = split_by_question(cases, 0.3, seed=0)
    assert (len(train), len(test)) == (7, 3)
    assert not {case.question for case in train} & {case.question for case in test}


@pytest.mark.parametrize(
    ("change", "said"),
    [({"score": 5}, "score 5 is not from 1 to 4"), ({"answer": None, "score": "x"}, "no scored answer")],
)
def test_lines_that_are_no_scored_answers_are_named(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    write_rows(tmp_path / "answers_dev.jsonl.gz", (answers(1)[0], answers(2)[0] | change))
    with pytest.raises(IntakeError, match=said):
        read_mediqa(tmp_path)


@pytest.mark.shared_data
def test_the_real_set_becomes_cases(shared_data: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        judge_data, ["mediqa", str(shared_data / "mediqa"), "--out", str(tmp_path / "m")]
    )
    assert (done.exit_code, done.stdout.splitlines()) == (
        0,
        [
            f"{tmp_path / 'm' / 'train'}.jsonl: 163 cases of 163 questions",
            f"{tmp_path / 'm' / 'test'}.jsonl: 69 cases of 69 questions",
        ],
    )
    train, test = (read_cases(tmp_path / "m" / f"{name}.jsonl") for name in ("train", "test"))
    assert {len(case.responses) for case in train + test} == {3}
    assert {score for case in train + test for score in case.gold or ()} == {1.0, 2.0, 3.0, 4.0}
    assert not {case.question_id for case in train} & {case.question_id for case in test}


def test_a_judge_is_held_against_the_scores_in_one_command(
    tmp_path: Path, judge_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answers_dev.jsonl.gz"
    rows = [
        {
            "question_id": str(question), "question": f"Question {question}?", "system": f"rank{place}",
            "answer": f"Answer {question}. " + "More of it. " * score, "score": score,
        }
        for question in range(24)
        for place, score in enumerate((1, 3, 4) if question % 2 else (4, 3, 1), 1)
    ]  # fmt: skip
    write_rows(file, rows)

    def by_length(body: dict[str, Any]) -> str:
        shown = re.findall(r"BEGIN \w+ Doctor (\d)\n(.*?)\nEND", body["messages"][1]["content"], re.DOTALL)
        points = {name: said.count("More") for name, said in shown}
        return "Analyze: Step 1 Read.\nScore: " + " ".join(
            f"Doctor {n}: {p} points." for n, p in points.items()
        )

    judge_server.behaviour.text = by_length
    monkeypatch.setenv("MEDASSAY_HOME", str(tmp_path / "home"))
    done = CliRunner().invoke(judge_data, ["mediqa", str(tmp_path), "--judge", judge_server.spec, "--json"])
    assert done.exit_code == 0, done.output
    judge, *others = json.loads(done.stdout)
    assert [judge[name] for name in ("accuracy_2tuple", "accuracy_triple", "accuracy_untied", "kendall")] == [
        1.0
    ] * 4
    assert [row["judge"] for row in others] == [
        "same order of systems", "all tied", "random points", "longer answer", "ridge on cosine, length, place",
        "ridge on cosine, length, place, system",
    ]  # fmt: skip
    assert len(judge_server.bodies) == 3 * 7


def test_nothing_to_do_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(judge_data, ["mediqa", str(tmp_path)])
    assert done.exit_code == 2
    assert "write the cases with --out, or measure a judge with --judge" in done.output
