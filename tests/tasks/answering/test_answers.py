"""Asking systems against a real server on loopback: what is written, what is paid, what failed."""

import json
import os
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from medassay.models.answering.systems import Sampling, System
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Warehouse
from medassay.tasks.aggregate import aggregate
from medassay.tasks.answering.answer_folder import fresh_answers, write_folder
from medassay.tasks.answering.answers import Asked, Limits, ask_system, refuse_names, refuse_unpriced
from medassay.tasks.answering.asked_questions import read_questions
from medassay.tasks.phi import PhiFound
from medassay.tasks.run import BadData
from medassay.tasks.spending.caps import common_cap
from tests.rows import write_rows, write_tables
from tests.runs import read_in

QUESTIONS = [
    {"question_id": "q1", "question": "Does aspirin help?", "nuggets": ["Aspirin helps."]},
    {"question_id": "q2", "question": "Does honey help?", "nuggets": ["Honey helps."]},
]


@pytest.fixture
def system(judge_server: Any) -> System:
    judge_server.behaviour.text = lambda body: f"It helps. [1] {body['messages'][1]['content']}"
    return System("one", judge_server.base_url, "m-1")


def ask(warehouse: Warehouse, home: Path, system: System, limits: Limits = Limits()) -> Asked:  # noqa: B008
    return ask_system(warehouse, home, system, QUESTIONS, limits, common_cap(limits))


def test_sampling_is_sent_and_nothing_is_paid_twice(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System
) -> None:
    first, second = ask(warehouse, home, system), ask(warehouse, home, system)
    body = judge_server.bodies[0]
    sampling = {name: body[name] for name in ("temperature", "top_p", "top_k", "max_tokens", "model")}
    assert sampling == {"temperature": 0.5, "top_p": 1.0, "top_k": 50, "max_tokens": 200, "model": "m-1"}
    assert (len(judge_server.bodies), first.answers == second.answers) == (2, True)
    assert first.answers[0] == {
        "question_id": "q1",
        "system": "one",
        "answer": "It helps. [1] Does aspirin help?",
    }
    assert (first.summary()["n_sent"], second.summary()["n_sent"], second.summary()["n_reused"]) == (2, 0, 2)
    ask(warehouse, home, replace(system, sampling=Sampling(cite=True)))
    assert len(judge_server.bodies) == 4


def test_an_answer_that_is_too_old_is_asked_for_anew_and_both_stay(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System
) -> None:
    ask(warehouse, home, system)
    ask(warehouse, home, system, Limits(max_age=timedelta(hours=1)))
    assert len(judge_server.bodies) == 2
    warehouse.execute("update model_call set asked_at = asked_at - interval 2 hours")
    for _ in range(2):
        ask(warehouse, home, system, Limits(max_age=timedelta(hours=1)))
    assert len(judge_server.bodies) == 4
    assert warehouse.rows("select sample_no, count(*) as n from model_call group by all order by all") == [
        {"sample_no": 0, "n": 2},
        {"sample_no": 1, "n": 2},
    ]
    # By a clock that was set back since.
    warehouse.execute("update model_call set asked_at = asked_at + interval 3 years")
    for _ in range(2):
        ask(warehouse, home, system, Limits(max_age=timedelta(hours=1)))
    assert warehouse.value("select max(sample_no) from model_call") == 2


def test_a_server_without_top_k_is_asked_without_it(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System
) -> None:
    judge_server.behaviour.refuses_top_k = True
    asked = ask(warehouse, home, system)
    assert (asked.n_failed, "top_k" in judge_server.bodies[-1], judge_server.bodies[-1]["temperature"]) == (
        0,
        False,
        0.5,
    )


def test_what_a_server_retrieved_is_kept_with_the_answer(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System
) -> None:
    judge_server.behaviour.beside = {"documents": [{"title": "Trial", "text": "Aspirin helps.", "pmid": 7}]}
    for asked in (ask(warehouse, home, system), ask(warehouse, home, system)):
        assert asked.answers[0]["references"] == [
            {"marker": "1", "title": "Trial", "content": "Aspirin helps.", "pmid": "7"}
        ]


def test_a_refusal_is_an_answer_a_cut_one_too_and_an_outage_is_neither(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System
) -> None:
    judge_server.will("refusal", "error_400")
    one = ask(warehouse, home, system)
    found = {row["question_id"]: row for row in one.answers}
    texts = sorted(row.get("answer", row.get("failed", "")) for row in found.values())
    assert texts[0] == "I cannot assess medical content."
    assert texts[1].startswith("the server refused the request (HTTP 400")
    judge_server.will("length", "length")
    two = ask(warehouse, home, replace(system, model="m-2"))
    assert (two.n_failed, two.summary()["n_cut"]) == (0, 2)


def test_the_cap_holds_over_all_systems(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System
) -> None:
    limits = Limits(max_calls=3)
    cap = common_cap(limits)
    asked = [
        ask_system(warehouse, home, one, QUESTIONS, limits, cap)
        for one in (system, replace(system, name="two", model="m-2"))
    ]
    assert [one.n_failed for one in asked] == [0, 1]
    assert asked[1].summary()["first_reason"] == "cap reached: the next call could exceed 3 calls"
    with pytest.raises(UsageError, match="needs the price of m-1"):
        refuse_unpriced([system], home, Limits(max_money=1.0))


