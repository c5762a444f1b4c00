"""Enough citations, and none too many: what claims lack, what citations add nothing, each system beside the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.report.rows import ReportData, Row, number_of, text_of

MOST_UNCITED = 12
_COLUMNS = (
    "citation_recall",
    "citation_recall_low",
    "citation_recall_high",
    "under_citation_rate",
    "over_citation_rate",
    "alce_recall",
    "alce_precision",
)


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """One system's means over questions, None where there is none; the bounds count what is unverifiable either way."""

    system: str
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    under: float | None
    over: float | None
    alce_recall: float | None
    alce_precision: float | None

    @property
    def bounded(self) -> bool:
        """Say whether anything was unverifiable, so that the bounds differ."""
        return None not in (self.recall_low, self.recall_high) and self.recall_low != self.recall_high


@dataclass(frozen=True, slots=True)
class Uncited:
    """A claim that needs a citation and has none that leads to a source; `question` is its place in the report."""

    question: int | None
    system: str
    claim: str


def sufficiency(data: ReportData, systems: Sequence[str]) -> list[Sufficiency]:
    """Return a row a system, unless nothing of the kind was measured."""
    values = {
        (text_of(row.get("system")), text_of(row.get("metric"))): number_of(row.get("value"))
        for row in data.system_scores
    }
    rows = [Sufficiency(s, *(values.get((s, name)) for name in _COLUMNS)) for s in systems]
    return rows if any(value is not None for (_, name), value in values.items() if name in _COLUMNS) else []


def uncited(data: ReportData) -> tuple[list[Uncited], int]:
    """Return claims without a citation, the systems in turn so that each is seen, and how many there are in all."""
    places = {text_of(row.get("question_id")): place for place, row in enumerate(data.questions)}
    found: dict[str, list[Row]] = {}
    for row in data.uncited_claims:
        found.setdefault(text_of(row.get("system")), []).append(row)
    longest = max(map(len, found.values()), default=0)
    turns = [rows[turn] for turn in range(longest) for rows in found.values() if turn < len(rows)]
    shown = [
        Uncited(
            places.get(text_of(row.get("question_id"))), text_of(row.get("system")), text_of(row.get("claim"))
        )
        for row in turns[:MOST_UNCITED]
    ]
    return sorted(shown, key=lambda item: item.system), len(turns)
