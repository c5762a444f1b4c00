"""Scorers for Inspect: `inspect eval … --scorer medassay/citations`, or for old logs `inspect score LOG --scorer …`.

Question, target, metadata (`nuggets`, `references`, `contexts`) and answer are read as from a log of Inspect.
"""

import asyncio
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from medassay.integrations.scoring import Kind, score_answer


def _scorer(kind: Kind, choices: dict[str, Any]) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        question, answer = _rows(state, target)
        found = await asyncio.to_thread(score_answer, kind, question, answer, **choices)
        metadata = {"metric": found.metric, "reason": found.reason, "details": list(found.details)}
        if found.value is None:
            return Score.unscored(
                reason=found.reason, answer=said, explanation=found.reason, metadata=metadata
            )
        return Score(value=found.value, answer=said, explanation=found.explanation or None, metadata=metadata)

    return score


def _rows(state: TaskState, target: Target) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the question's and the answer's row of a sample."""
    from medassay.models.intake.adapters.log_forms import INSPECT
    from medassay.models.intake.adapters.log_records import LogRecords
    from medassay.models.intake.provider_forms import read_provider_form
    from medassay.models.intake.rows import Place

    sample = {
        "id": str(state.sample_id),
        "epoch": 1,
        "input": state.input if isinstance(state.input, str) else [m.model_dump() for m in state.input],
        "target": list(target),
        "choices": [choice.value for choice in state.choices] or None,
        "metadata": state.metadata,
        "messages": [message.model_dump() for message in state.messages],
        "output": state.output.model_dump(),
    }
    (_, question, _), (_, answer, _) = LogRecords(INSPECT, "answer").feed(sample, Place(1))
    return question, read_provider_form(answer)


@scorer(metrics=[mean(), stderr()])
def citations(reader: str = "auto", **choices: Any) -> Scorer:
    """Score the share of citations whose source supports the claim that they stand by."""
    return _scorer("citations", {"reader": reader, **choices})


@scorer(metrics=[mean(), stderr()])
def nuggets(reader: str = "auto", **choices: Any) -> Scorer:
    """Score the share of the facts of a good answer (`metadata.nuggets`, else from the target) that are covered."""
    return _scorer("nuggets", {"reader": reader, **choices})


@scorer(metrics=[mean(), stderr()])
def contradictions(reader: str = "auto", **choices: Any) -> Scorer:
    """Score the share of nuggets, else of citations, that are contradicted; lower is better."""
    return _scorer("contradictions", {"reader": reader, **choices})


@scorer(metrics=[mean(), stderr()])
def rubric(judge: str, **choices: Any) -> Scorer:
    """Score an answer by the mark of a judge: `embedded`, `hf:<id or folder>` or `<base_url>#<model>`."""
    return _scorer("rubric", {"judge": judge, **choices})
