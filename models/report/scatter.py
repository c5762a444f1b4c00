"""Scatter plot of systems: our score against people's."""

import math
from dataclasses import dataclass

from medassay.metrics import BY_NAME
from medassay.models.report.rows import ReportData, Row, count_of, grouped, number_of, text_of

WIDTH, HEIGHT = 320, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 308, 14, 208
LONGEST_LABEL = 20
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Point:
    """A system; x and y are where the drawing has it, the label's anchor keeps it inside."""

    system: str
    x: float
    y: float
    anchor: str
    labelled: bool
    note: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """One of our metrics against one human one, a point a system; ticks are (place, words)."""

    title: str
    across: str
    up: str
    points: tuple[Point, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    told: str
    ceiling: str


def scatters(data: ReportData) -> list[Scatter]:
    """Draw every pair of metrics that has three systems or more."""
    found = []
    for (human, metric), rows in grouped(data.agreement_points, "human_metric", "metric").items():
        pairs = [
            (row, x, y)
            for row in rows
            if (x := number_of(row.get("human_mean"))) is not None
            and (y := number_of(row.get("automatic_mean"))) is not None
        ]
        if len(pairs) >= 3:
            found.append(_scatter(data, human, metric, pairs))
    return found


def _scatter(data: ReportData, human: str, metric: str, pairs: list[tuple[Row, float, float]]) -> Scatter:
    label = BY_NAME[metric].label if metric in BY_NAME else metric.replace("_", " ")
    x_low, x_high = _ends([x for _, x, _ in pairs])
    y_low, y_high = _ends([y for _, _, y in pairs])
    points: list[Point] = []
    taken: list[Box] = []
    places = [
        (
            round(_LEFT + (_RIGHT - _LEFT) * (x - x_low) / (x_high - x_low), 1),
            round(_BOTTOM - (_BOTTOM - _TOP) * (y - y_low) / (y_high - y_low), 1),
        )
        for _, x, y in pairs
    ]
    dots = [(across - 5, up - 5, across + 5, up + 5) for across, up in places]
    for number, ((row, x, y), (across, up)) in enumerate(zip(pairs, places, strict=True)):
        system = text_of(row.get("system"))
        anchor, box = _label(system, across, up, [*taken, *dots[:number], *dots[number + 1 :]])
        if box:
            taken.append(box)
        note = f"{system}: people {x:.2f}, {label.lower()} {y:.2f}, over {count_of(row.get('n_questions'))} answers"
        points.append(Point(system, across, up, anchor, bool(box), note))
    told, ceiling = _agreement(data, human, metric)
    return Scatter(
        title=f"Our {label[:1].lower()}{label[1:]} against people's {human.replace('_', ' ')}",
        across=f"people's {human.replace('_', ' ')}",
        up=label,
        points=tuple(points),
        x_ticks=tuple((_LEFT + (_RIGHT - _LEFT) * part, words) for part, words in _ticks(x_low, x_high)),
        y_ticks=tuple((_BOTTOM - (_BOTTOM - _TOP) * part, words) for part, words in _ticks(y_low, y_high)),
        told=told,
        ceiling=ceiling,
    )


def _label(system: str, x: float, y: float, taken: list[Box]) -> tuple[str, Box | None]:
    """Find the side where a point's name stands free; none where both are taken, and the tip has the name."""
    wide = 6.2 * min(len(system), LONGEST_LABEL) + 8
    for anchor, left in (("start", x + 6), ("end", x - 6 - wide)):
        box = (left, y - 7, left + wide, y + 6)
        inside = _LEFT - 6 <= box[0] and box[2] <= WIDTH
        if inside and not any(_overlap(box, other) for other in taken):
            return anchor, box
    return "start", None


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _ends(values: list[float]) -> tuple[float, float]:
    """Return ends a little beyond the values, so that no point lies on the frame."""
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 0.05
    return low - room, high + room


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return round numbers between two ends, three to six of them: where each lies, 0 to 1, and its words."""
    size = 10 ** math.floor(math.log10(high - low))
    step = next(part * size for part in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if (high - low) / (part * size) < 6)
    places = max(0, -math.floor(math.log10(step) + 1e-9)) + (round(step / size, 2) == 0.25)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [
        (round((n * step - low) / (high - low), 4), f"{n * step + 0.0:.{places}f}")
        for n in range(first, last + 1)
    ]


def _agreement(data: ReportData, human: str, metric: str) -> tuple[str, str]:
    """Describe how well the systems' orders agree, and how well two halves of people's do."""
    for row in data.agreement:
        if (
            text_of(row.get("human_metric")) == human
            and text_of(row.get("metric")) == metric
            and row.get("level") == "system"
            and text_of(row.get("measure")).startswith("kendall")
        ):
            value, low, high = (number_of(row.get(name)) for name in ("value", "low", "high"))
            ceiling = number_of(row.get("ceiling"))
            interval = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
            told = text_of(row.get("reason")) if value is None else f"Kendall τ-b {value:.2f}{interval}"
            return told, "" if ceiling is None else f"people among themselves {ceiling:.2f}"
    return "", ""
