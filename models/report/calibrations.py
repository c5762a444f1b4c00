"""The judge's means beside what people would give, and how far that can be trusted."""

from collections.abc import Iterable
from dataclasses import dataclass

from models.judges.judgement import SUB_METRICS
from models.report.rows import ReportData, Row, count_of, number_of, text_of

ALL = "all systems"


@dataclass(frozen=True, slots=True)
class CalibratedLine:
    """One system's mean mark as the judge gave it and on the scale of people's scores, with its 95 % interval."""

    metric: str
    system: str
    n_answers: int
    n_labels: int
    raw: str
    corrected: str
    interval: str


@dataclass(frozen=True, slots=True)
class Calibrations:
    """All means that were held against people's scores, and sentences on what they are worth."""

    lines: tuple[CalibratedLine, ...]
    notes: tuple[str, ...]


def calibrations(data: ReportData) -> Calibrations | None:
    """Return the means beside what people would give, None where the run was not calibrated."""
    order = ("rubric_score", *SUB_METRICS)
    rows = sorted(
        data.calibrations,
        key=lambda row: (
            order.index(row["metric"]) if row.get("metric") in order else len(order),
            row.get("system") is None,
            text_of(row.get("system")),
        ),
    )
    if not rows:
        return None
    notes = [*(worth(row) for row in rows if row.get("system") is None), *reasons(rows)]
    return Calibrations(
        tuple(_line(row) for row in rows), tuple(f"{note[:1].upper()}{note[1:]}." for note in notes)
    )


def _line(row: Row) -> CalibratedLine:
    low, high = number_of(row.get("low")), number_of(row.get("high"))
    return CalibratedLine(
        spoken(text_of(row.get("metric"))),
        text_of(row.get("system")) or ALL,
        count_of(row.get("n_answers")),
        count_of(row.get("n_labels")),
        _number(row.get("raw")),
        _number(row.get("corrected")),
        "" if low is None or high is None else f"{low:.2f} to {high:.2f}",
    )


def worth(row: Row) -> str:
    """Say how far a metric's map is off on questions that it was not fitted on, and whether it is worth having."""
    metric, skill = spoken(text_of(row.get("metric"))), number_of(row.get("skill"))
    if row.get("error") is None:
        return f"{metric}: no map that could be tested: {row.get('map_reason')}"
    off = (
        f"{metric}: off by {_number(row['error'])} on questions it was not fitted on ({row.get('map')}),"
        f" {_number(row.get('error_of_the_mean'))} by always giving the mean"
    )
    if skill is None:
        return f"{off}; no telling whether the map is better than that: {row.get('map_reason')}"
    if skill < 0:
        return f"{off}; the map is worse than that, its squared error {-skill:.0%} larger: take no single mark by it"
    return f"{off}; the map removes {skill:.0%} of the squared error"


def reasons(rows: Iterable[Row]) -> list[str]:
    """Say once of each reason which systems of which metric it is of."""
    systems: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if (reason := row.get("reason")) and reason != row.get("map_reason"):
            systems.setdefault((row["metric"], reason), []).append(text_of(row.get("system")) or ALL)
    return [f"{spoken(metric)}, {', '.join(named)}: {reason}" for (metric, reason), named in systems.items()]


def spoken(metric: str) -> str:
    """Write a metric's name as words."""
    return metric.replace("_", " ")


def _number(value: object) -> str:
    number = number_of(value)
    return "–" if number is None else f"{number:.2f}"
