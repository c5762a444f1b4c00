"""Judging in a run: panels, samples, caps and what may leave the machine, on a real server on loopback."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.sql.warehouse import Warehouse, warehouse_at
from medassay.tasks.judging.panel import pin_members
from medassay.tasks.phi import PhiFound, refuse_phi
from medassay.tasks.run import RunRef
from medassay.tasks.spending.caps import check_prices
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.judge import brief, judge
from medassay.tasks.stages.stage import Report
from tests.rows import write_tables
from tests.runs import read_in

SUB_METRICS = ("medical_correctness", "evidence_sufficiency", "response_alignment", "safety")
ANSWERS = ("Metformin can cause nausea.", "Metformin is safe [1].", "It may cause diarrhoea.", "Rest.")


def data(folder: Path, *answers: str, **question: Any) -> str:
    """Write one question and its answers, each by a system of its own."""
    asked = {"question_id": "q", "question": "Is metformin safe?", **question}
    rows = [{"question_id": "q", "system": f"s{n}", "answer": text} for n, text in enumerate(answers, 1)]
    return str(write_tables(folder, questions=[asked], answers=rows))


@contextmanager
def prepared(home: Path, settings: Settings) -> Iterator[RunRef]:
    """Start a run and take it to the judge."""
    with read_in(home, settings) as run:
        refuse_phi(run)
        decompose.run(run)
        brief(run)
        pin_members(run)
        yield run


def judged(home: Path, settings: Settings) -> tuple[Report, list[dict[str, Any]]]:
    """Judge a run and return its report and its marks."""
    with prepared(home, settings) as run:
        report = judge.run(run)
        rows = run.warehouse.rows("from new_judgement order by system, judge, sample_no")
    return report, rows


def elsewhere(server: Any) -> str:
    """Name the server by an address that does not say loopback, and still ends there."""
    return str(server.spec).replace("127.0.0.1", "0.0.0.0")


def test_a_panel_has_a_row_a_judge_and_shares_marks_with_other_panels(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    folder = data(tmp_path / "d", *ANSWERS[:2])
    one, two = judge_server.spec, judge_server.spec.replace("#judge", "#second")
    first, _ = judged(home, Settings(folder, judge=one))
    report, rows = judged(home, Settings(folder, judge=f"{one},{two}"))
    assert (first["n_done"], report["n_items"], report["n_pending"]) == (2, 4, 2)
    assert [(row["system"], row["judge"].partition("#")[2], row["status"]) for row in rows] == [
        ("s1", "judge", "scored"),
        ("s1", "second", "scored"),
        ("s2", "judge", "scored"),
        ("s2", "second", "scored"),
    ]
    assert len(judge_server.bodies) == 4


def test_samples_are_calls_of_their_own_and_more_of_them_ask_only_for_the_new(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    folder = data(tmp_path / "d", ANSWERS[0])
    _, one = judged(home, Settings(folder, judge=judge_server.spec))
    _, three = judged(home, Settings(folder, judge=judge_server.spec, samples=3))
    _, again = judged(home, Settings(folder, judge=judge_server.spec))
    assert [len(rows) for rows in (one, three, again)] == [1, 3, 1]
    assert [row["sample_no"] for row in three] == [0, 1, 2]
    assert len(judge_server.bodies) == 3


MARKS = {"medical_correctness": 80, "evidence_sufficiency": 60, "response_alignment": 90, "safety": 70}


def test_without_references_a_missing_mark_of_evidence_is_worth_nothing_at_best(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    marks = {name: value for name, value in MARKS.items() if name != "evidence_sufficiency"}
    judge_server.behaviour.verdict = lambda body: {**marks, "overall_justification": "It fits."}
    _, (row,) = judged(home, Settings(data(tmp_path / "d", "Rest."), judge=judge_server.spec))
    assert (row["status"], row["rubric_score"]) == ("abstained", None)
    assert (row["evidence_sufficiency"], row["evidence_sufficiency_raw"]) == (0, None)
    # 0.3 × 0.8 + 0.25 × 0.9 + 0.15 × 0.7, whatever evidence the judge might have seen.
    assert (row["rubric_score_low"], row["rubric_score_high"]) == pytest.approx((0.57, 0.57))


def test_the_marks_of_a_reply_that_lacks_one_are_kept_with_the_bounds_of_the_score(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    judge_server.behaviour.verdict = lambda body: {**MARKS, "overall_justification": "It fits."}
    judge_server.will("missing_key", "missing_key")
    settings = Settings(data(tmp_path / "d", "Rest [1]. [1] PMID: 12345678"), judge=judge_server.spec)
    for _ in range(2):  # The second run takes them from the first.
        _, (row,) = judged(home, settings)
        assert {name: row[name] for name in MARKS} == {**MARKS, "safety": None}
        assert (row["status"], row["rubric_score"], row["safety_capped_score"]) == ("abstained", None, None)
        # 0.3 × 0.8 + 0.3 × 0.6 + 0.25 × 0.9, and 0.15 more where safety is 100.
        assert (row["rubric_score_low"], row["rubric_score_high"]) == pytest.approx((0.645, 0.795))
        assert row["reason"] == "the reply could not be used after 2 askings: safety: Field required"
    assert len(judge_server.bodies) == 2


def test_a_sample_on_which_the_judge_abstained_is_not_asked_again_and_hides_no_other(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    folder = data(tmp_path / "d", ANSWERS[0])
    judge_server.will("refusal")
    one, three = (Settings(folder, judge=judge_server.spec, samples=n) for n in (1, 3))
    judged(home, one)
    judged(home, one)
    assert len(judge_server.bodies) == 1
    for _ in range(2):
        _, rows = judged(home, three)
        assert [row["status"] for row in rows] == ["abstained", "scored", "scored"]
        assert len(judge_server.bodies) == 3
    judged(home, three.but(retry=True))
    assert len(judge_server.bodies) == 4


def test_a_sample_that_failed_is_asked_again_though_a_later_one_abstained(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    judge_server.will("error_500", "error_500", "error_500", "refusal")
    settings = Settings(data(tmp_path / "d", ANSWERS[0]), judge=judge_server.spec, samples=2)
    report, rows = judged(home, settings)
    assert report["n_failed"] == 1
    assert [row["status"] for row in rows] == ["failed", "abstained"]
    _, rows = judged(home, settings)
    assert [(row["sample_no"], row["status"]) for row in rows] == [(0, "scored"), (1, "abstained")]
    assert len(judge_server.bodies) == 5


def test_a_cap_keeps_what_is_done_and_the_next_run_goes_on(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    settings = Settings(data(tmp_path / "d", *ANSWERS), judge=judge_server.spec, max_calls=3)
    first, rows = judged(home, settings)
    assert (first["n_done"], first["n_failed"]) == (3, 1)
    assert first["note"] == (
        "cap reached: the next call could exceed 3 calls; what was asked is kept, and the same command goes on "
        "with what is left"
    )
    assert sorted((row["status"], row["reason"]) for row in rows) == [
        ("failed", "cap reached: the next call could exceed 3 calls"),
        ("scored", None),
        ("scored", None),
        ("scored", None),
    ]
    second, rows = judged(home, settings)
    assert (second["n_pending"], second["n_done"], second["n_failed"]) == (1, 1, 0)
    assert len(judge_server.bodies) == 4


def test_costs_are_counted_at_the_prices_of_the_run(home: Path, tmp_path: Path, judge_server: Any) -> None:
    price = {"prompt_per_million": 1000, "completion_per_million": 10_000, "currency": "EUR"}
    (home / "prices.json").write_text(json.dumps({"judge": price}), "utf-8")
    settings = Settings(data(tmp_path / "d", ANSWERS[0]), judge=judge_server.spec, max_money=100.0)
    check_prices(settings, home)
    with prepared(home, settings) as run:
        judge.run(run)
        (cost,) = run.warehouse.rows("from new_cost")
    assert (cost["model"], cost["n_calls"], cost["currency"]) == ("judge", 1, "EUR")
    assert cost["money"] == pytest.approx(cost["prompt_tokens"] / 1000 + 60 / 100)


def test_what_a_killed_run_paid_is_counted_by_the_next_one(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    settings = Settings(data(tmp_path / "d", *ANSWERS[:2]), judge=judge_server.spec)
    with pytest.raises(KeyboardInterrupt), prepared(home, settings) as killed:
        judge.run(killed)
        raise KeyboardInterrupt
    killed.warehouse.execute("update run set state = 'running'")
    for n_uncounted in (1, 0):
        with prepared(home, settings) as run:
            judge.run(run)
            rows = run.warehouse.rows("from new_cost")
            run.warehouse.execute("insert into mart.cost by name from new_cost")
        assert [(row["run_id"], row["n_calls"]) for row in rows] == [(killed.run_id, 2)][:n_uncounted]


PATIENT = {"profile": "Mrs. Anna Example, born 03/04/1961"}


def audit(warehouse: Warehouse) -> list[tuple[str, str, str]]:
    rows = warehouse.rows("select stage, action, kinds from phi_checks order by all")
    return [(row["stage"], row["action"], row["kinds"]) for row in rows]


def test_nothing_that_names_a_patient_leaves_unless_it_may(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    folder = data(tmp_path / "d", "Mrs. Example should rest.", **PATIENT)
    spec = elsewhere(judge_server)
    with (
        pytest.raises(PhiFound) as refused,
        prepared(home, Settings(folder, judge=spec)),
    ):
        pass
    assert str(refused.value).splitlines() == [
        f"2 texts may name a patient, and {spec} is not on this machine; none of them was sent:",
        "  question q, profile: 1 × date, 1 × name",
        "  answer of s1 to q: 1 × name",
        "choose --phi redact to send placeholders in their place, --phi allow if the data names nobody, "
        "or a model on this machine",
    ]
    assert judge_server.bodies == []
    on_record = warehouse_at(home).rows(
        "select input_key, action, kinds, asked_at from phi_checks order by all"
    )
    assert [tuple(row.values()) for row in on_record] == [
        ("answer of s1 to q", "blocked", '{"name": 1}', None),
        ("question q, profile", "blocked", '{"name": 1, "date": 1}', None),
    ]


def test_a_nugget_that_names_a_patient_is_seen_before_the_first_call(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    folder = data(tmp_path / "d", "Rest.", nuggets=["Rest helps.", "Mrs. Anna Example needs rest."])
    with (
        pytest.raises(PhiFound, match="question q, nugget 2: 1 × name"),
        prepared(home, Settings(folder, judge="none", llm=elsewhere(judge_server))),
    ):
        pass
    assert judge_server.bodies == []


def test_placeholders_leave_and_their_meaning_stays(home: Path, tmp_path: Path, judge_server: Any) -> None:
    judge_server.behaviour.verdict = lambda _: {
        **dict.fromkeys(SUB_METRICS, 80),
        "overall_justification": "[name 1b] is told to rest. It is safe.",
    }
    folder = data(tmp_path / "d", "Mrs. Example should rest.", **PATIENT)
    with prepared(home, Settings(folder, judge=elsewhere(judge_server), phi="redact")) as run:
        judge.run(run)
        assert audit(run.warehouse) == [("judge", "redacted", '{"name": 2, "date": 1}')]
        (row,) = run.warehouse.rows("select justification from new_judgement")
        (call,) = run.warehouse.rows(
            "select item_key <> input_key as is_of_what_left, http_status, phi_checks.status from phi_checks"
            " join model_calls using (request_key, sample_no, attempt)"
        )
        assert tuple(call.values()) == (True, 200, "ok")
    assert row["justification"] == "Example is told to rest. It is safe."
    sent = json.dumps(judge_server.bodies)
    assert ("Example" in sent, "03/04/1961" in sent, "Mrs. [name 1b] should rest." in sent) == (
        False,
        False,
        True,
    )


def test_a_model_on_this_machine_needs_no_guard(home: Path, tmp_path: Path, judge_server: Any) -> None:
    folder = data(tmp_path / "d", "Mrs. Example should rest.", **PATIENT)
    with prepared(home, Settings(folder, judge=judge_server.spec)) as run:
        judge.run(run)
        assert audit(run.warehouse) == []
    assert len(judge_server.bodies) == 1


def test_the_language_model_is_guarded_too(home: Path, tmp_path: Path, judge_server: Any) -> None:
    judge_server.behaviour.verdict = lambda _: {"sentences": []}
    folder = data(tmp_path / "d", "Mrs. Example should rest. Metformin can cause nausea and vomiting.")
    with prepared(home, Settings(folder, judge="none", llm=elsewhere(judge_server), phi="redact")) as run:
        assert ("decompose", "redacted") in [found[:2] for found in audit(run.warehouse)]
    assert "Mrs. Example" not in json.dumps(judge_server.bodies)


def test_of_an_answer_that_could_not_be_taken_apart_no_mark_is_invented(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    folder = data(
        tmp_path / "d", "Metformin can cause nausea and vomiting (PMID: 9742977). I cannot say more."
    )
    nobody = "http://127.0.0.1:9/v1#nobody"
    with prepared(home, Settings(folder, judge=judge_server.spec, llm=nobody)) as run:
        judge.run(run)
        (row,) = run.warehouse.rows("from new_judgement")
        (answer,) = run.warehouse.rows("from new_answer")
    assert judge_server.bodies == []
    assert (row["status"], row["reason"]) == ("failed", "the answer could not be taken apart; see outcomes")
    assert [row[name] for name in (*SUB_METRICS, "evidence_sufficiency_raw", "has_references")] == [None] * 6
    assert (answer["state"], answer["n_claims"], answer["has_references"]) == ("answered", None, None)
