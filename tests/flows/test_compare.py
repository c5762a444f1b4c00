"""`compare` and `agree` as flows: systems on loopback are asked, evaluated, compared; people are held beside."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from medassay.flows.commands.comparison import show_comparison
from medassay.flows.commands.run_output import told
from medassay.sql.snapshot import read_results
from medassay.tasks.comparing.regressions import Regressed
from medassay.tasks.summary import TooManyFailed

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]
GOOD = "Metformin can cause lactic acidosis in rare cases. Diarrhea and nausea are frequent side effects of metformin."


def compare(*given: Any, **chosen: Any) -> dict[str, Any]:
    from medassay.flows.compare import compare as flow

    found: dict[str, Any] = flow(*given, **chosen)
    return found


def agree(*given: Any, **chosen: Any) -> dict[str, Any]:
    from medassay.flows.agree import agree as flow

    found: dict[str, Any] = flow(*given, **chosen)
    return found


QUICK: dict[str, Any] = {"judge": "none", "reader": "none", "offline": True}


@pytest.fixture
def questions(tables: dict[str, Any], write: Callable[..., Path]) -> Path:
    """Return the metformin question six times over, so that there are intervals, without answers."""
    (question,) = tables["questions"]
    return write(
        {
            "questions": [
                {**question, "question_id": f"q{n}", "question": f"{n}: {question['question']}"}
                for n in range(6)
            ]
        }
    )


@pytest.fixture
def systems(judge_server: Any) -> list[str]:
    replies = {
        "m-good": GOOD,
        "m-poor": "Please ask your pharmacist about this medicine and its side effects.",
    }
    judge_server.behaviour.text = lambda body: replies[body["model"]]
    return [f"good={judge_server.base_url},m-good", f"poor={judge_server.base_url},m-poor,cite=yes"]


def test_systems_are_asked_once_then_compared_and_charged_and_a_fall_ends_red(
    questions: Path, systems: list[str], judge_server: Any, home: Path
) -> None:
    price = {"prompt_per_million": 100, "completion_per_million": 200, "currency": "EUR"}
    (home / "prices.json").write_text(json.dumps({"m-good": price}))
    query = (
        "select stage, model, n_calls, completion_tokens, round(money, 6) as money, currency from run_costs"
        " where run_id = ? order by model"
    )
    first = compare(str(questions), systems=systems, baseline="last", home=str(home), **QUICK)
    coverage = next(row for row in first["comparisons"] if row["metric"] == "nugget_coverage")
    assert [row["n_answered"] for row in first["asked"]] == [6, 6]
    assert (first["dataset"], first["baseline"], coverage["n_questions"]) == ("metformin", None, 6)
    told = (coverage["system_a"], coverage["system_b"], coverage["wins"], coverage["losses"])
    assert told == ("good", "poor", 6, 0)
    assert len(judge_server.bodies) == 12
    costs = [tuple(row.values()) for row in read_results(home, query, [first["run_id"]])]
    # 84 tokens are sent and 60 come back, six times.
    assert costs == [("answer", "m-good", 6, 360, 0.1224, "EUR"), ("answer", "m-poor", 6, 360, None, None)]
    assert read_results(home, "from other_costs") == []
    assert "m-good" in Path(first["report"]).read_text("utf-8")

    again = compare(str(questions), systems=systems, baseline="last", home=str(home), **QUICK)
    assert (again["baseline"], len(judge_server.bodies)) == (first["run_id"], 12)
    assert [row["n_reused"] for row in again["asked"]] == [6, 6]
    assert read_results(home, query, [again["run_id"]]) == []
    assert [tuple(row.values()) for row in read_results(home, query, [first["run_id"]])] == costs

    judge_server.behaviour.text = lambda body: "Please ask your pharmacist about this medicine."
    with pytest.raises(Regressed) as red:
        compare(str(questions), systems=systems, max_age=0.0, baseline="last", home=str(home), **QUICK)
    assert "good: nugget_coverage fell by" in str(red.value)
    assert len(judge_server.bodies) == 24


def test_questions_that_nobody_could_be_asked_are_charged_and_end_red_after_the_run(
    questions: Path, systems: list[str], judge_server: Any, home: Path
) -> None:
    judge_server.will(*["error_400"] * 3)
    with pytest.raises(
        TooManyFailed,
        match="^3 of 12 questions have no answer and 2.0% was allowed, first: the server refused",
    ) as red:
        compare(str(questions), systems=systems, home=str(home), **QUICK)
    assert red.value.summary and sum(row["n_failed"] for row in red.value.summary["asked"]) == 3
    (states,) = read_results(
        home, "select count(*) filter (state = 'failed') as failed, count(*) as n from answers"
    )
    assert states == {"failed": 3, "n": 12}
    calls = "select sum(n_calls)::int as n, sum(n_failed_calls)::int as failed from run_costs where stage = 'answer'"
    assert read_results(home, calls) == [{"n": 12, "failed": 3}]


def test_a_run_of_which_too_much_failed_is_compared_and_told_before_it_ends_red(
    questions: Path, systems: list[str], judge_server: Any, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = {**QUICK, "judge": judge_server.spec}
    judge_server.will(*["ok"] * 12, *["error_400"] * 60)
    show = partial(show_comparison, baseline=None)
    with pytest.raises(TooManyFailed, match="100.0% of the stage `judge` failed") as red:
        told(lambda: compare(str(questions), systems=systems, home=str(home), **judged), False, show)
    printed = capsys.readouterr().out
    assert "metformin: 12 answers to 6 questions" in printed and "nugget coverage │ good – poor" in printed
    assert "unlicensed judge: whether" in printed
    assert red.value.summary and f"(run {red.value.summary['run_id']})" in printed


def test_the_judge_marks_a_frozen_run_again(
    questions: Path, systems: list[str], judge_server: Any, home: Path
) -> None:
    system_text = judge_server.behaviour.text
    marks = dict.fromkeys(("medical_correctness", "evidence_sufficiency", "response_alignment", "safety"), 80)
    judge_server.behaviour.verdict = lambda body: {**marks, "overall_justification": "Read. It follows."}

    def answer_or_mark(body: dict[str, Any]) -> str:
        return (
            system_text(body)
            if body["model"].startswith("m-")
            else json.dumps(judge_server.behaviour.verdict(body))
        )

    judge_server.behaviour.text = answer_or_mark
    judged = {**QUICK, "judge": judge_server.spec}
    frozen = compare(str(questions), systems=systems, run_name="frozen", home=str(home), **judged)
    marks["safety"] = 60
    later = compare(
        str(questions), systems=systems, anchor="frozen", anchor_answers=8, home=str(home), **judged
    )
    found = {
        row["sub_metric"]: (row["n_answers"], row["difference"], row["drifted"]) for row in later["drift"]
    }
    assert found["safety"][1:] == (-20.0, True)
    assert found["medical_correctness"][1:] == (0.0, False)
    assert found["safety"][0] == 8
    assert "The judge has drifted: on 8 frozen answers" in Path(later["report"]).read_text("utf-8")
    paid = read_results(
        home, "select n_calls from run_costs where run_id = ? and stage = 'drift'", [later["run_id"]]
    )
    assert paid == [{"n_calls": 8}]
    rows = read_results(home, "select distinct run_id, anchor_run_id from judge_drift")
    assert rows == [{"run_id": later["run_id"], "anchor_run_id": frozen["run_id"]}]


def test_people_beside_the_numbers(tables: dict[str, Any], write: Callable[..., Path], home: Path) -> None:
    (question,) = tables["questions"]
    names = [f"q{n}" for n in range(6)]
    answers = {
        "full": GOOD,
        "half": "Metformin can cause lactic acidosis in rare cases.",
        "none": "Ask your doctor.",
    }
    data = write(
        {
            "questions": [
                {**question, "question_id": name, "question": f"{name}: {question['question']}"}
                for name in names
            ],
            "answers": [
                {"question_id": q, "system": s, "answer": text} for q in names for s, text in answers.items()
            ],
            "human_scores": [
                {
                    "question_id": q,
                    "system": s,
                    "annotator": a,
                    "metric": "answer_accurate",
                    "score": score,
                    "role": "test",
                }
                for q in names
                for s, score in {"full": 3, "half": 2, "none": 1}.items()
                for a in ("ann", "bo")
            ],
            "rationales": [
                {"question_id": q, "system": "half", "author": author, "rationale": text}
                for q in names
                for author, text in {
                    "ann": "It names one of two risks.",
                    "bo": "One of two risks is named.",
                }.items()
            ],
        }
    )
    found = agree(str(data), home=str(home), reference="ann", **QUICK)["agreement"]
    likeness = [
        (row["metric"], row["measure"], row["n"], row["reason"])
        for row in found
        if row["human_metric"] == "rationale"
    ]
    said = "against ann, by all-MiniLM-L6-v2; every question has the same value"
    assert likeness == [("bo", f"BERTScore {what}", 6, said) for what in ("F1", "precision", "recall")]
    kendall = {
        (row["level"], row["measure"]): row["value"]
        for row in found
        if row["metric"] == "nugget_coverage" and row["human_metric"] == "answer_accurate"
    }
    assert kendall["answer", "kendall"] == pytest.approx(1.0)
    assert kendall["system", "kendall"] == pytest.approx(1.0)
    assert kendall["pair", "accuracy_2tuple"] == 1.0
    among = {row["measure"]: row["value"] for row in found if row["metric"] == "humans"}
    assert among["ICC(2,1)"] == pytest.approx(1.0)