def test_names_stay_on_this_machine_and_what_stopped_is_on_record(
    warehouse: Warehouse, judge_server: Any, system: System
) -> None:
    named = [
        {"question_id": "q1", "question": "My patient John Smith, MRN 1234567, born 03/04/1956: aspirin?"},
        {"question_id": "q2", "question": "Does aspirin help?"},
    ]
    refuse_names(warehouse, [system], named, Limits())
    assert warehouse.rows("from phi_checks") == []
    with pytest.raises(PhiFound, match="none of them was sent"):
        refuse_names(warehouse, [system, replace(system, base_url="https://llm.example/v1")], named, Limits())
    rows = warehouse.rows("select run_id, stage, endpoint, input_key, action, attempt from phi_checks")
    assert [tuple(row.values()) for row in rows] == [
        (None, "answer", "https://llm.example/v1", "question q1", "blocked", None)
    ]


@pytest.mark.parametrize(("phi", "shown"), [("redact", "Mrs. [name 1]"), ("allow", "Mrs. Ann Smith")])
def test_every_question_that_leaves_has_its_audit_line(
    warehouse: Warehouse, home: Path, judge_server: Any, system: System, phi: Any, shown: str
) -> None:
    """The address does not say loopback, and still ends there."""
    remote = replace(system, base_url=system.base_url.replace("127.0.0.1", "0.0.0.0"))
    questions = [*QUESTIONS, {"question_id": "q3", "question": "May Mrs. Ann Smith take it?"}]
    limits = Limits(phi=phi)
    asked = ask_system(warehouse, home, remote, questions, limits, common_cap(limits))
    assert f"May {shown} take it?" in [body["messages"][1]["content"] for body in judge_server.bodies]
    assert asked.answers[2]["answer"] == "It helps. [1] May Mrs. Ann Smith take it?"
    rows = warehouse.rows(
        "select run_id, stage, input_key, action, kinds, attempt, status, asked_at >= checked_at as was_checked_first"
        " from phi_checks order by input_key"
    )
    action = {"redact": "redacted", "allow": "allowed"}[phi]
    assert [tuple(row.values()) for row in rows] == [
        (None, "answer", "q1", "clean", "{}", 1, "ok", True),
        (None, "answer", "q2", "clean", "{}", 1, "ok", True),
        (None, "answer", "q3", action, '{"name": 1}', 1, "ok", True),
    ]


def test_the_folder_is_evaluated_and_an_outage_scores_nothing(
    warehouse: Warehouse, home: Path, tmp_path: Path, judge_server: Any, system: System
) -> None:
    given = {"question_id": "q1", "system": "old", "answer": "Aspirin helps."}
    data = write_tables(tmp_path / "asked", questions=QUESTIONS, answers=[given])
    questions = read_questions(data)
    judge_server.will("error_400")
    asked = [ask(warehouse, home, system)]
    assert write_folder(tmp_path / "out", questions, asked, with_given=True) == 1
    with pytest.raises(BadData, match="^old: both asked and given"):
        write_folder(
            tmp_path / "out",
            questions,
            [replace(asked[0], system=replace(system, name="old"))],
            with_given=True,
        )
    with read_in(home, Settings(str(tmp_path / "out"))) as run:
        aggregate(run)
    states = warehouse.rows("select system, state, count(*) as n from mart.answer group by all order by all")
    assert states == [
        {"system": "old", "state": "answered", "n": 1},
        {"system": "old", "state": "not_answered", "n": 1},
        {"system": "one", "state": "answered", "n": 1},
        {"system": "one", "state": "failed", "n": 1},
    ]
    reasons = warehouse.rows(
        "select distinct value, reason[:49] as reason from mart.score join mart.answer using (question_id, system)"
        " where state = 'failed' and profile <> 'trec'"
    )
    assert reasons == [{"value": None, "reason": "the system could not be asked: the server refused"}]


def test_what_one_comparison_asked_is_not_written_over_by_another(
    home: Path, tmp_path: Path, judge_server: Any, system: System
) -> None:
    write_rows(tmp_path / "questions.jsonl", QUESTIONS)
    found = []
    for words in ("First.", "Second."):
        judge_server.behaviour.text = lambda _, words=words: words
        limits = Limits(max_age=timedelta(0))
        found.append(fresh_answers(home, str(tmp_path), [system], limits, with_given=False, wait=True))
    assert [
        {
            json.loads(line)["answer"]
            for line in Path(one.folder, "answers.jsonl").read_text("utf-8").splitlines()
        }
        for one in found
    ] == [{"First."}, {"Second."}]
    assert found[0].dataset == found[1].dataset == tmp_path.name
    # What was asked long ago is cleared away.
    old = time.time() - 8 * 24 * 3600
    os.utime(found[0].folder, (old, old))
    fresh_answers(home, str(tmp_path), [system], Limits(), with_given=False, wait=True)
    assert [Path(one.folder).exists() for one in found] == [False, True]
