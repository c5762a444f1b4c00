"""The runs that a comparison is held against, looked for before anything is asked or paid for."""

from pathlib import Path

from medassay.sql.snapshot import NothingPublished, read_results
from medassay.sql.warehouse import Row
from medassay.tasks.run import BadData

LAST = "last"


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
    """Say that there is no such run, and which there are."""
    known = ", ".join(row["run_id"] for row in runs[:5]) or "none"
    return BadData(f"--baseline {named}: no such finished run; the latest are: {known}")


def no_anchor(named: str) -> BadData:
    """Say that there is no such run, and how to make one."""
    return BadData(
        f"--anchor {named}: no such finished run; evaluate the anchor's answers first, with --run-name {named}"
    )
