"""The curriculum: easy data first, the best last (after AutoMedEval)."""

import random
from collections.abc import Sequence

from medassay.models.judge_training.records import EvaluationCase

STAGES = ("1", "2", "3")


def curriculum(
    strong: Sequence[EvaluationCase], weak: Sequence[EvaluationCase], seed: int
) -> dict[str, list[EvaluationCase]]:
    """Return the cases of each stage: a random half of the weak, then the rest, then a random half of the strong.

    The draw depends on the seed and the cases' ids alone, not on their order; an odd half is rounded up.
    """
    first, weak_rest = halves(weak, f"weak {seed}")
    last, strong_rest = halves(strong, f"strong {seed}")
    return {"1": first, "2": [*weak_rest, *strong_rest], "3": last}


def halves(cases: Sequence[EvaluationCase], seed: str) -> tuple[list[EvaluationCase], list[EvaluationCase]]:
    """Return a random half of the cases and the other one."""
    drawn = sorted(cases, key=lambda case: case.case_id)
    random.Random(seed).shuffle(drawn)
    middle = (len(drawn) + 1) // 2
    return drawn[:middle], drawn[middle:]
