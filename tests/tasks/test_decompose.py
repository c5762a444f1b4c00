"""Answers taken apart by a language model on loopback: atomic facts tied to their words."""

import json
from pathlib import Path
from typing import Any

from medassay.models.settings import Settings
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.decompose import MADE_OF_CLAIMS, decompose

ANSWER = "Metformin lowers glucose and can cause nausea. Thank you for asking!"


def answered(run: RunRef, text: str) -> None:
    warehouse = run.warehouse
    warehouse.insert("text", [{"text_key": "t", "text": text}])
    warehouse.insert("question", [{"question_key": "q", "question": "What does metformin do?"}])
    warehouse.insert("run_question", [{"run_id": run.run_id, "question_id": "q", "question_key": "q"}])
    lists = dict.fromkeys(("reference_list", "cited_spans", "documents"), "[]")
    warehouse.insert(
        "answer", [{"answer_key": "a", "question": "What does metformin do?", "text_key": "t", **lists}]
    )
    warehouse.insert(
        "run_answer", [{"run_id": run.run_id, "question_id": "q", "system": "s", "answer_key": "a"}]
    )


def facts(body: dict[str, Any]) -> str:
    """Reply as a model does that reads two facts in the first sentence."""
    sentences = json.loads(body["messages"][1]["content"])
    assert [sentence["id"] for sentence in sentences] == [1]
    found = [
        {"fact": "Metformin lowers glucose.", "quote": "Metformin lowers glucose"},
        {"fact": "Metformin can cause nausea.", "quote": "can cause nausea"},
    ]
    return json.dumps({"sentences": [{"id": 1, "facts": found}]})


def claims(run: RunRef) -> list[tuple[str, str]]:
    rows = run.warehouse.rows("from current_claim order by position")
    return [(row["kind"], row["text"]) for row in rows]


def test_facts_of_the_model_take_the_place_of_the_sentence(home: Path, judge_server: Any) -> None:
    judge_server.behaviour.text = facts
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, ANSWER)
        report = decompose.run(run)
        assert claims(run) == [
            ("claim", "Metformin lowers glucose."),
            ("claim", "Metformin can cause nausea."),
            ("non_claim", "Thank you for asking!"),
        ]
        assert run.warehouse.value("select count(*) from model_call") == 1
    assert (report["n_done"], report["n_failed"]) == (1, 0)


def test_a_quote_that_is_not_there_leaves_the_rule_split(home: Path, judge_server: Any) -> None:
    judge_server.behaviour.text = lambda body: json.dumps(
        {"sentences": [{"id": 1, "facts": [{"fact": "Insulin helps.", "quote": "insulin"}]}]}
    )
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, ANSWER)
        decompose.run(run)
        assert claims(run)[0] == ("claim", "Metformin lowers glucose and can cause nausea.")


def split_reasons(run: RunRef) -> list[str | None]:
    return [row["split_reason"] for row in run.warehouse.rows("from current_claim order by position")]


def test_a_claim_that_the_model_gave_no_usable_fact_for_says_why_it_stands(
    home: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = lambda body: json.dumps(
        {"sentences": [{"id": 1, "facts": [{"fact": "It lowers glucose.", "quote": "lowers glucose"}]}]}
    )
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, "Metformin lowers glucose. It can cause nausea.")
        report = decompose.run(run)
        assert split_reasons(run) == [None, "the reply left the sentence out"]
    assert report["n_abstained"] == 0


def test_a_reply_that_reads_no_sentence_is_asked_for_once_more_and_then_an_abstention(
    home: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = lambda body: json.dumps({"sentences": []})
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, ANSWER)
        assert decompose.run(run)["n_abstained"] == 1
        assert run.warehouse.value("select count(*) from model_call") == 2
        (reason, _) = split_reasons(run)
    assert reason is not None and "the reply left the sentence out" in reason


def test_an_answer_that_the_model_says_nothing_usable_of_keeps_the_rules_claims_as_an_abstention(
    home: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = lambda body: "I would rather not."
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, ANSWER)
        report = decompose.run(run)
        assert claims(run)[0] == ("claim", "Metformin lowers glucose and can cause nausea.")
        (told,) = run.warehouse.rows("from outcome")
        assert (told["state"], told["item_key"]) == ("abstained", "a")
        assert split_reasons(run) == [told["reason"], None]
        assert run.warehouse.value("select count(*) from answer_undone where part = 'claims'") == 0
    assert (report["n_done"], report["n_abstained"]) == (1, 1)


def test_a_retry_asks_again_for_what_stands_as_the_rules_cut_it(home: Path, judge_server: Any) -> None:
    def run_once(*, retry: bool = False) -> tuple[int, int, list[str]]:
        with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m", retry=retry)) as run:
            answered(run, ANSWER)
            report = decompose.plainly(run)
            assert report is not None
            told = run.warehouse.rows("from outcome where run_id = ?", [run.run_id])
            left = run.warehouse.rows("from decompose_again")
            assert left == []
            return report["n_pending"], len(told), [text for _, text in claims(run)][:-1]

    whole = ["Metformin lowers glucose and can cause nausea."]
    judge_server.behaviour.text = lambda body: "I would rather not."
    assert run_once() == (1, 1, whole)
    assert run_once() == (0, 1, whole)
    assert run_once(retry=True) == (1, 1, whole)
    judge_server.behaviour.text = facts
    assert run_once() == (0, 1, whole)
    assert run_once(retry=True) == (1, 0, ["Metformin lowers glucose.", "Metformin can cause nausea."])
    assert run_once() == (0, 0, ["Metformin lowers glucose.", "Metformin can cause nausea."])
    assert run_once(retry=True) == (0, 0, ["Metformin lowers glucose.", "Metformin can cause nausea."])


def test_with_an_answer_all_goes_that_was_made_of_its_claims(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        keyed = run.warehouse.rows(
            "select table_name from duckdb_columns() join duckdb_tables() using (schema_name, table_name)"
            " where schema_name = 'main' group by table_name"
            " having list_contains(list(column_name), 'answer_key') and list_contains(list(column_name), 'fingerprint')"
        )
    # Criteria are judged on the answer as a whole.
    assert {row["table_name"] for row in keyed} - {"criterion_verdict"} == set(MADE_OF_CLAIMS)


def test_a_server_that_is_down_fails_the_answer_and_is_asked_again(home: Path, judge_server: Any) -> None:
    judge_server.behaviour.queue = ["error_500"] * 9
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, ANSWER)
        assert decompose.run(run)["n_failed"] == 1
        judge_server.behaviour.queue = []
        judge_server.behaviour.text = facts
        assert decompose.run(run)["n_failed"] == 0
        assert len(claims(run)) == 3


def test_without_a_model_nothing_is_asked(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        answered(run, ANSWER)
        decompose.run(run)
        assert run.warehouse.value("select count(*) from model_call") == 0
        assert [kind for kind, _ in claims(run)] == ["claim", "non_claim"]
