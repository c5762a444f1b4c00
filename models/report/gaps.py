"""Which answers a shown metric's mean leaves out because a judge abstained or something failed, a line a gap."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from medassay.metrics import BY_NAME, RUBRIC, headings
from medassay.models.report.rows import ReportData, Row, Rows, count_of, grouped, text_of

MOST_REASONS = 3
LONGEST_REASON = 160


@dataclass(frozen=True, slots=True)
class _Gap:
    """What one metric's means leave out; metrics that leave out the same share a line."""

    n_answers: int
    systems: tuple[str, ...]
    reasons: tuple[tuple[str, str, int], ...]


def gaps(scores: Rows, unscored: Rows, labels: Mapping[str, str]) -> list[str]:
    """Say how many answers have no value and why, of each metric in `labels` that some answer has one of.

    A metric that no answer has a value of is said to be empty where it is shown; one that has nothing to measure in an
    answer leaves nothing out.

    Args:
        scores: rows of `system_scores`, of one profile a metric.
        unscored: rows of `unscored`, of the same profiles.
        labels: what each metric is called, in the order in which they are shown.
    """
    of_metric, why = grouped(scores, "metric"), grouped(unscored, "metric")
    alike: dict[_Gap, list[str]] = {}
    for metric in labels:
        rows, reasons = of_metric.get((metric,), []), why.get((metric,), [])
        if reasons and any(count_of(row.get("n_scored")) for row in rows):
            alike.setdefault(_gap(rows, reasons), []).append(metric)
    return [
        f"{', '.join(labels[metric] for metric in metrics)}: {_told(gap, metrics)}"
        for gap, metrics in alike.items()
    ]


def gaps_of(data: ReportData) -> list[str]:
    """Return the gaps of a report's leaderboard as sentences, without their full stops."""
    lines = gaps(data.system_scores, data.unscored, headings("report"))
    return [f"{line[:1].upper()}{line[1:]}" for line in lines]


def _gap(rows: Iterable[Row], unscored: Iterable[Row]) -> _Gap:
    counts: Counter[tuple[str, str]] = Counter()
    lacking = set()
    for row in unscored:
        counts[text_of(row.get("status")), text_of(row.get("reason"))] += count_of(row.get("n_answers"))
        lacking.add(text_of(row.get("system")))
    everyone = {text_of(row.get("system")): count_of(row.get("n_asked")) for row in rows}
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return _Gap(
        sum(everyone.values()),
        () if lacking >= everyone.keys() else tuple(sorted(lacking)),
        tuple((status, reason, n) for (status, reason), n in ordered),
    )


def _told(gap: _Gap, metrics: Iterable[str]) -> str:
    n_lacking = sum(n for *_, n in gap.reasons)
    what = "mark" if all(BY_NAME[metric].group is RUBRIC for metric in metrics) else "value"
    whose = f", all by {', '.join(gap.systems)}" if gap.systems else ""
    has = "has" if n_lacking == 1 else "have"
    return f"{n_lacking:,} of {gap.n_answers:,} answers {has} no {what}{whose} ({'; '.join(_statuses(gap))})"


def _statuses(gap: _Gap) -> list[str]:
    """Say of each status how many, and the reasons of most of them; how many each is of where there are several."""
    told = []
    for status in dict.fromkeys(status for status, *_ in gap.reasons):
        own = [(reason, n) for of, reason, n in gap.reasons if of == status]
        shown = [(_short(reason), n) for reason, n in own[:MOST_REASONS]]
        if left := own[MOST_REASONS:]:
            shown.append(("for other reasons", sum(n for _, n in left)))
        words = [reason if len(own) == 1 else f"{n:,} × {reason}" for reason, n in shown]
        told.append(f"{sum(n for _, n in own):,} {status}: {', '.join(words)}")
    return told


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"
