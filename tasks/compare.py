"""Scores of a run → every pair of its systems compared on the questions scored for both."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sql.warehouse import Row, Warehouse

PRIMARY = ("nugget_coverage", "factual_correctness", "citation_precision", "rubric_score")
STRATA = ("category", "risk_level")
# A block of differences holds at most this many cells, so that memory does not grow with the run.
BLOCK_CELLS = 4_000_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Board:
    """One metric: values by question and system, NaN where nothing was scored."""

    profile: str
    metric: str
    values: Floats
    top: float
    better: float

    @property
    def primary(self) -> bool:
        """Say whether the metric is of the declared family."""
        return self.metric in PRIMARY


@dataclass(frozen=True)
class Grid:
    """What the boards of a run have in common: its questions by unit and stratum, its systems."""

    questions: dict[str, int]
    systems: dict[str, int]
    units: NDArray[np.int64]
    strata: dict[str, NDArray[np.bool_]]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Return every pair of systems, in the order of their names."""
        return list(combinations(range(len(self.systems)), 2))


def freeze_comparisons(warehouse: Warehouse, run_id: str) -> int:
    """Append the comparisons of a run that has several systems; return how many rows.

    Primary metrics form one family, corrected together by Holm's rule; a metric that nothing was scored on (no judge,
    no citations) is outside of it. All else is exploratory: other metrics over all questions, primary ones by stratum.
    """
    grid = grid_of(warehouse, run_id)
    if len(grid.systems) < 2:
        return 0
    boards = list(boards_of(warehouse, run_id, grid))
    primary = [board for board in boards if board.primary]
    n_scored = sum(bool(np.isfinite(board.values).any()) for board in primary)
    rows = compared(grid, primary, "all", max(1, n_scored) * len(grid.pairs))
    adjust(rows)
    rows += compared(grid, [board for board in boards if not board.primary], "all", 1)
    for stratum in grid.strata:
        rows += compared(grid, primary, stratum, 1)
    return warehouse.append("mart.comparison", [{"run_id": run_id, **row} for row in rows])


def grid_of(warehouse: Warehouse, run_id: str) -> Grid:
    """Read a run's questions and systems."""
    questions = warehouse.rows(
        "select question_id, coalesce(case_id, question_id) as unit, category, risk_level from mart.question"
        " where run_id = ? order by question_id",
        [run_id],
    )
    systems = warehouse.rows(
        "select distinct system from mart.answer where run_id = ? order by system", [run_id]
    )
    units = {unit: n for n, unit in enumerate(dict.fromkeys(row["unit"] for row in questions))}
    strata = {}
    for field in STRATA:
        values = sorted({row[field] for row in questions if row[field]})
        for value in values if len(values) > 1 else ():
            strata[f"{field}: {value}"] = np.array([row[field] == value for row in questions], dtype=np.bool_)
    return Grid(
        {row["question_id"]: n for n, row in enumerate(questions)},
        {row["system"]: n for n, row in enumerate(systems)},
        np.array([units[row["unit"]] for row in questions], dtype=np.int64),
        strata,
    )


def boards_of(warehouse: Warehouse, run_id: str, grid: Grid) -> Iterator[Board]:
    """Yield each metric of a run as a matrix, one at a time."""
    from models.report.metrics import BY_NAME

    for found in warehouse.rows(
        "select distinct profile, metric from mart.score where run_id = ? order by profile, metric", [run_id]
    ):
        values = matrix(warehouse, run_id, grid, found["profile"], found["metric"])
        about = BY_NAME.get(found["metric"])
        top = 100.0 if about and about.points else 1.0
        yield Board(**found, values=values, top=top, better=-1.0 if about and about.lower_is_better else 1.0)


def matrix(warehouse: Warehouse, run_id: str, grid: Grid, profile: str, metric: str) -> Floats:
    """Return one metric of a run, (questions, systems), NaN where nothing was scored."""
    values = np.full((len(grid.questions), len(grid.systems)), np.nan)
    for row in warehouse.rows(
        "select question_id, list(system) as systems, list(value) as scores from mart.score"
        " where run_id = ? and profile = ? and metric = ? and value is not null group by question_id",
        [run_id, profile, metric],
    ):
        columns = [grid.systems[system] for system in row["systems"]]
        values[grid.questions[row["question_id"]], columns] = row["scores"]
    return values


