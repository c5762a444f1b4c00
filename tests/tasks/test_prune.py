"""Runs in → runs out: what is dropped, what is reached and stays, and that a kill on the way does no harm."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from medassay.models.usage import UsageError
from medassay.sql import retention
from medassay.sql.retention import WHOLE, rule_for, tables_of
from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import Warehouse, warehouse_at
from medassay.tasks.prune import kept_runs, prune

NOW = "2026-01-01"


def add_run(
    warehouse: Warehouse, run_id: str, answers: dict[str, str], state: str = "finished", dataset: str = "d"
) -> None:
    """A run of answers (question → text) that were taken apart, embedded, read and judged under its own pins."""
    stored: dict[str, list[dict[str, Any]]] = {
        "run": [
            {
                "run_id": run_id, "dataset": dataset, "data": dataset, "state": state, "profile": "seed",
                "settings": "{}", "version": "0", "started_at": f"2026-01-{int(run_id[1:]):02}",
            }
        ],
        "fingerprint": [{"fingerprint": "f", "stage": "decompose", "spec": "{}"}],
        "run_stage": [{"run_id": run_id, "stage": "decompose", "fingerprint": "f"}],
    }  # fmt: skip

    def add(table: str, **row: Any) -> None:
        stored.setdefault(table, []).append(row)

    for question, text in answers.items():
        key, claim, passage = f"a-{text}", f"claim of {text}", f"passage for {text}"
        for words in (text, claim, passage):
            add("text", text_key=words, text=words)
        add("question", question_key=question, question=question)
        add(
            "answer", answer_key=key, question=question, text_key=text, reference_list="[]", cited_spans="[]",
            documents="[]",
        )  # fmt: skip
        add("run_question", run_id=run_id, question_id=question, question_key=question)
        add("run_answer", run_id=run_id, question_id=question, system="s", answer_key=key)
        add(
            "claim", answer_key=key, fingerprint="f", position=0, text_key=claim, span_start=0, span_end=1,
            kind="claim", needs_citation=True,
        )  # fmt: skip
        for origin in ("document", "pubmed"):
            source = f"{origin}:{text}"
            add("source", source_id=source, fetch_no=0, origin=origin, content_digest="", publication_types="[]",
                retracted="no", concern="no", erratum="no", body_digest=f"body of {source}", fetched_at=NOW)  # fmt: skip
            add("source_body", content_digest=f"body of {source}", url="", body=b"", fetched_at=NOW)
            add("passage", source_id=source, fetch_no=0, position=0, text_key=passage)
            add("run_source", run_id=run_id, source_id=source, fetch_no=0, state="found")
        add("embedding", text_key=claim, fingerprint="f", vector=[1.0])
        add("pair_score", premise_key=passage, hypothesis_key=claim, fingerprint="f", entailment=1.0, neutral=0.0,
            contradiction=0.0, n_windows=1, coverage=1.0)  # fmt: skip
        add("judge_input", input_key=key, input="{}", has_references=False, guidance_given=False)
        add("run_judge_input", run_id=run_id, question_id=question, system="s", input_key=key)
        add("judgement", input_key=key, fingerprint="f", sample_no=0, safety=1)
        add("incomplete_judgement", input_key=key, fingerprint="f", sample_no=1, safety=1, reason="cut")
        add("mart.answer", run_id=run_id, question_id=question, system="s", state="answered", text_key=text, n_claims=1,
            n_non_claims=0, n_characters=1, n_characters_covered=1, has_references=False)  # fmt: skip
        add(
            "outcome", run_id=run_id, stage="judge", item_key=f"abstained on {text}", fingerprint="f",
            state="abstained", reason="no",
        )  # fmt: skip
        add(
            "outcome", run_id=run_id, stage="judge", item_key=f"failed on {text}", fingerprint="f",
            state="failed", reason="no",
        )  # fmt: skip
    add("model_call", request_key=f"call of {run_id}", sample_no=0, attempt=1, endpoint="", model_asked="", prompt_digest="",
        status="ok", asked_at=NOW, run_id=run_id)  # fmt: skip
    for table, rows in stored.items():
        (warehouse.append if table == "model_call" or table.startswith("mart.") else warehouse.insert)(
            table, rows
        )


def column(home: Path, query: str) -> list[Any]:
    return [next(iter(row.values())) for row in warehouse_at(home).rows(query)]


def three_runs(warehouse: Warehouse) -> None:
    add_run(warehouse, "r1", {"q1": "old", "q2": "same"})
    add_run(warehouse, "r2", {"q1": "newer", "q2": "same"})
    add_run(warehouse, "r3", {"q2": "same"})


def test_what_no_run_reaches_goes_and_what_the_world_told_stays(home: Path, warehouse: Warehouse) -> None:
    three_runs(warehouse)
    # Joint readings stay with the model that read them, else a kept run would be read again: a claim with nothing to
    # read has only its mark, others only their parts.
    for evidence, fingerprint in (("nothing to read", "f"), ("parts", "f"), ("of another model", "gone")):
        warehouse.insert("joint_claim", [{"evidence_key": evidence, "fingerprint": fingerprint}])
    for fingerprint in ("f", "gone"):
        part = {"role": "part", "source_id": "pubmed:1", "hypothesis_key": "a part", "entails": True}
        warehouse.insert("joint_reading", [{"evidence_key": "parts", "fingerprint": fingerprint, **part}])
    done = prune(home, 2)
    assert (done.kept, done.dropped) == (("r2", "r3"), ("r1",))
    tables = {
        "run": "run_id", "run_answer": "run_id || ' ' || answer_key", "answer": "answer_key", "claim": "text_key",
        "judgement": "input_key", "incomplete_judgement": "input_key", "mart.answer": "run_id || ' ' || text_key", "embedding": "text_key",
        "pair_score": "hypothesis_key", "source": "source_id", "source_body": "content_digest", "question": "question_key",
    }  # fmt: skip
    found = {table: column(home, f"select {key} from {table} order by all") for table, key in tables.items()}
    assert found == {
        "run": ["r2", "r3"],
        "run_answer": ["r2 a-newer", "r2 a-same", "r3 a-same"],
        "answer": ["a-newer", "a-same"],
        "claim": ["claim of newer", "claim of same"],
        "judgement": ["a-newer", "a-same"],
        "incomplete_judgement": ["a-newer", "a-same"],
        "mart.answer": ["r2 newer", "r2 same", "r3 same"],
        "embedding": ["claim of newer", "claim of same"],
        "pair_score": ["claim of newer", "claim of same"],
        "source": ["document:newer", "document:same", "pubmed:newer", "pubmed:old", "pubmed:same"],
        "source_body": [f"body of {name}" for name in ("document:newer", "document:same", "pubmed:newer", "pubmed:old", "pubmed:same")],
        "question": ["q1", "q2"],
    }  # fmt: skip
    assert column(home, "select text from text order by all") == [
        "claim of newer", "claim of same", "newer", "passage for newer", "passage for old", "passage for same", "same",
    ]  # fmt: skip
    assert done.rows["answer"] == (3, 2)
    assert column(home, "select evidence_key from joint_claim order by all") == ["nothing to read", "parts"]
    assert column(home, "select fingerprint from joint_reading") == ["f"]


def test_what_a_dropped_run_had_set_aside_is_not_asked_again(home: Path, warehouse: Warehouse) -> None:
    three_runs(warehouse)
    told = "select item_key, state from set_aside order by all"
    warehouse.focus("r3")
    before = warehouse.rows(told)
    prune(home, 1)
    after = warehouse_at(home)
    after.focus("r3")
    assert after.rows(told) == before == [
        {"item_key": "abstained on newer", "state": "abstained"},
        {"item_key": "abstained on old", "state": "abstained"},
        {"item_key": "abstained on same", "state": "abstained"},
    ]  # fmt: skip
    assert column(home, "select item_key from outcome order by all") == [
        "abstained on same",
        "failed on same",
    ]


def test_raw_replies_and_bodies_go_when_they_are_named(home: Path, warehouse: Warehouse) -> None:
    three_runs(warehouse)
    add_run(warehouse, "r4", {"q3": "begun"}, state="failed")
    prune(home, 1)
    calls = "select request_key from model_call order by all"
    assert column(home, calls) == ["call of r1", "call of r2", "call of r3", "call of r4"]
    prune(home, 1, raw=True)
    assert (column(home, calls), column(home, "select * from source_body")) == (["call of r4"], [])
    assert column(home, "select source_id from source where origin = 'pubmed' order by all") == [
        "pubmed:begun", "pubmed:newer", "pubmed:old", "pubmed:same",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        (1, ["r1", "r3", "r6", "r7"]),
        (2, ["r1", "r3", "r4", "r6", "r7"]),
        (9, ["r1", "r2", "r3", "r4", "r6", "r7"]),
    ],
)
def test_which_runs_stay(warehouse: Warehouse, keep: int, kept: list[str]) -> None:
    """Of another data set the last one; of those that did not end, what has no successor."""
    add_run(warehouse, "r1", {}, dataset="other")
    add_run(warehouse, "r2", {})
    add_run(warehouse, "r3", {}, dataset="third")
    add_run(warehouse, "r4", {})
    add_run(warehouse, "r5", {}, state="abandoned")
    add_run(warehouse, "r6", {})
    add_run(warehouse, "r7", {}, state="failed")
    assert kept_runs(warehouse, keep) == kept


def test_nothing_would_stay(warehouse: Warehouse) -> None:
    with pytest.raises(UsageError, match="keep is 0: choose 1 or more"):
        kept_runs(warehouse, 0)


def test_the_history_is_published_anew_and_earlier_snapshots_stay(home: Path, warehouse: Warehouse) -> None:
    for run_id in ("r1", "r2", "r3"):
        add_run(warehouse, run_id, {"q": run_id})
        publish(warehouse, home, run_id)
    (home / "reports").mkdir()
    for run_id in ("r1", "r3"):
        (home / "reports" / f"{run_id}.html").touch()
    identity = warehouse.warehouse_id
    prune(home, 2)
    assert read_results(home, "select run_id, answer from answers order by all") == [
        {"run_id": "r2", "answer": "r2"},
        {"run_id": "r3", "answer": "r3"},
    ]
    assert sorted(path.name for path in (home / "snapshots").iterdir()) == [
        "r1.duckdb",
        "r2.duckdb",
        "r3.duckdb",
    ]
    assert [path.name for path in (home / "reports").iterdir()] == ["r3.html"]
    assert warehouse_at(home).warehouse_id == identity
    assert sorted(path.name for path in home.iterdir() if path.name.startswith(".")) == []


def test_killed_on_the_way_the_home_is_as_it_was(home: Path, warehouse: Warehouse) -> None:
    three_runs(warehouse)
    publish(warehouse, home, "r3")
    for moment in ("_copy", "close_warehouse"):
        retention.close_warehouse(home)
        code = (
            "import os, sys\nfrom pathlib import Path\nfrom medassay.sql import retention\nfrom medassay.tasks.prune import prune\n"
            f"setattr(retention, {moment!r}, lambda *a, **k: os._exit(9))\nprune(Path(sys.argv[1]), 1)"
        )
        ended = subprocess.run([sys.executable, "-c", code, str(home)], check=False, env=os.environ)
        assert ended.returncode == 9, moment
        assert column(home, "select run_id from run order by all") == ["r1", "r2", "r3"]
        assert read_results(home, "select run_id from runs order by all") == [
            {"run_id": name} for name in ("r1", "r2", "r3")
        ]
    assert prune(home, 1).dropped == ("r1", "r2")
    assert column(home, "select answer_key from answer") == ["a-same"]


def test_every_table_belongs_to_something(warehouse: Warehouse) -> None:
    """A new table says by its columns what it belongs to, or is declared."""
    tables = tables_of(warehouse)
    rules = {
        name: rule_for(name, columns)
        for name, columns in tables.items()
        if name not in retention.MADE_BY_OPENING
    }
    assert {name for name, rule in rules.items() if not rule} == {*WHOLE, "model_call"}
    assert rules["mart.score"] == "semi join kept_run using (run_id)"
    assert rules["guidance_match"] == "semi join kept_answer using (answer_key, fingerprint)"
    with pytest.raises(LookupError, match="stray: add it to WHOLE"):
        rule_for("stray", {"name"})
