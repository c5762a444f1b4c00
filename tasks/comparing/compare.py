"""Compare every pair of systems on the questions scored for both."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medassay.models.settings import PRIMARY
from medassay.models.statistics.contrast import Contrast
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.comparing.grid import Board, Floats, Grid, boards_of, grid_of

# A block of differences holds at most this many cells, and 2,000 resampled means a column besides, so that memory
# does not grow with the run.
BLOCK_CELLS = 2_000_000
MOST_COLUMNS = 2_000
Column = tuple[Board, tuple[int, int]]
Compared = tuple[Contrast, float, float]


def freeze_comparisons(
    warehouse: Warehouse, run_id: str, declared: Sequence[str] = PRIMARY, profile: str = "seed"
) -> int:
    """Append the comparisons of a run that has several systems; return how many rows.

    Primary metrics × pairs form one family, corrected together by Holm's rule. It is declared before anything is
    scored: a metric without a score (no judge, no citations) counts in its size all the same. All else is exploratory:
    other metrics over all questions, primary ones by stratum.

    Args:
        warehouse: Where the run's scores are frozen already.
        run_id: The run.
        declared: The primary metrics.
        profile: The run's profile: of a metric that profiles define differently, only this one is primary.
    """
    grid = grid_of(warehouse, run_id)
    if len(grid.systems) < 2:
        return 0
    boards = list(boards_of(warehouse, run_id, grid, declared, profile))
    primary = [board for board in boards if board.primary]
    family = len(declared) * len(grid.pairs)
    rows = compared(grid, primary, "all", family)
    adjust(rows, family)
    rows += compared(grid, [board for board in boards if not board.primary], "all", 1)
    for stratum in grid.strata:
        rows += compared(grid, primary, stratum, 1)
    return warehouse.append("mart.comparison", [{"run_id": run_id, **row} for row in rows])


def compared(grid: Grid, boards: list[Board], stratum: str, family: int) -> list[Row]:
    """Compare every pair on every board, in blocks of columns that share their resampling.

    Boards without a gap are resampled by system, which is quicker than by pair; the others pair by pair.
    """
    asked = grid.strata.get(stratum, np.ones(len(grid.questions), dtype=np.bool_))
    whole: list[Column] = []
    gaps: list[Column] = []
    for board in boards:
        complete = np.isfinite(board.values[asked]).all()
        (whole if complete else gaps).extend((board, pair) for pair in grid.pairs)
    width = max(1, min(MOST_COLUMNS, BLOCK_CELLS // max(1, int(asked.sum()))))
    rows: list[Row] = []
    for columns, compare in ((whole, of_systems), (gaps, of_pairs)):
        for start in range(0, len(columns), width):
            some = columns[start : start + width]
            rows += described(grid, some, stratum, family, compare(grid, some, asked, family))
    return rows


def of_systems(grid: Grid, columns: list[Column], asked: NDArray[np.bool_], family: int) -> list[Compared]:
    """Compare pairs on boards without a gap: nothing is dropped, so the best and the worst case are the case."""
    from medassay.models.statistics.contrast import contrasts
    from medassay.models.statistics.resampling import Differences

    boards = list({id(board): board for board, _ in columns}.values())
    places = {id(board): n * len(grid.systems) for n, board in enumerate(boards)}
    parts = by_unit(np.hstack([board.values[asked] for board in boards]), grid.units[asked])
    first = np.array([places[id(board)] + a for board, (a, _) in columns])
    second = np.array([places[id(board)] + b for board, (_, b) in columns])
    found = contrasts(Differences(parts, first, second), family, grid.seed, *scales(columns), unit=grid.unit)
    return [(contrast, contrast.difference or 0.0, contrast.difference or 0.0) for contrast in found]


def of_pairs(grid: Grid, columns: list[Column], asked: NDArray[np.bool_], family: int) -> list[Compared]:
    """Compare pairs on the questions scored for both, and say what the dropped ones could change."""
    from medassay.models.statistics.contrast import contrasts

    first = np.column_stack([board.values[asked, a] for board, (a, _) in columns])
    second = np.column_stack([board.values[asked, b] for board, (_, b) in columns])
    top = np.array([board.top for board, _ in columns])
    better = np.array([board.better for board, _ in columns])
    units = grid.units[asked]
    won, lost = np.where(better > 0, top, 0.0), np.where(better > 0, 0.0, top)
    best = by_unit(filled(first, won) - filled(second, lost), units).mean(axis=0)
    worst = by_unit(filled(first, lost) - filled(second, won), units).mean(axis=0)
    found = contrasts(by_unit(first - second, units), family, grid.seed, *scales(columns), unit=grid.unit)
    return list(zip(found, best.tolist(), worst.tolist(), strict=True))


def scales(columns: list[Column]) -> tuple[Floats, Floats, Floats]:
    """Return each column's tie margin, whether more is better (1) or less is (−1), and its largest difference."""
    from medassay.models.statistics.contrast import TIE_MARGIN

    tops = np.array([board.top for board, _ in columns])
    return TIE_MARGIN * tops, np.array([board.better for board, _ in columns]), tops


def n_dropped(grid: Grid, column: Column, stratum: str) -> int:
    """Count the questions that are not scored for both, each by itself though cases are compared."""
    board, pair = column
    missing = ~np.isfinite(board.values[:, pair]).all(axis=1)
    return int((missing & grid.strata.get(stratum, True)).sum())


def described(
    grid: Grid, columns: list[Column], stratum: str, family: int, found: list[Compared]
) -> list[Row]:
    """Build the mart's rows, one a column."""
    from medassay.models.statistics.contrast import TIE_MARGIN

    systems = list(grid.systems)
    return [
        {
            "metric": board.metric,
            "profile": board.profile,
            "stratum": stratum,
            "system_a": systems[a],
            "system_b": systems[b],
            "family": "primary" if board.primary and stratum == "all" else "exploratory",
            "family_size": family,
            "n_questions": contrast.n,
            "n_dropped": n_dropped(grid, (board, (a, b)), stratum),
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
            "best_case": best,
            "worst_case": worst,
            "reason": contrast.reason,
        }
        for (board, (a, b)), (contrast, best, worst) in zip(columns, found, strict=True)
    ]


def filled(values: Floats, replacement: Floats) -> Floats:
    """Put each column's replacement where nothing was scored."""
    return np.where(np.isfinite(values), values, replacement)


def by_unit(values: Floats, units: NDArray[np.int64]) -> Floats:
    """Average the questions of a case that have a value; the case is the unit of every test and interval."""
    return means_and_sizes(values, units)[0]


def means_and_sizes(values: Floats, units: NDArray[np.int64]) -> tuple[Floats, Floats | None]:
    """Return each case's mean, NaN where none of its questions has a value, and how many questions it is over.

    Where no questions share a case they are the values themselves, and None.
    """
    names, places = np.unique(units, return_inverse=True)
    if len(names) == len(units):
        return values, None
    sums, counts = np.zeros((len(names), values.shape[1])), np.zeros((len(names), values.shape[1]))
    np.add.at(sums, places, np.nan_to_num(values))
    np.add.at(counts, places, np.isfinite(values))
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0), counts


def adjust(rows: list[dict[str, Any]], family: int) -> None:
    """Give the family's rows their adjusted p; pairs that share no question stay in their family."""
    from medassay.models.statistics.paired import holm

    tested = [row for row in rows if row["p_value"] is not None]
    for row, adjusted in zip(tested, holm([row["p_value"] for row in tested], family), strict=True):
        row["p_adjusted"] = adjusted
