"""Comparisons and agreement in the report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from medassay.metrics import BY_NAME, RUBRIC
from medassay.models.report.rows import ReportData, Row, count_of, number_of, text_of
from medassay.models.report.states import NotedNumber, said_in_a_line, said_once

_ALPHA = 0.05
_FIRST = ("kendall", "kendall_tau_b", "ICC(2,k)")
FEW = 24
MOST_OF_LEADER = 40
MOST_MORE = 250
MOST_QUESTIONS_ASKED = 1_000
"""How many more questions people may be told to ask; where more would be needed, there is no difference to be found.

Sets with references written by experts hold 40 (MedAESQA) to 5,000 questions (HealthBench), most under 1,000.
"""
NOT_TO_BE_FOUND = "no difference to be found"
_REACHES = (0.1, 0.2, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One metric of system a less that of b."""

    name: str
    metric: str
    means: str
    a: str
    b: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    primary: bool
    wins: int
    ties: int
    losses: int
    n: int
    dropped: int
    verdict: str
    by_judge: bool = False
    caution: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well one automatic score agrees with people, by one measure, beside what people reach among themselves."""

    metric: str
    human: str
    level: str
    measure: str
    value: float | None
    interval: str
    ceiling: float | None
    n: int
    reason: str
    first: bool
    by_judge: bool = False

    @property
    def shown(self) -> str:
        """The value with two places, never a negative zero."""
        return "" if self.value is None else _proper(f"{round(self.value, 2) + 0.0:.2f}")


@dataclass(frozen=True, slots=True)
class Contrasts:
    """The pairs that a reader sees at once, those that open on demand, what is left.

    `nothing` has each reason why nothing was compared, with the metrics that it is true of; `caution` what has to be
    known of the pairs at once, in a line, `cautions` the same with every pair that it is of.
    """

    shown: tuple[Contrast, ...]
    more: tuple[Contrast, ...]
    nothing: tuple[tuple[str, tuple[str, ...]], ...]
    n_left: int
    n_pairs: int
    reach: float = 1.0
    caution: str = ""
    cautions: str = ""

    @property
    def hopeless(self) -> bool:
        """Return whether any pair at once would need more questions than people are told to ask."""
        return any(item.verdict == NOT_TO_BE_FOUND for item in self.shown)

    def x(self, value: float | None) -> float | None:
        """Return where a difference is drawn, 0–100, 50 being none; the reach is at either end."""
        return None if value is None else round(50 + 50 * min(max(value / self.reach, -1.0), 1.0), 1)

    @property
    def leader_only(self) -> bool:
        """Return whether the pairs at once are those of the leading system alone."""
        return any(item.primary for item in self.more)


def arranged(data: ReportData, systems: Sequence[str]) -> Contrasts:
    """Sort contrasts by who should see them first: the declared family, the leader's part of it where it is large.

    Each is read from the side of the system that stands higher on the leaderboard.
    """
    places = {system: place for place, system in enumerate(systems)}
    turned = [_from_above(item, places) for item in contrasts(data)]
    order = {name: place for place, name in enumerate(BY_NAME)}
    found = sorted(
        turned,
        key=lambda item: (
            not item.primary, order.get(item.name, len(order)), places.get(item.a, 0), places.get(item.b, 0)
        ),
    )  # fmt: skip
    compared = [item for item in found if item.difference is not None]
    primary = [item for item in compared if item.primary]
    leader = systems[0] if systems else ""
    few = len(primary) <= FEW
    at_once = [item for item in primary if few or item.a == leader][:MOST_OF_LEADER]
    kept = {id(item) for item in at_once}
    rest = [item for item in compared if id(item) not in kept]
    alone = {item.metric for item in compared}
    # Why a metric has no value at all stands at the leaderboard.
    scored = {row.get("metric") for row in data.system_scores if row.get("value") is not None}
    nothing: dict[str, dict[str, None]] = {}
    for item in found:
        if item.difference is None and item.metric not in alone and (item.name in scored or not scored):
            nothing.setdefault(item.verdict, {})[item.metric] = None
    known = [NotedNumber(item.metric, f"{item.a} – {item.b}", item.caution) for item in at_once]
    return Contrasts(
        tuple(at_once),
        tuple(rest[:MOST_MORE]),
        tuple((why, tuple(metrics)) for why, metrics in nothing.items()),
        max(len(rest) - MOST_MORE, 0),
        len({(item.a, item.b) for item in found}),
        _reach(at_once or rest[:MOST_MORE]),
        said_in_a_line(known),
        ". ".join(said_once(known)),
    )


def _from_above(item: Contrast, places: dict[str, int]) -> Contrast:
    last = len(places)
    return _turned(item) if places.get(item.b, last) < places.get(item.a, last) else item


def _reach(items: Sequence[Contrast]) -> float:
    """Return the least round number that no interval goes beyond, so that small differences are seen as well."""
    ends = [abs(end) for item in items for end in (item.difference, item.low, item.high) if end is not None]
    return next((reach for reach in _REACHES if reach >= max(ends, default=1.0)), 1.0)


def contrasts(data: ReportData) -> list[Contrast]:
    """Every pair of systems on every metric, over all questions, as the view has them."""
    profile = text_of(data.run.get("profile")) or "seed"
    rows = [
        row
        for row in data.comparisons
        if text_of(row.get("stratum") or "all") == "all"
        and text_of(row.get("profile") or "any") in ("any", profile)
    ]
    return [_contrast(row) for row in rows]


def _contrast(row: Row) -> Contrast:
    metric = BY_NAME.get(text_of(row.get("metric")))
    difference, low, high = (number_of(row.get(name)) for name in ("difference", "low", "high"))
    primary = row.get("family") == "primary"
    adjusted = number_of(row.get("p_adjusted"))
    return Contrast(
        name=text_of(row.get("metric")),
        metric=metric.label if metric else text_of(row.get("metric")),
        means=metric.means if metric else "",
        a=text_of(row.get("system_a")),
        b=text_of(row.get("system_b")),
        difference=difference,
        low=low,
        high=high,
        p_value=adjusted if primary and adjusted is not None else number_of(row.get("p_value")),
        primary=primary,
        wins=count_of(row.get("wins")),
        ties=count_of(row.get("ties")),
        losses=count_of(row.get("losses")),
        n=count_of(row.get("n_questions")),
        dropped=count_of(row.get("n_dropped")),
        verdict=_verdict(row, difference, adjusted, primary),
        by_judge=metric is not None and metric.group is RUBRIC,
        caution="" if difference is None else text_of(row.get("reason")),
    )


def _turned(item: Contrast) -> Contrast:
    """Read a contrast from the other side."""

    def negated(value: float | None) -> float | None:
        return None if value is None else -value

    return replace(
        item,
        a=item.b,
        b=item.a,
        difference=negated(item.difference),
        low=negated(item.high),
        high=negated(item.low),
        wins=item.losses,
        losses=item.wins,
    )


def _verdict(row: Row, difference: float | None, adjusted: float | None, primary: bool) -> str:
    if difference is None:
        return text_of(row.get("reason")) or "not compared"
    if not primary:
        return ""
    if adjusted is not None and adjusted <= _ALPHA:
        return "more than chance"
    needed, detectable = count_of(row.get("questions_needed")), number_of(row.get("detectable_difference"))
    missing = max(needed - count_of(row.get("n_questions")), 0)
    if missing > MOST_QUESTIONS_ASKED:
        return NOT_TO_BE_FOUND
    more = f"; about {missing:,} more questions would settle it" if missing else ""
    least = "" if detectable is None else f"; {_least(text_of(row.get('metric')), detectable)}"
    return f"could be chance{more or least}"


def _least(metric: str, detectable: float) -> str:
    if is_beyond(metric, detectable):
        return "so few questions can show no difference at all"
    return f"the least difference these questions can show is {detectable:.2f}"


def is_beyond(metric: str, difference: float) -> bool:
    """Tell whether a difference is larger than the metric can have: then none can be told with so few questions."""
    known = BY_NAME.get(metric)
    return difference > (100 if known is not None and known.points else 1)


def win_matrix(
    data: ReportData, systems: Sequence[str], metric: str
) -> dict[str, dict[str, tuple[int, int, int]]]:
    """Wins, ties and losses of the row's system against the column's, on one metric; empty without comparisons."""
    won: dict[str, dict[str, tuple[int, int, int]]] = {}
    for row in data.comparisons:
        if text_of(row.get("metric")) != metric or text_of(row.get("stratum") or "all") != "all":
            continue
        a, b = text_of(row.get("system_a")), text_of(row.get("system_b"))
        wins, ties, losses = (count_of(row.get(name)) for name in ("wins", "ties", "losses"))
        won.setdefault(a, {})[b] = (wins, ties, losses)
        won.setdefault(b, {})[a] = (losses, ties, wins)
    return {system: won[system] for system in systems if system in won}


def agreements(data: ReportData) -> list[Agreement]:
    """Agreement with people, as it was measured."""
    found = []
    for row in data.agreement:
        low, high = number_of(row.get("low")), number_of(row.get("high"))
        metric = BY_NAME.get(text_of(row.get("metric")))
        found.append(
            Agreement(
                metric=metric.label if metric else _scorer(text_of(row.get("metric"))),
                human=text_of(row.get("human_metric")).replace("_", " "),
                level=text_of(row.get("level")),
                measure=_measure(text_of(row.get("measure"))),
                value=number_of(row.get("value")),
                interval="" if low is None or high is None else _proper(f"{low:.2f} to {high:.2f}"),
                ceiling=number_of(row.get("ceiling")),
                n=count_of(row.get("n_systems")) if row.get("level") == "system" else count_of(row.get("n")),
                reason=text_of(row.get("reason")),
                first=text_of(row.get("measure")) in _FIRST or row.get("level") in ("nugget", "criterion"),
                by_judge=metric is not None and metric.group is RUBRIC,
            )
        )
    return found


def _scorer(name: str) -> str:
    return "People among themselves" if name == "humans" else name.replace("_", " ")


def _proper(words: str) -> str:
    """Write negative numbers with a minus sign."""
    return words.replace("-", "−")


def _measure(name: str) -> str:
    for known, words in (("kendall", "Kendall τ-b"), ("spearman", "Spearman ρ"), ("pearson", "Pearson r")):
        if name.startswith(known):
            return (words + name.removeprefix(known).removeprefix("_tau_b").replace("_", " ")).strip()
    return name
