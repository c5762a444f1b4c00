"""Rows of the report: one list for each view."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

Row = Mapping[str, Any]
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class ReportData:
    """The rows of one run; a list that is missing or empty leaves its part of the report out.

    `warnings` are sentences that the reader must see, beside those that the rows themselves call for. Of a large run
    the lists hold some questions only; `totals` then counts the whole run, and `marks` are all marks without texts.
    """

    runs: Rows = ()
    leaderboard: Rows = ()
    system_scores: Rows = ()
    answer_scores: Rows = ()
    questions: Rows = ()
    answers: Rows = ()
    nuggets: Rows = ()
    nugget_states: Rows = ()
    claims: Rows = ()
    citation_verdicts: Rows = ()
    citation_rates: Rows = ()
    uncited_claims: Rows = ()
    judgements: Rows = ()
    guidance_states: Rows = ()
    turns: Rows = ()
    conversation_nuggets: Rows = ()
    conversation_acts: Rows = ()
    quarantine: Rows = ()
    quarantined_systems: Rows = ()
    outcomes: Rows = ()
    unscored: Rows = ()
    run_costs: Rows = ()
    run_stages: Rows = ()
    comparisons: Rows = ()
    agreement: Rows = ()
    agreement_points: Rows = ()
    judge_licences: Rows = ()
    judge_drift: Rows = ()
    judge_stability: Rows = ()
    calibrations: Rows = ()
    criteria: Rows = ()
    criteria_scores: Rows = ()
    ranking_places: Rows = ()
    preference_counts: Rows = ()
    totals: Rows = ()
    marks: Rows = ()
    warnings: tuple[str, ...] = ()

    @property
    def run(self) -> Row:
        """The run that is reported: the one that was started last, where there are several."""
        return max(self.runs, key=lambda row: text_of(row.get("started_at")), default={})

    @property
    def n_questions(self) -> int:
        """How many questions the run has, listed or not."""
        return self.tally("question", self.questions).total()

    def tally(
        self, kind: str, rows: Rows, state: str = "state", default: str = ""
    ) -> Counter[tuple[str, str]]:
        """Count the whole run's rows of a kind by system and state, `rows` being those that are listed."""
        found: Counter[tuple[str, str]] = Counter()
        if self.totals:
            for row in self.totals:
                if row["kind"] == kind:
                    found[text_of(row["system"]), text_of(row["state"])] += count_of(row["n"])
        else:
            for row in rows:
                found[text_of(row.get("system")), text_of(row.get(state, default))] += 1
        return found

    def of_run(self) -> "ReportData":
        """Only the rows of the reported run; rows that name no run are kept."""
        run_id = self.run.get("run_id")
        if run_id is None:
            return self
        kept: dict[str, Any] = {"warnings": self.warnings}
        for field in fields(self):
            if field.name != "warnings":
                rows: Rows = getattr(self, field.name)
                kept[field.name] = [row for row in rows if row.get("run_id", run_id) == run_id]
        return ReportData(**kept)


def number_of(value: Any) -> float | None:
    """A finite number, or None for anything else."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def count_of(value: Any) -> int:
    """A count; what is missing counts nothing."""
    return int(number_of(value) or 0)


def text_of(value: Any) -> str:
    """Text as a page may hold it: no NUL, no half of a surrogate pair; None is empty."""
    if value is None:
        return ""
    text = str(value).replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def moment_of(value: Any) -> str:
    """A moment to the minute, in UTC where it knows its zone."""
    if isinstance(value, datetime):
        value = value.astimezone(UTC) if value.tzinfo else value
        return f"{value:%Y-%m-%d %H:%M}"
    return text_of(value)[:16].replace("T", " ")


def list_of(value: Any) -> list[Any]:
    """A list given as one, or as the JSON of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str | Mapping) else []


def object_of(value: Any) -> dict[str, Any]:
    """An object given as one, or as the JSON of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, Mapping) else {}


def grouped(rows: Rows, *columns: str) -> dict[tuple[str, ...], list[Row]]:
    """Rows by the text of some columns, in the order in which they came."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(text_of(row.get(column)) for column in columns), []).append(row)
    return groups
