"""Retrieved contexts in a run: what they say of claims and nuggets, and whose fault it is where something is missing."""

from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.sql.warehouse import Row
from medassay.tasks.aggregate import aggregate
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.run import RunRef
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.entail import entail
from tests.rows import write_rows
from tests.runs import read_in

CLAIMS = ("Aspirin prevents stroke.", "Aspirin is a vegetable.", "Aspirin is cheap.")
CONTEXTS = ["Trials found that aspirin prevents stroke.", "Aspirin is no vegetable; it harms the stomach."]
NUGGETS = ["Aspirin prevents stroke.", "Aspirin harms the stomach.", "Aspirin harms the kidney."]
SUPPORTED = {
    (CONTEXTS[0], CLAIMS[0]), (CONTEXTS[0], NUGGETS[0]), (CONTEXTS[1], NUGGETS[1]),
}  # fmt: skip
METRICS = ("context_contradiction_rate", "context_precision", "context_recall", "faithfulness")


def measured(home: Path, rows: list[Row], verdicts: bool = True, **more: Any) -> RunRef:
    """Run the stages around the reader, and put its verdicts in by hand: what reads is tested elsewhere."""
    file = write_rows(home.parent / "rag.jsonl", rows)
    with read_in(home, Settings(str(file), judge="none", offline=True, **more)) as run:
        IN_PROCESS.run_stage(decompose, run)
        fingerprint = entail.pin(run)
        if verdicts:
            pairs = run.warehouse.rows(
                "select p.*, text.text as premise, words.text as hypothesis"
                " from (select distinct premise_key, hypothesis_key from context_pair) as p"
                " join text on text.text_key = premise_key join text as words on words.text_key = hypothesis_key"
            )
            run.warehouse.insert("pair_score", [score_of(pair, fingerprint) for pair in pairs])
        aggregate(run)
    return run


def score_of(pair: Row, fingerprint: str) -> Row:
    supports = (pair["premise"], pair["hypothesis"]) in SUPPORTED
    opposes = "vegetable" in pair["premise"] and "vegetable" in pair["hypothesis"]
    return {
        "premise_key": pair["premise_key"],
        "hypothesis_key": pair["hypothesis_key"],
        "fingerprint": fingerprint,
        "entailment": 0.98 if supports else 0.01,
        "neutral": 0.01 if supports or opposes else 0.98,
        "contradiction": 0.98 if opposes else 0.01,
        "n_windows": 1,
        "coverage": 1.0,
    }


def scores(run: RunRef) -> dict[str, tuple[float | None, str | None]]:
    rows = run.warehouse.rows(
        "select metric, value, reason from metric_scores where metric in (select unnest(?)) order by metric",
        [list(METRICS)],
    )
    return {row["metric"]: (row["value"] and round(row["value"], 3), row["reason"]) for row in rows}


def row_with(**more: Any) -> Row:
    return {"question": "What of aspirin?", "system": "rag", "response": " ".join(CLAIMS), **more}


def test_claims_and_nuggets_against_what_was_retrieved(home: Path) -> None:
    run = measured(home, [row_with(retrieved_contexts=CONTEXTS, nuggets=NUGGETS)])
    assert scores(run) == {
        "context_contradiction_rate": (0.333, None),
        "context_precision": (1.0, None),
        "context_recall": (0.667, None),
        "faithfulness": (0.333, None),
    }
    shown = run.warehouse.rows(
        "select kind, text, state, context_no, fault from context_verdicts order by kind, item_id"
    )
    assert [tuple(row.values()) for row in shown] == [
        ("claim", CLAIMS[0], "supports", 1, None),
        ("claim", CLAIMS[1], "contradicts", 2, None),
        ("claim", CLAIMS[2], "neutral", None, "from nowhere"),
        # Nothing was matched here, so that the answer says no nugget.
        ("nugget", NUGGETS[0], "supports", 1, "a context holds it, the answer does not say it"),
        ("nugget", NUGGETS[1], "supports", 2, "a context holds it, the answer does not say it"),
        ("nugget", NUGGETS[2], "neutral", None, "no context holds it"),
    ]
    held = run.warehouse.rows(
        "select context_no, context, n_nuggets_held, n_claims_supported from contexts order by context_no"
    )
    assert [tuple(row.values()) for row in held] == [(1, CONTEXTS[0], 1, 1), (2, CONTEXTS[1], 1, 0)]


@pytest.mark.parametrize(
    ("more", "settings", "reason"),
    [
        ({}, {}, "no retrieved contexts came with the answer"),
        (
            {"retrieved_contexts": CONTEXTS},
            {"reader": "none"},
            "needs an entailment model, and none was asked for (--reader none)",
        ),
        ({"retrieved_contexts": CONTEXTS}, {}, "not every context could be read; see outcomes"),
    ],
)
def test_what_cannot_be_measured_has_a_reason(
    home: Path, more: Row, settings: dict[str, Any], reason: str
) -> None:
    run = measured(home, [row_with(nuggets=NUGGETS, **more)], verdicts=False, **settings)
    assert scores(run) == dict.fromkeys(METRICS, (None, reason))
