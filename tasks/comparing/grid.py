"""Frozen scores as matrices (questions × systems), of this run and of earlier ones."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medassay.sql.snapshot import NothingPublished, read_results
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.run import BadData

STRATA = ("category", "risk_level")
Floats = NDArray[np.float64]

LAST = "last"


@dataclass(frozen=True)
class Board:
    """One metric: values by question and system, NaN where nothing was scored; `primary`: of the declared family."""

    profile: str
    metric: str
    values: Floats
    top: float
    better: float
    primary: bool


@dataclass(frozen=True)
class Grid:
    """What the boards of a run have in common: its questions by unit and stratum, its systems, the seed."""

    questions: dict[str, int]
    systems: dict[str, int]
    units: NDArray[np.int64]
    strata: dict[str, NDArray[np.bool_]]
    seed: int

    @property
    def unit(self) -> str:
        """Name what is resampled: the question, or the case where questions share one."""
        return "question" if len(np.unique(self.units)) == len(self.units) else "case"

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Return every pair of systems, in the order of their names."""
        return list(combinations(range(len(self.systems)), 2))


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
        data_seed(warehouse, run_id),
    )


def data_seed(warehouse: Warehouse, run_id: str) -> int:
    """Return the seed of a run's resampling, from a digest of its questions, their given nuggets and the answers.

    The same data gives the same intervals, whatever else is measured on it.
    """
    lines = warehouse.rows(statement("statements/comparing/grid/data_seed"), {"run_id": run_id})
    return seed_of(np.frombuffer("\n".join(row["line"] for row in lines).encode(), dtype=np.uint8))


def boards_of(
    warehouse: Warehouse, run_id: str, grid: Grid, declared: Sequence[str], profile: str
) -> Iterator[Board]:
    """Yield each metric of a run as a matrix, one at a time."""
    from medassay.metrics import BY_NAME

    for found in warehouse.rows(
        "select distinct profile, metric from mart.score where run_id = ? order by profile, metric", [run_id]
    ):
        values = matrix(warehouse, run_id, grid, found["profile"], found["metric"])
        about = BY_NAME.get(found["metric"])
        top = about.high if about else 1.0
        better = -1.0 if about and about.lower_is_better else 1.0
        primary = found["metric"] in declared and found["profile"] in ("any", profile)
        yield Board(**found, values=values, top=top, better=better, primary=primary)


def matrix(warehouse: Warehouse, run_id: str, grid: Grid, profile: str, metric: str) -> Floats:
    """Return one metric of a run, (questions, systems), NaN where nothing was scored."""
    return matrices(warehouse, run_id, grid, [(profile, metric)])


def matrices(warehouse: Warehouse, run_id: str, grid: Grid, metrics: Sequence[tuple[str, str]]) -> Floats:
    """Return metrics of a run, each a (profile, metric), side by side: (questions, metrics × systems)."""
    found = warehouse.columns(
        statement("statements/comparing/grid/matrix"),
        {
            "questions": list(grid.questions),
            "systems": list(grid.systems),
            "profiles": [profile for profile, _ in metrics],
            "metrics": [metric for _, metric in metrics],
            "run_id": run_id,
        },
    )
    values = np.full((len(grid.questions), len(metrics) * len(grid.systems)), np.nan)
    values[found["question"], found["place"]] = found["value"]
    return values


def seed_of(values: NDArray[Any]) -> int:
    """Return a seed that depends on the data alone."""
    return int.from_bytes(hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()[:4], "big")


def refuse_unknown_runs(home: Path, baseline: str | None, anchor: str | None) -> None:
    """Look for both; `last` as a baseline may be missing, since a schedule has to begin somewhere.

    Raises:
        BadData: when a run that is named is no finished run of this home.
    """
    if baseline and baseline != LAST and not is_among(runs := finished_runs(home), baseline):
        raise no_baseline(baseline, runs)
    if anchor and not is_among(finished_runs(home), anchor):
        raise no_anchor(anchor)


def finished_runs(home: Path) -> list[Row]:
    """Return id, name and data set of every finished run, the latest first."""
    try:
        return read_results(
            home, "select run_id, name, dataset from runs where state = 'finished' order by started_at desc"
        )
    except NothingPublished:
        return []


def is_among(runs: list[Row], named: str) -> bool:
    """Tell whether one of the runs has this id or name."""
    return any(named in (row["run_id"], row["name"]) for row in runs)


def no_baseline(named: str, runs: list[Row]) -> BadData:
    """Return a line that says that there is no such run, and which there are."""
    known = ", ".join(row["run_id"] for row in runs[:5]) or "none"
    return BadData(f"--baseline {named}: no such finished run; the latest are: {known}")


def no_anchor(named: str) -> BadData:
    """Return a line that says that there is no such run, and how to make one."""
    return BadData(
        f"--anchor {named}: no such finished run; evaluate the anchor's answers first, with --run-name {named}"
    )
