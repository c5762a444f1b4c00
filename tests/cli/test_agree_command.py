"""`medassay agree` as a person runs it: the tables, and why a number is missing or rough."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.flows.terminal.agreement import cost_line

ROUGH = "only 16 questions: the interval is rough"
NUMBERS = dict.fromkeys(("value", "low", "high", "ceiling", "ceiling_low", "ceiling_high", "baseline"))


def measured(human: str, metric: str, level: str, measure: str, reason: str | None, **other: Any) -> Any:
    return {
        "human_metric": human, "metric": metric, "profile": "any", "level": level, "measure": measure,
        "stratum": "all", **NUMBERS, "n": 46, "n_systems": 3, "stands_in": True, "reason": reason, **other,
    }  # fmt: skip


@pytest.fixture
def ended(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what `agree` prints where a run came to these rows."""

    def agree(rows: list[Any], *options: str) -> Result:
        told = ["judge: 1 of 3 abstained"]
        where = {"report": "r.html", "snapshot": "home/snapshots/s.duckdb", "run_id": "r"}
        summary = {"agreement": rows, "notices": told, "n_quarantined": 2, **where}
        monkeypatch.setattr("medassay.flows.commands.comparison.run_flow", lambda *given: summary)
        monkeypatch.setattr("medassay.tasks.people.opinions.refuse_silence", lambda *given, **more: None)
        arguments = ["agree", str(tmp_path), "--judge", "none", *options]
        return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, arguments)

    return agree


def test_every_reason_is_said_once_with_the_human_scores_and_measures_that_it_is_of(ended: Any) -> None:
    people, same = "Krippendorff's α", "every automatic score is the same"
    coverage, facts = ("human_score", "nugget_coverage"), ("knowledge_correctness", "factual_correctness")
    shown = ended(
        [
            measured(*coverage, "system", "kendall", "only 3 systems"),
            measured(*facts, "system", "kendall", "only 3 systems"),
            measured("fluency", "humans", "answer", people, "α at the ordinal level of measurement"),
            measured(*coverage, "answer", "kendall", ROUGH),
            measured(*coverage, "answer", "kendall", ROUGH, stratum="people agree"),
            measured(*facts, "answer", "kendall", same, profile="seed"),
            measured(*facts, "pair", "accuracy_2tuple", None),
        ]
    )
    assert (shown.exit_code, shown.exception) == (0, None)
    assert shown.stdout.splitlines()[-8:] == [
        "  kendall (system): only 3 systems",
        "  Krippendorff's α (answer): α at the ordinal level of measurement",
        f"  kendall (answer) of human score – nugget coverage; kendall (answer, people agree): {ROUGH}",
        "  kendall (answer) of knowledge correctness – factual correctness (seed): " + same,
        "judge: 1 of 3 abstained",
        '2 rows in quarantine, which --max-failed does not count: medassay query "from quarantine"',
        "report    r.html",
        "results   home/results.duckdb  (run r)",
    ]


@pytest.mark.parametrize(
    ("took", "line"),
    [
        (
            {
                "seconds": 1.234,
                "n_answers": 2,
                "n_calls": 0,
                "money": None,
                "currency": None,
                "is_partly_reused": True,
            },
            "  1.23 s an answer (2 answers); what earlier runs had done is not counted",
        ),
        (
            {
                "seconds": 3.0,
                "n_answers": 1,
                "n_calls": 4,
                "money": 0.01234,
                "currency": "USD",
                "is_partly_reused": False,
            },
            "  3.00 s an answer (1 answer), 4 calls of models for 0.0123 USD an answer",
        ),
        (
            {
                "seconds": 3.0,
                "n_answers": 1,
                "n_calls": 1,
                "money": None,
                "currency": None,
                "is_partly_reused": False,
            },
            "  3.00 s an answer (1 answer), 1 call of models at no known price",
        ),
    ],
)
def test_agreement_stands_beside_what_an_answer_took(took: dict[str, Any], line: str) -> None:
    assert cost_line(took) == line


def test_a_human_score_that_no_metric_stands_for_is_named(ended: Any) -> None:
    rows = [
        measured("human_score", "nugget_coverage", "answer", "kendall", None),
        measured("fluency", "humans", "answer", "ICC(2,1)", None),
        measured("empathy", "safety", "answer", "kendall", None, stands_in=False),
    ]
    said = "no metric here is meant to measure empathy, fluency: how each goes with every metric is under --every"
    assert said in ended(rows).stdout
    assert said not in ended(rows, "--every").stdout
    assert said.replace("empathy, fluency", "empathy") in ended(rows[2:]).stdout
    assert "meant to measure" not in ended(rows[:1]).stdout
