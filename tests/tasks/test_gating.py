"""A run of the warehouse as a gate sees it: rows in, record out."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from medassay.models.gate.config import config_of
from medassay.models.usage import UsageError
from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import Warehouse
from medassay.tasks.gating import gate_home, gate_run, means_of, measured_run
from tests.rows import citation_row, claim_row, freeze_scores, run_row

SETTINGS = {
    "data": "d",
    "profile": "seed",
    "judge": "none",
    "primary": ["nugget_coverage"],
    "threshold": 0.75,
}


def give_run(
    warehouse: Warehouse, run_id: str, coverage: list[float | None], *, turned: bool = False
) -> None:
    """Freeze a run of one system; where `turned`, the first answer contradicts its nugget and cites a retraction."""
    warehouse.append("run", [run_row(run_id, settings=json.dumps(SETTINGS), metrics_version="f1")])
    warehouse.append(
        "run_stage", [{"run_id": run_id, "stage": "match", "fingerprint": "m1", "began_at": "2026-01-01"}]
    )
    freeze_scores(
        warehouse,
        {"nugget_coverage": {"s": coverage}},
        run_id,
        category=["eyes" if n % 2 else "lungs" for n in range(len(coverage))],
    )
    warehouse.append(
        "run_answer",
        [
            {
                "run_id": run_id,
                "question_id": f"q{n}",
                "system": "s",
                "answer_key": f"a{n}",
                "file": "gone.jsonl",
                "line": n,
            }
            for n in range(len(coverage))
        ],
    )
    if turned:
        warehouse.insert("text", [{"text_key": "t", "text": "Take 750 mg."}])
        own = {"run_id": run_id, "question_id": "q0", "nugget_id": "n1"}
        warehouse.append(
            "mart.nugget", [{**own, "text_key": "t", "importance": "vital", "position": 0, "origin": "given"}]
        )
        warehouse.append(
            "mart.nugget_state",
            [
                {
                    **own,
                    "system": "s",
                    "state": "contradicted",
                    "conflict": False,
                    "ambiguous": False,
                    "contrasts": "[]",
                    "decided_by": "signals",
                    "claim_ids": ["c1"],
                    "reason": "another dose",
                }
            ],
        )
        warehouse.append("mart.claim", [claim_row("q0", "s", run_id)])
        warehouse.append(
            "mart.citation",
            [citation_row("q0", "s", run_id, state="supports", source_id="pmid:1", retracted="yes")],
        )
    warehouse.execute(
        "insert into mart.system_score by name select run_id, system, profile, metric, avg(value) as value, null as low,"
        " null as high, null as micro, count(*) as n_asked, count(*) as n_answered, 0 as n_refused, count(value) as"
        " n_scored, 0 as n_abstained, 0 as n_failed, count(*) - count(value) as n_not_applicable, count(value) as n_units"
        f" from mart.score where run_id = '{run_id}' group by all"
    )


@pytest.fixture
def read(home: Path, warehouse: Warehouse) -> Any:
    give_run(warehouse, "r1", [0.8] * 8)
    give_run(warehouse, "r2", [0.2, *[0.8] * 6, None], turned=True)
    publish(warehouse, home, "r2")
    return partial(read_results, home)


def test_a_run_is_read_with_its_faults_and_what_it_was_made_with(read: Any) -> None:
    run = measured_run(read, "r2")
    first, *_, last = run.answers
    assert (run.primary, run.made_with.stages, run.made_with.formulas) == (
        ("nugget_coverage",),
        {"match": "m1"},
        "f1",
    )
    assert run.made_with.options == {"profile": "seed", "judge": "none", "threshold": 0.75}
    assert [(n.nugget, n.importance, [c.claim for c in n.claims]) for n in first.contradicted] == [
        ("Take 750 mg.", "vital", ["Take 750 mg."])
    ]
    assert [(c.citation, c.source_id, c.retracted) for c in first.citations] == [("[1]", "pmid:1", "yes")]
    assert (last.question_id, last.category, last.scores["nugget_coverage"].reason) == (
        "q7",
        "eyes",
        "nothing to score",
    )


def test_means_are_those_that_are_published_and_those_of_each_category(read: Any) -> None:
    means = means_of(read, measured_run(read, "r2"), ["nugget_coverage"])
    assert [(m.category, round(m.value or 0, 3), m.n, m.n_null) for m in means] == [
        (None, 0.714, 7, 1),
        ("eyes", 0.8, 3, 1),
        ("lungs", 0.65, 4, 0),
    ]


def test_a_baseline_is_written_from_one_run_and_another_is_held_against_it(
    home: Path, read: Any, tmp_path: Path
) -> None:
    config = config_of(
        {"fail_on": ["newly_contradicted", "citation_retracted"], "baseline": {"file": "base.json"}}
    )
    named = str(tmp_path / "medassay.toml")
    assert gate_run(read, "r1", config, named, writes_baseline=True).passed
    record = gate_home(home, "r2", config, named)
    assert json.loads((home / "gate.json").read_text())["verdict"] == "failed"
    assert [(f.rule, f.claim) for one in record.answers for f in one.findings] == [
        ("newly_contradicted", "Take 750 mg."),
        ("citation_retracted", "Take 750 mg."),
    ]
    assert [(c.outcome, c.n, round(c.value or 0, 3)) for c in record.checks if c.kind == "baseline"] == [
        ("insufficient_evidence", 7, -0.086)
    ]
    # The file that the answers were read from is not there any more.
    assert {one.file for one in record.answers} == {None}


def test_a_baseline_that_is_written_needs_a_name(read: Any) -> None:
    with pytest.raises(UsageError, match="--write-baseline: name the file with --baseline FILE"):
        gate_run(read, "r1", config_of({}), "medassay.toml", writes_baseline=True)
