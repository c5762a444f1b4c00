"""What the judges gave: marks by sub-metric, what the rule on references took back, and why some answers have none."""

from collections import Counter
from dataclasses import dataclass
from statistics import fmean

from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.report.rows import ReportData, Row, grouped, number_of, text_of


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
    by_judge = grouped(data.judgements, "judge")
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
