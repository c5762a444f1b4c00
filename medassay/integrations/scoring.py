"""One answer's score for a tool that asks for one answer at a time; the models stay loaded in its process."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any, Literal

Kind = Literal["citations", "nuggets", "contradictions", "rubric"]
METRICS: dict[Kind, tuple[str, ...]] = {
    "citations": ("citation_precision",),
    "nuggets": ("nugget_coverage",),
    "contradictions": ("contradiction_rate", "citation_contradiction_rate"),
    "rubric": ("rubric_score",),
}
"""The metric of each kind of score, the first that could be measured; `contradictions` is a share that should be 0."""
_ALONE = Lock()
"""One evaluation at a time: tools score their samples in threads, and a home has one writer."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A score of 0 to 1, or None and the reason; what it was counted from, as text and as rows."""

    metric: str
    value: float | None
    reason: str | None = None
    explanation: str = ""
    details: tuple[Mapping[str, Any], ...] = field(default=())


def score_answer(
    kind: Kind, question: Mapping[str, Any], answer: Mapping[str, Any], *, reader: str = "auto", judge: str = "none",
    **choices: Any,
) -> Scored:  # fmt: skip
    """Score one answer.

    Args:
        kind: `citations` (the share that its sources support), `nuggets` (the share that it covers), `contradictions`
            (the share of nuggets, else of citations, that are contradicted), or `rubric` (the judge's mark).
        question: `question`, and perhaps `reference_answer`, `nuggets`, `criteria`.
        answer: `answer`, and perhaps `references`, `contexts`, `cited_spans`.
        reader: As for `evaluate`.
        judge: As for `evaluate`; only `rubric` asks it.
        choices: Further keywords of `evaluate`.

    Raises:
        ModelMissing, UsageError and the others of `medassay.errors` that somebody has to mend; data in which there is
        nothing to measure is a Scored without a value.
    """
    asked = {name: value for name, value in question.items() if value is not None}
    said = {name: value for name, value in answer.items() if value is not None}
    if said.get("failed") or not isinstance(said.get("answer"), str | list | dict):
        return Scored(METRICS[kind][0], None, str(said.get("failed") or "there is no answer"))
    tables = json.dumps(
        [asked | {"question_id": "question"}, said | {"question_id": "question", "system": "answer"}]
    )
    with _ALONE:
        scores, reasons, rows = _measured(
            tables, reader, judge if kind == "rubric" else "none", json.dumps(choices)
        )
    names = METRICS[kind]
    metric = next((name for name in names if scores.get(name) is not None), names[0])
    details = rows[
        "citations" if metric.startswith("citation") else "rubric" if kind == "rubric" else "nuggets"
    ]
    return Scored(metric, scores.get(metric), reasons.get(metric), _as_text(details), tuple(details))


@lru_cache(maxsize=64)
def _measured(
    tables: str, reader: str, judge: str, choices: str
) -> tuple[dict[str, float | None], dict[str, str], dict[str, list[dict[str, Any]]]]:
    """Evaluate one answer once, whichever of its scores are asked for one after another."""
    from medassay.errors import BadData
    from medassay.evaluation import evaluate

    question, answer = json.loads(tables)
    names = [name for kind, names in METRICS.items() for name in names if kind != "rubric" or judge != "none"]
    data = {"questions": [question], "answers": [answer]}
    try:
        result = evaluate(data, reader=reader, judge=judge, metrics=names, **json.loads(choices))
    except BadData as error:
        return {}, dict.fromkeys((name for of in METRICS.values() for name in of), str(error)), {}
    # Of a conversation the last reply: it answers the question itself.
    (row,) = _last(result.answers).to_dict("records")
    scores = {
        name: None if row[name] is None or row[name] != row[name] else float(row[name]) for name in names
    }
    reasons = {name: str(why) for name in names if isinstance(why := row.get(f"{name}_reason"), str)}
    if judge == "none":
        reasons["rubric_score"] = "no judge was named: judge="
    rows = {
        "citations": _rows(
            _last(result.citations), "state", "claim", "citation", "source_id", "sentence", "reason"
        ),
        "nuggets": _rows(result.nuggets, "state", "nugget", "importance", "reason"),
        "rubric": [] if judge == "none" else _rows(result.view("judgements"), "judge", "rationale", "reason"),
    }
    return scores, reasons, rows


def _last(frame: Any) -> Any:
    return frame[frame["question_id"] == "question"]


def _rows(frame: Any, *names: str) -> list[dict[str, Any]]:
    there = [name for name in names if name in frame.columns]
    return [
        {name: value for name, value in row.items() if isinstance(value, str) and value}
        for row in frame[there].to_dict("records")
    ]


def _as_text(details: list[dict[str, Any]]) -> str:
    """Write each row as a line: its state, what it is about, and what decided it."""
    return "\n".join(" · ".join(row.values()) for row in details)
