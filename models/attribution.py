"""Attribution of a score's change between two runs, by substitution in a fixed order.

Run A's ingredients are replaced by run B's one factor after another, in the order of `FACTORS`, what was replaced
before staying replaced. A factor's part is the score after its step less the score before it. A step that cannot be
taken without asking a model is not computed, and neither is the part of the next one; what they did together, and
whatever else the steps do not tell apart, is the remainder, called interaction. The parts and the remainder add up
to the change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medassay.models.keys import content_key
from medassay.models.settings import OPTIONS

ANSWER, NUGGETS, EVIDENCE, EMBEDDER, ENTAILMENT = (
    "answer",
    "nuggets",
    "evidence",
    "embedding model",
    "entailment model",
)
LLM, JUDGE, PROMPT, WEIGHTS, PROFILE = "language model", "judge", "prompt", "weights", "profile"
MATCHER, THRESHOLD = "matcher", "threshold"
STAGE_VERSION, FORMULAS = "stage version", "formulas"
FACTORS = (
    ANSWER, NUGGETS, EVIDENCE, EMBEDDER, MATCHER, THRESHOLD, ENTAILMENT, LLM, JUDGE, PROMPT, WEIGHTS, PROFILE,
    STAGE_VERSION,
)  # fmt: skip
"""The order of substitution. `formulas`, the difference that today's views make of either run's rows, stands apart."""
_PROMPT = ("prompt", "schema", "examples", "messages")
_WEIGHTS = ("supports_at", "contradicts_at", "margin", "coefficients", "size")
_OWN = {"matcher": MATCHER, "threshold": THRESHOLD}
_FOLLOW_MATCHING = {("shortlist", "floor"), ("shortlist", "roles"), ("shortlist", "size")}
"""Entries that the matcher and its threshold decide: they are no difference of their own where those differ."""
SETTINGS = {name: option.factor for name, option in OPTIONS.items() if option.factor}
"""Which factor a setting belongs to, where a view reads it."""

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parts:
    """A change taken apart: a part is None where it would need a model call; the remainder makes them add up."""

    parts: dict[str, float | None]
    remainder: float


def factor_of(stage: str, key: str, models: Mapping[str, str]) -> str:
    """Return the factor to which an entry of a stage's fingerprint belongs.

    `models` are the factors that the stages declare, for what is no prompt, cut-off or version.
    """
    if key == "stage_version":
        return STAGE_VERSION
    if any(word in key for word in _PROMPT):
        return PROMPT
    if stage in ("match", "shortlist") and key in _OWN:
        return _OWN[key]
    if key in _WEIGHTS:
        return WEIGHTS
    return models.get(stage, WEIGHTS)


def mixed_specs(
    first: Mapping[str, Spec],
    second: Mapping[str, Spec],
    taken: frozenset[str],
    models: Mapping[str, str],
) -> dict[str, Spec]:
    """Return what each stage is asked when some factors are the second run's and all else is the first's.

    An entry that names what an earlier stage was asked follows that stage; a stage that only one run has is the run's
    whose model of that stage counts.
    """
    mixed: dict[str, Spec] = {}
    of_matching = changed_factors(first, second, models) & {MATCHER, THRESHOLD} or {WEIGHTS}

    def of(stage: str) -> Spec:
        if stage not in mixed:
            a, b = first.get(stage), second.get(stage)
            if a is None or b is None:
                here = b if models.get(stage, WEIGHTS) in taken else a
                mixed[stage] = here if here is not None else (a or b or {})
            else:
                mixed[stage] = {
                    key: entry(stage, key, a, b)
                    for key in dict.fromkeys((*a, *b))
                    if key in source(stage, key, a, b)
                }
        return mixed[stage]

    def source(stage: str, key: str, a: Spec, b: Spec) -> Spec:
        factors = of_matching if (stage, key) in _FOLLOW_MATCHING else {factor_of(stage, key, models)}
        return b if factors <= taken else a

    def entry(stage: str, key: str, a: Spec, b: Spec) -> Any:
        if key in a and key in b and a[key] != b[key] and isinstance(a[key], str):
            for other in first.keys() & second.keys():
                if other == stage:
                    continue
                for name in (_plain, _named):
                    if (a[key], b[key]) == (name(other, first[other]), name(other, second[other])):
                        return name(other, of(other))
        return source(stage, key, a, b)[key]

    for stage in dict.fromkeys((*first, *second)):
        of(stage)
    return mixed


def _plain(stage: str, spec: Spec) -> str:
    return content_key(dict(spec))


def _named(stage: str, spec: Spec) -> str:
    return content_key({"stage": stage, **spec})


def changed_factors(
    first: Mapping[str, Spec], second: Mapping[str, Spec], models: Mapping[str, str]
) -> set[str]:
    """Return the factors in which two runs' fingerprints differ, entries that follow an earlier stage left out."""
    # No set: an entry may be a dict, which has no hash.
    names = [
        (name(stage, first[stage]), name(stage, second[stage]))
        for stage in first.keys() & second.keys()
        for name in (_plain, _named)
    ]
    found: set[str] = set()
    following: set[str] = set()
    for stage in dict.fromkeys((*first, *second)):
        a, b = first.get(stage), second.get(stage)
        if a is None or b is None:
            found.add(models.get(stage, WEIGHTS))
            continue
        for key in dict.fromkeys((*a, *b)):
            if a.get(key) != b.get(key) and (a.get(key), b.get(key)) not in names:
                (following if (stage, key) in _FOLLOW_MATCHING else found).add(factor_of(stage, key, models))
    return found if found & {MATCHER, THRESHOLD} else found | following


def parts_of(factors: Sequence[str], values: Sequence[float | None], first: float, last: float) -> Parts:
    """Take a change from `first` to `last` apart.

    Args:
        factors: what was substituted, step by step.
        values: the score before the first step and after each, one more than factors; None where not computed.
        first: the score of run A as it was frozen.
        last: that of run B.
    """
    parts: dict[str, float | None] = {}
    for place, factor in enumerate(factors):
        before, after = values[place], values[place + 1]
        parts[factor] = None if before is None or after is None else after - before
    ends = [values[0], values[-1]]
    if ends[0] is not None and ends[1] is not None:
        formulas = (ends[0] - first) + (last - ends[1])
        if abs(formulas) > 1e-12:
            parts[FORMULAS] = formulas
    known = sum(part for part in parts.values() if part is not None)
    remainder = (last - first) - known
    return Parts(parts, 0.0 if abs(remainder) < 1e-12 else remainder)
