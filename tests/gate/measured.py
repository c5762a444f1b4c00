"""Measured runs for the tests of the gate."""

from pathlib import Path
from typing import Any

from medassay.models.gate.baseline import Baseline
from medassay.models.gate.config import config_of
from medassay.models.gate.deciding import Against, decide
from medassay.models.gate.measured import (
    ContradictedNugget,
    FaultyCitation,
    MadeWith,
    Mean,
    MeasuredAnswer,
    MeasuredRun,
    Score,
    Span,
)
from medassay.models.gate.places import Places
from medassay.models.gate.record import GateRecord

MADE_WITH = MadeWith({"profile": "seed", "reader": "embedded"}, {"entail": "e1", "match": "m1"}, "f1")
CLAIM = Span("c1", "Take 750 mg a day.", 0, 18)
TURNED = ContradictedNugget("The dose is 75 mg a day.", "vital", (CLAIM,), "750 mg is not 75 mg")
OPPOSED = FaultyCitation("[1]", "pmid:1", "contradicts", "no", CLAIM, "The dose was 75 mg.")


def answer(
    question_id: str = "q1", system: str = "a", coverage: float | None = 1.0, **more: Any
) -> MeasuredAnswer:
    """Return an answer with a score of `nugget_coverage`."""
    status = "scored" if coverage is not None else "not_applicable"
    reason = None if coverage is not None else "no nuggets"
    given: dict[str, Any] = {
        "state": "answered", "answer_key": f"key of {question_id}", "unit": question_id, "category": None, "file": None,
        "line": None, "text": "Take 750 mg a day.", "scores": {"nugget_coverage": Score(coverage, status, reason)},
    }  # fmt: skip
    return MeasuredAnswer(question_id, system, **{**given, **more})


def run(*answers: MeasuredAnswer, made_with: MadeWith = MADE_WITH) -> MeasuredRun:
    """Return a run of which nugget coverage is the primary metric."""
    return MeasuredRun("r2", "clinic", "0.1.0", "seed", ("nugget_coverage",), made_with, answers)


def held(
    table: dict[str, Any], of: MeasuredRun, *, means: tuple[Mean, ...] = (), against: Baseline | None = None,
    allow_other: bool = False, root: Path = Path("/"), failed: str | None = None,
) -> GateRecord:  # fmt: skip
    """Hold a run against a gate."""
    compared = Against(against, "base.json", allow_other) if against else None
    return decide(config_of(table), "medassay.toml", of, means, compared, Places(root), failed)
