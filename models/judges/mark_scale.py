"""Marks of a judge that look as if given on another scale than 0 to 100."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

GIVEN = ("medical_correctness", "evidence_sufficiency_raw", "response_alignment", "safety")
"""The marks as a judge gave them, before any rule made something of them."""
TOPS = (1, 10)
STEP = 5
"""On a scale to 100 judges give multiples of it."""
FEWEST_ANSWERS = 3


def other_scales(judgements: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe for each judge all of whose marks lie at or under 1 or 10 that they look as if given on such a scale.

    Half of the marks or more have to be above 0, since a bad answer gets zeros on any scale; and they have to have been
    given to three answers, or be other numbers than 0 and 5, or be all the top of the scale.
    """
    marks: dict[str, list[list[float]]] = defaultdict(list)
    for row in judgements:
        own = [float(row[name]) for name in GIVEN if row.get(name) is not None]
        # Marks from evidence are computed, on the scale that they are shown on.
        if own and row.get("status") == "scored" and row["judge"] != "evidence":
            marks[str(row["judge"])].append(own)
    return [line for judge, answers in sorted(marks.items()) if (line := _told(judge, answers))]


def _told(judge: str, answers: list[list[float]]) -> str | None:
    flat = [mark for answer in answers for mark in answer]
    most = max(flat)
    top = next((top for top in TOPS if most <= top), None)
    if top is None or 2 * sum(mark > 0 for mark in flat) < len(flat):
        return None
    is_odd = any(mark % STEP for mark in flat)
    if not is_odd and min(flat) < top and len(answers) < FEWEST_ANSWERS:
        return None
    return (
        f"all {len(flat)} marks of {judge} lie at or under {most:g}, as if on a scale of 0 to {top} where 0 to 100 was"
        " asked for: the rubric's scores are that much too low if so; ask the judge for marks from 0 to 100, or name"
        " another one"
    )
