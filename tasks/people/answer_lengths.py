"""What the length of an answer alone tells of people's scores: the baseline of every automatic one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medassay.models.statistics.coefficients import Method
from medassay.sql.warehouse import Warehouse
from medassay.tasks.comparing.grid import Grid
from medassay.tasks.people.human_scores import Human, mean_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ByLength:
    """A coefficient of lengths with people's scores: over answers, over systems, and from half to half."""

    answers: float | None
    systems: float | None
    halves: float | None


NO_LENGTH = ByLength(None, None, None)


def answer_lengths(warehouse: Warehouse, run_id: str, grid: Grid) -> Floats:
    """Return the characters of each answer, (questions, systems), 0 for silence."""
    lengths = np.zeros((len(grid.questions), len(grid.systems)))
    for row in warehouse.rows(
        "select question_id, system, n_characters from mart.answer where run_id = ?", [run_id]
    ):
        lengths[grid.questions[row["question_id"]], grid.systems[row["system"]]] = row["n_characters"]
    return lengths


def by_length(method: Method, human: Human, scores: Floats, lengths: Floats) -> ByLength:
    """Correlate lengths with people's scores over the answers that a metric scored too."""
    from medassay.models.statistics.correlation import coefficient
    from medassay.models.statistics.system_level import split_half

    both = np.isfinite(human.test) & np.isfinite(scores)
    alone, people = np.where(both, lengths, np.nan), np.where(both, human.test, np.nan)
    of_systems, theirs = (mean_of(part) for part in (alone, people))
    scored = np.isfinite(theirs)
    return ByLength(
        coefficient(method, alone[both], people[both]),
        coefficient(method, of_systems[scored], theirs[scored]),
        split_half(method, people, alone).value,
    )
