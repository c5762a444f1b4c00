"""Judges' marks by sub-metric, and their means beside what people would give."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.report.rows import ReportData, Row, count_of, grouped, number_of, text_of

ALL = "all systems"


@dataclass(frozen=True, slots=True)
class MarksOfJudge:
    """One judge's marks: the mean of each sub-metric as shown, and the lowest and highest."""

    judge: str
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of all judges, and sentences on what is missing or was set by rule."""

    names: tuple[str, ...]
    judges: tuple[MarksOfJudge, ...]
    notes: tuple[str, ...]


def marks(data: ReportData) -> Marks | None:
    """Return the judges' marks, None where nobody judged; evidence as it counts, after the rule on references."""
    by_judge = grouped(data.marks or data.judgements, "judge")
    if not by_judge:
        return None
    return Marks(
        tuple(name.replace("_", " ") for name in SUB_METRICS),
        tuple(
            MarksOfJudge(judge, tuple(_shown(rows, name) for name in SUB_METRICS))
            for (judge,), rows in by_judge.items()
        ),
        tuple(note for (judge,), rows in by_judge.items() for note in _notes(judge, rows, len(by_judge) > 1)),
    )


def _lack(row: Row) -> str:
    given = sum(row.get(name) is not None for name in SUB_METRICS)
    return f"{given} of {len(SUB_METRICS)} marks" if 0 < given < len(SUB_METRICS) else "no marks"


def _shown(rows: list[Row], name: str) -> tuple[str, str]:
    given = [mark for row in rows if (mark := number_of(row.get(name))) is not None]
    if not given:
        return "–", ""
    return f"{fmean(given):.0f}", f"{min(given):.0f}–{max(given):.0f}"


def _notes(judge: str, rows: list[Row], several: bool) -> list[str]:
    who = f"{judge}: " if several else ""
    found = []
    taken_back = [
        raw
        for row in rows
        if row.get("has_references") is False and (raw := number_of(row.get("evidence_sufficiency_raw")))
    ]
    if taken_back:
        n = len(taken_back)
        answers = f"{n} answer that lists" if n == 1 else f"{n} answers that list"
        found.append(
            f"{who}evidence counts 0 in {answers} no traceable reference, though the judge gave up to "
            f"{max(taken_back):.0f}."
        )
    missing = Counter(
        (_lack(row), text_of(row.get("reason")) or "no reason was given")
        for row in rows
        if row.get("status") != "scored"
    )
    of = "answer" if all(row.get("sample_no") in (None, 0) for row in rows) else "repeat"
    for (lack, reason), n in sorted(missing.items(), key=lambda item: (-item[1], item[0])):
        found.append(f"{who}{n} {of if n == 1 else of + 's'} {'has' if n == 1 else 'have'} {lack}: {reason}.")
    return found


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
    """Describe how far a metric's map is off on questions that it was not fitted on, and whether it is worth having."""
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
    """Describe once for each reason which systems of which metric it is of."""
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
