"""Answers taken apart by a language model on loopback: atomic facts tied to their words."""

import json
from pathlib import Path
from typing import Any

from medassay.models.settings import Settings
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.decompose import decompose, made_of_claims
from tests.rows import give_answer

ANSWER = "Metformin lowers glucose and can cause nausea. Thank you for asking!"


def answered(run: RunRef, text: str) -> None:
    give_answer(run.warehouse, run.run_id, text, question="What does metformin do?")


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
            report = IN_PROCESS.run_stage(decompose, run)
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
        assert made_of_claims(run.warehouse) == [
            "answer_sentence", "citation", "cited_source", "claim", "claim_match", "decomposition", "guidance_match",
            "match_made", "nugget_assignment", "nugget_match", "sentence_label", "shortlist", "shortlist_pair",
        ]  # fmt: skip


def test_a_server_that_is_down_fails_the_answer_and_is_asked_again(home: Path, judge_server: Any) -> None:
    judge_server.behaviour.queue = ["error_500"] * 9
    with started_run(home, Settings("d", llm=f"{judge_server.base_url}#m")) as run:
        answered(run, ANSWER)
        assert decompose.run(run)["n_failed"] == 1
        judge_server.behaviour.queue = []
        judge_server.behaviour.text = facts
        assert decompose.run(run)["n_failed"] == 0
        assert len(claims(run)) == 3
