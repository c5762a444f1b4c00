"""Homes with published results, made of few words: who answered what, and which nuggets that contradicts."""

from pathlib import Path
from typing import Any

from medassay.sql.snapshot import publish
from medassay.sql.warehouse import close_warehouse, warehouse_at
from tests.rows import answer_row, citation_row, claim_row, run_row

States = dict[tuple[str, str], list[str]]


def publish_runs(home: Path, runs: dict[str, States], **names: dict[str, Any]) -> None:
    """Write runs a day after another, a list of nugget states for each (question, system), and publish the last.

    A state of a nugget is its claim's state too; each claim has a citation that supports it. `names` are further
    columns of a run's row, by its id.
    """
    warehouse = warehouse_at(home)
    stored: dict[str, list[dict[str, Any]]] = {}

    def add(table: str, **row: Any) -> None:
        stored.setdefault(table, []).append(row)

    texts: dict[str, str] = {}
    for day, (run_id, states) in enumerate(runs.items(), 1):
        started = f"2026-01-{day:02}"
        add(
            "run",
            **run_row(run_id, **{"started_at": started, "finished_at": started, **names.get(run_id, {})}),
        )
        means: dict[str, list[list[str]]] = {}
        for question_id in dict.fromkeys(question for question, _ in states):
            add("mart.question", run_id=run_id, question_id=question_id, question=f"Why {question_id}?",
                category="heart" if question_id == "q1" else "lung", n_nuggets=2, nugget_origin="given")  # fmt: skip
            for place in range(
                max(len(of) for (question, _), of in states.items() if question == question_id)
            ):
                texts[f"nugget {place} of {question_id}"] = f"Fact {place} of {question_id}."
                add("mart.nugget", run_id=run_id, question_id=question_id, nugget_id=f"n{place + 1}", position=place,
                    text_key=f"nugget {place} of {question_id}", importance="vital", origin="given")  # fmt: skip
        for (question_id, system), of in states.items():
            key = {"run_id": run_id, "question_id": question_id, "system": system}
            words = f"{system} on {question_id}: {', '.join(of)}"
            texts[words] = words
            add("run_answer", **key, answer_key=words)
            add("mart.answer", **answer_row(**key, text_key=words, n_claims=len(of)))
            for place, state in enumerate(of):
                said = f"{system} says {state} of {place}"
                texts[said] = f"{said}."
                add("mart.claim", **claim_row(**key, claim_id=f"c{place + 1}", position=place, text_key=said,
                    state={"covered": "correct", "contradicted": "contradicts"}.get(state, "unmatched")))  # fmt: skip
                add("mart.citation", **citation_row(**key, claim_id=f"c{place + 1}", state="supports"))
                add("mart.nugget_state", **key, nugget_id=f"n{place + 1}", state=state, conflict=False,
                    claim_ids=[f"c{place + 1}"], ambiguous=False, contrasts="[]", score=0.9)  # fmt: skip
            add("mart.guidance_state", **key, statement_id="g1", kind="dont", words="play it down", text_key=words,
                state="missing", claim_ids=[], reason="not said")  # fmt: skip
            add("mart.judgement", **key, judge="evidence", sample_no=0, status="scored", medical_correctness=50,
                has_references=False, guidance_given=True, decided_by=["c1", "n1", "g1", "c1"])  # fmt: skip
            for metric, wanted in (("nugget_coverage", "covered"), ("contradiction_rate", "contradicted")):
                add("mart.score", **key, profile="any", metric=metric, value=of.count(wanted) / len(of))
            means.setdefault(system, []).append(of)
        counts = dict.fromkeys(
            ("n_asked", "n_answered", "n_refused", "n_scored", "n_abstained", "n_failed"), 1
        )
        for system, answers in means.items():
            for metric, wanted in (("nugget_coverage", "covered"), ("contradiction_rate", "contradicted")):
                add("mart.system_score", run_id=run_id, system=system, profile="any", metric=metric, n_not_applicable=0,
                    value=sum(of.count(wanted) / len(of) for of in answers) / len(answers), **counts)  # fmt: skip
    add_texts = [{"text_key": key, "text": text} for key, text in texts.items()]
    for table, rows in {**stored, "text": add_texts}.items():
        (warehouse.append if table.startswith("mart.") else warehouse.insert)(table, rows)
    publish(warehouse, home, run_id)
    close_warehouse(home)
