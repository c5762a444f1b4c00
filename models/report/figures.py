"""Coordinates of the report's figures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.metrics import BY_NAME, METRICS, Metric, shown_in, used_in
from medassay.models.report.rows import ReportData, Row, count_of, grouped, number_of, text_of
from medassay.models.report.states import CITATION_STATES, NotedNumber, said_in_a_line, said_once

_LEFT, _RIGHT, _ROW, _TOP = 8, 312, 38, 8
HEAT_LIMIT = 400
HEAT_AT_ONCE = 30
_ADDRESSED = "what is addressed, right or wrong (BioACE)"


@dataclass(frozen=True, slots=True)
class Score:
    """A mean as a reader sees it; `reason` says why there is none."""

    metric: Metric
    value: float | None
    low: float | None
    high: float | None
    reason: str
    note: str

    @property
    def shown(self) -> str:
        """The value with two places, or a dash."""
        if self.value is None:
            return "–"
        return f"{self.value:.0f}" if self.metric.points else f"{self.value:.2f}"

    @property
    def interval(self) -> str:
        """The interval in words a reader knows, or nothing."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.low:.2f} to {self.high:.2f}"

    @property
    def share(self) -> float:
        """The value in 0–100, for a bar's width."""
        if self.value is None:
            return 0.0
        return round(min(max(self.value if self.metric.points else 100 * self.value, 0.0), 100.0), 1)


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the leaderboard."""

    system: str
    rank: str
    n_asked: int
    n_answered: int
    n_refused: int
    n_scored: int
    n_abstained: int
    n_failed: int
    n_not_applicable: int
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """One system in a dot plot; x and y are where the drawing has them, None where there is no number."""

    score: Score
    system: str
    y: int
    x: float | None
    x_low: float | None
    x_high: float | None


@dataclass(frozen=True, slots=True)
class DotPlot:
    """One metric, every system."""

    metric: Metric
    height: int
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, str], ...]
    beside: str = ""
    """What its name may hide, in the chart's head."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """How much of a question's nuggets a system covers; `step` is its shade, None where there is no number."""

    system: str
    value: float | None
    step: int | None
    n_contradicted: int
    note: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One question across systems; `number` is its place in the report."""

    number: int
    question: str
    cells: tuple[HeatCell, ...]

    @property
    def spread(self) -> float:
        """How far the systems are apart on it."""
        values = [cell.value for cell in self.cells if cell.value is not None]
        return max(values) - min(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class StateBar:
    """What became of one system's citations, (state, count, per cent), and how many claims lack one that they need."""

    system: str
    total: int
    parts: tuple[tuple[str, int, float], ...]
    n_uncited: int = 0


def standings(data: ReportData) -> list[Standing]:
    """The leaderboard as it is ranked."""
    found = []
    for row in data.leaderboard:
        low, high = row.get("rank_low"), row.get("rank_high")
        rank = f"{count_of(low)}" if low == high or high is None else f"{count_of(low)}–{count_of(high)}"
        found.append(
            Standing(
                system=text_of(row.get("system")),
                rank=rank if low is not None else "–",
                n_asked=count_of(row.get("n_asked")),
                n_answered=count_of(row.get("n_answered")),
                n_refused=count_of(row.get("n_refused")),
                n_scored=count_of(row.get("n_scored")),
                n_abstained=count_of(row.get("n_abstained")),
                n_failed=count_of(row.get("n_failed")),
                n_not_applicable=count_of(row.get("n_not_applicable")),
                scores=tuple(score_of(row, metric) for metric in used_in("report", data.leaderboard)),
            )
        )
    return found


def columns_of(ranked: Sequence[Standing]) -> tuple[list[Metric], dict[str, list[str]]]:
    """The metrics that the leaderboard has columns for, and reason → those that every system lacks for that reason."""
    columns: dict[Metric, list[Score]] = {}
    for standing in ranked:
        for score in standing.scores:
            columns.setdefault(score.metric, []).append(score)
    absent: dict[str, list[str]] = {}
    for metric, scores in columns.items():
        reasons = {score.reason for score in scores}
        if scores and len(reasons) == 1 and all(score.value is None for score in scores):
            absent.setdefault(reasons.pop() or "no reason was stored", []).append(metric.label)
    left = {label for labels in absent.values() for label in labels}
    shown = [metric for metric in columns if metric.label not in left]
    return (shown, absent) if shown else (list(columns), {})


def cautions(ranked: Sequence[Standing]) -> tuple[str, str]:
    """What has to be known of some intervals: in one line, and each reason with every metric that it is true of."""
    known = [
        NotedNumber(score.metric.label, standing.system, score.reason)
        for standing in ranked
        for score in standing.scores
        if score.value is not None
    ]
    return said_in_a_line(known), ". ".join(said_once(known))


def score_of(row: Row, metric: Metric) -> Score:
    """One metric of a wide row, whose interval and reason stand in columns beside it."""
    return Score(
        metric,
        number_of(row.get(metric.name)),
        number_of(row.get(f"{metric.name}_interval_low")),
        number_of(row.get(f"{metric.name}_interval_high")),
        text_of(row.get(f"{metric.name}_reason")),
        "",
    )


def long_scores(data: ReportData) -> dict[str, dict[str, Score]]:
    """Metric → system → score, of the run's profile, from the long view; from the leaderboard where it is empty."""
    profile = text_of(data.run.get("profile")) or "seed"
    found: dict[str, dict[str, Score]] = {}
    for row in data.system_scores:
        metric = BY_NAME.get(text_of(row.get("metric")))
        if metric is None or text_of(row.get("profile") or "any") not in ("any", profile):
            continue
        value, low, high = (number_of(row.get(name)) for name in ("value", "low", "high"))
        left = [
            f"{count_of(row.get(f'n_{name}'))} {name.replace('_', ' ')}"
            for name in ("abstained", "failed", "not_applicable")
            if row.get(f"n_{name}")
        ]
        note = f"{count_of(row.get('n_scored'))} of {count_of(row.get('n_asked'))} questions scored"
        reason = text_of(row.get("reason"))
        caution = [reason] if reason and value is not None else []
        score = Score(metric, value, low, high, reason, "; ".join([", ".join([note, *left]), *caution]))
        found.setdefault(metric.name, {})[text_of(row.get("system"))] = score
    for row in data.leaderboard:
        for metric in METRICS:
            if metric.name in row:
                scores = found.setdefault(metric.name, {})
                scores.setdefault(text_of(row.get("system")), score_of(row, metric))
    return {name: found[name] for name in BY_NAME if name in found}


def valued(scores: dict[str, dict[str, Score]]) -> tuple[list[Metric], dict[str, list[str]]]:
    """Return the metrics that some system has a value of, and why the others have none: reason → labels."""
    with_value, without = [], dict[str, list[str]]()
    for name, of_system in scores.items():
        metric = BY_NAME[name]
        if any(score.value is not None for score in of_system.values()):
            with_value.append(metric)
        else:
            reasons = dict.fromkeys(score.reason for score in of_system.values() if score.reason)
            without.setdefault("; ".join(reasons) or "no reason was stored", []).append(metric.label)
    return with_value, without


def dot_plots(
    scores: dict[str, dict[str, Score]], systems: Sequence[str], profile: str = "seed"
) -> list[DotPlot]:
    """One plot for each metric that people look at first and that any system has a number for."""
    plots = []
    for metric in shown_in("plot"):
        of_metric = scores.get(metric.name, {})
        if not any(score.value is not None for score in of_metric.values()):
            continue
        missing = Score(metric, None, None, None, "not computed", "")
        marks = []
        for place, system in enumerate(systems):
            score = of_metric.get(system, missing)
            marks.append(
                Mark(score, system, _TOP + 26 + place * _ROW, _x(score.value), _x(score.low), _x(score.high))
            )
        ticks = tuple((_LEFT + (_RIGHT - _LEFT) * tick / 4, f"{tick / 4:g}") for tick in range(5))
        addressed = metric.name == "completeness" and profile != "trec"
        plots.append(
            DotPlot(
                metric,
                _TOP + len(systems) * _ROW + 24,
                tuple(marks),
                ticks,
                _ADDRESSED if addressed else "lower is better" if metric.lower_is_better else "",
            )
        )
    return plots


def _x(value: float | None) -> float | None:
    return None if value is None else round(_LEFT + (_RIGHT - _LEFT) * min(max(value, 0.0), 1.0), 1)


def shade(value: float | None) -> int | None:
    """Return the step of a share's colour, 0 to 10: none and all have one of their own, nine lie between."""
    if value is None or not 0 < value < 1:
        return None if value is None else 10 * (value >= 1)
    return 1 + int(value * 9)


def heat_map(data: ReportData, systems: Sequence[str]) -> list[HeatRow]:
    """Nugget coverage of every question by every system; at most `HEAT_LIMIT` rows, as the questions come."""
    states = grouped(data.nugget_states, "question_id", "system")
    scores = grouped(data.answer_scores, "question_id", "system")
    rows = []
    for number, question in enumerate(data.questions[:HEAT_LIMIT]):
        question_id = text_of(question.get("question_id"))
        cells = []
        for system in systems:
            score: Row = scores.get((question_id, system), [{}])[0]
            counts = Counter(text_of(row.get("state")) for row in states.get((question_id, system), []))
            value = number_of(score.get("nugget_coverage"))
            total = sum(counts.values())
            if value is None and total and not score:
                value = counts["covered"] / total
            told = ", ".join(f"{count} {state}" for state, count in counts.most_common())
            cells.append(
                HeatCell(
                    system,
                    value,
                    shade(value),
                    counts["contradicted"],
                    told or text_of(score.get("nugget_coverage_reason")) or "not scored",
                )
            )
        rows.append(HeatRow(number, text_of(question.get("question")), tuple(cells)))
    return rows if any(cell.value is not None for row in rows for cell in row.cells) else []


def heat_at_once(rows: list[HeatRow]) -> tuple[list[HeatRow], list[HeatRow]]:
    """Return the rows that are drawn at once, where the systems are furthest apart, and the others; each as asked."""
    if len(rows) <= HEAT_AT_ONCE:
        return rows, []
    telling = sorted(rows, key=lambda row: (-row.spread, row.number))[:HEAT_AT_ONCE]
    first = {row.number for row in telling}
    return [row for row in rows if row.number in first], [row for row in rows if row.number not in first]


def state_bars(data: ReportData, systems: Sequence[str]) -> list[StateBar]:
    """What became of each system's citations."""
    counts = data.tally("citation", data.citation_verdicts)
    uncited = data.tally("uncited", data.uncited_claims, "")
    bars = []
    for system in systems:
        total = sum(n for (whose, _), n in counts.items() if whose == system)
        parts = tuple(
            (state, n, round(100 * n / total, 2)) for state in CITATION_STATES if (n := counts[system, state])
        )
        bars.append(StateBar(system, total, parts, uncited[system, ""]))
    return bars if counts else []
