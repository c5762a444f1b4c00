"""Assertions for promptfoo: `{type: python, value: "file://…/promptfoo.py:citations", threshold: 0.8, config: {…}}`.

Of the variables those are read whose names say what they are: the question, the reference answer, contexts,
references, nuggets. `config` holds keywords of `medassay.evaluate`, such as `reader` and `judge`.
"""

from collections.abc import Mapping
from typing import Any

from medassay.integrations.scoring import Kind, score_answer


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Score citations and nuggets; what cannot be judged is told and left out, and nothing judged does not pass."""
    parts = [_asserted(kind, output, context) for kind in ("citations", "nuggets")]
    judged = [part for part in parts if part["namedScores"]]
    return {
        "pass": bool(judged) and all(part["pass"] for part in judged),
        "score": min((part["score"] for part in judged), default=0.0),
        "reason": "\n".join(part["reason"] for part in parts),
        "namedScores": {name: score for part in judged for name, score in part["namedScores"].items()},
        "componentResults": judged,
    }


def citations(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Score the share of citations whose source supports the claim that they stand by."""
    return _asserted("citations", output, context)


def nuggets(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Score the share of the facts of a good answer that the answer covers."""
    return _asserted("nuggets", output, context)


def contradictions(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Score 1 less the share of nuggets, else of citations, that are contradicted: promptfoo passes what is high."""
    return _asserted("contradictions", output, context)


def rubric(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Score the mark of the judge that `config.judge` names."""
    return _asserted("rubric", output, context)


def _asserted(kind: Kind, output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    from medassay.models.intake.adapters.log_records import said_in
    from medassay.models.intake.headings import renamed
    from medassay.models.intake.provider_forms import read_provider_form

    given = dict(context.get("vars") or {})
    fields, _ = renamed(given, None)
    texts = [value for value in given.values() if isinstance(value, str)]
    question = {name: fields.get(name) for name in ("reference_answer", "nuggets")}
    question["question"] = (
        fields.get("question") or fields.get("query") or (texts[0] if texts else context["prompt"])
    )
    answer = {"answer": said_in(output), **{name: fields.get(name) for name in ("contexts", "references")}}
    config = dict(context.get("config") or {})
    threshold = float(config.pop("threshold", 0.5))
    found = score_answer(kind, question, read_provider_form(answer), **config)
    if found.value is None:
        return {
            "pass": False,
            "score": 0.0,
            "reason": f"{found.metric} not judged: {found.reason}",
            "namedScores": {},
        }
    good = 1 - found.value if kind == "contradictions" else found.value
    return {
        "pass": good >= threshold,
        "score": good,
        "reason": f"{found.metric} {found.value:.2f}\n{found.explanation}".strip(),
        "namedScores": {found.metric: found.value},
    }
