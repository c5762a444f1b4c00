"""Enough citations, and none too many: what claims lack, what citations add nothing, each system beside the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from medassay.metrics import shown_in
from medassay.models.report.rows import ReportData, Row, number_of, text_of

MOST_UNCITED = 12


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over a system's questions, None where there is none; the bounds count what is unverifiable either way."""

    metric: str
    label: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def bounded(self) -> bool:
        """Say whether anything was unverifiable, so that the bounds differ."""
        return None not in (self.low, self.high) and self.low != self.high


@dataclass(frozen=True, slots=True)
class Uncited:
    """A claim that needs a citation and has none that leads to a source; `question` is its place in the report."""

    question: int | None
    system: str
    claim: str


def sufficiency(data: ReportData, systems: Sequence[str]) -> dict[str, list[Mean]]:
    """Return each system's means of the metrics shown as `sufficiency`, unless nothing of the kind was measured."""
    metrics = shown_in("sufficiency")
    values = {
        (text_of(row.get("system")), text_of(row.get("metric"))): number_of(row.get("value"))
        for row in data.system_scores
    }
    means = {
        system: [
            Mean(
                metric.name,
                metric.label,
                *(values.get((system, metric.name + end)) for end in ("", "_low", "_high")),
            )
            for metric in metrics
        ]
        for system in systems
    }
    return means if any(mean.value is not None for row in means.values() for mean in row) else {}


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