def compared(grid: Grid, boards: list[Board], stratum: str, family: int) -> list[Row]:
    """Compare every pair on every board, in blocks of columns that share their resampling."""
    asked = grid.strata.get(stratum, np.ones(len(grid.questions), dtype=np.bool_))
    columns = [(board, pair) for board in boards for pair in grid.pairs]
    step = max(1, BLOCK_CELLS // max(1, int(asked.sum())))
    rows: list[Row] = []
    for start in range(0, len(columns), step):
        rows += block(grid, columns[start : start + step], asked, stratum, family)
    return rows


def block(
    grid: Grid,
    columns: list[tuple[Board, tuple[int, int]]],
    asked: NDArray[np.bool_],
    stratum: str,
    family: int,
) -> list[Row]:
    """Compare some pairs on some boards; one row a column."""
    from models.statistics.contrast import contrasts
    from models.statistics.preference import TIE_MARGIN

    first = np.column_stack([board.values[asked, a] for board, (a, _) in columns])
    second = np.column_stack([board.values[asked, b] for board, (_, b) in columns])
    top = np.array([board.top for board, _ in columns])
    better = np.array([board.better for board, _ in columns])
    units = grid.units[asked]
    differences = by_unit(first - second, units)
    won, lost = np.where(better > 0, top, 0.0), np.where(better > 0, 0.0, top)
    best = by_unit(filled(first, won) - filled(second, lost), units)
    worst = by_unit(filled(first, lost) - filled(second, won), units)
    systems = list(grid.systems)
    found = contrasts(differences, family, seed_of(differences), TIE_MARGIN * top, better)
    return [
        {
            "metric": board.metric,
            "profile": board.profile,
            "stratum": stratum,
            "system_a": systems[a],
            "system_b": systems[b],
            "family": "primary" if board.primary and stratum == "all" else "exploratory",
            "n_questions": contrast.n,
            "n_dropped": len(differences) - contrast.n,
            "difference": contrast.difference,
            "low": contrast.low,
            "high": contrast.high,
            "p_value": contrast.p_value,
            "p_adjusted": None,
            "effect_size": contrast.effect_size,
            "wins": contrast.wins,
            "ties": contrast.ties,
            "losses": contrast.losses,
            "tie_margin": TIE_MARGIN * board.top,
            "detectable_difference": contrast.detectable_difference,
            "questions_needed": contrast.questions_needed,
            "best_case": float(best[:, place].mean()),
            "worst_case": float(worst[:, place].mean()),
            "reason": contrast.reason,
        }
        for place, ((board, (a, b)), contrast) in enumerate(zip(columns, found, strict=True))
    ]


def filled(values: Floats, replacement: Floats) -> Floats:
    """Put each column's replacement where nothing was scored."""
    return np.where(np.isfinite(values), values, replacement)


def by_unit(differences: Floats, units: NDArray[np.int64]) -> Floats:
    """Average the questions of a case that are scored for both; the case is the unit of every test."""
    names, places = np.unique(units, return_inverse=True)
    if len(names) == len(units):
        return differences
    scored = np.isfinite(differences)
    sums, counts = np.zeros((len(names), differences.shape[1])), np.zeros((len(names), differences.shape[1]))
    np.add.at(sums, places, np.nan_to_num(differences))
    np.add.at(counts, places, scored)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def seed_of(values: Floats) -> int:
    """Return a seed that depends on the data alone."""
    return int.from_bytes(hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()[:4], "big")


def adjust(rows: list[dict[str, Any]]) -> None:
    """Give the family's rows their adjusted p."""
    from models.statistics.paired import holm

    tested = [row for row in rows if row["p_value"] is not None]
    for row, adjusted in zip(tested, holm([row["p_value"] for row in tested]), strict=True):
        row["p_adjusted"] = adjusted
