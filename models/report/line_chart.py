"""A line chart as SVG: axes with ticks, a mark at every point, intervals, levels to compare with, a legend."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 760, 48, 22, 500, 210
COLOURS = ("#1f6fb2", "#c2571a", "#2b8a3e", "#7b4ab0", "#8a6d1b", "#b02a4b", "#3a7c7c", "#555555")
DASHES = ("", "7 4", "2 3", "9 3 2 3")
"""After the last colour lines begin again with the first, and are told apart by their dashes."""
LEGEND_STEP, LETTER_WIDTH, MOST_TICKS, MOST_DECADES = 18, 6.2, 6, 12


@dataclass(frozen=True, slots=True)
class Point:
    """A point, with the ends of its interval where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Axes:
    """What the axes say.

    Attributes:
        across: Title of the x axis.
        up: Title of the y axis.
        names: Names of x = 0, 1, …; without them x has numbers.
        top: Where the y axis ends; the largest value unless given.
        logarithmic: Whether y is drawn by its logarithm, for losses; values of 0 and less are left out.
    """

    across: str
    up: str
    names: Sequence[str] = ()
    top: float | None = None
    logarithmic: bool = False


def line_chart(
    lines: Mapping[str, Sequence[Point]],
    axes: Axes,
    *,
    levels: Mapping[str, float] | None = None,
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """Return the chart, or nothing where there is no point.

    Args:
        lines: points by the name in the legend, each in order of x.
        axes: what the axes say.
        levels: horizontal lines to compare with, by their name in the legend.
        marks: vertical lines at an x, each with a name.
    """
    shown = {
        name: [point for point in line if not axes.logarithmic or point.y > 0] for name, line in lines.items()
    }
    points = [point for line in shown.values() for point in line]
    if not points:
        return ""
    across = _across(points, axes)
    up = _up(points, axes)
    slant = max((len(name) for name in axes.names), default=0) * LETTER_WIDTH * 0.6
    named = [*shown, *(levels or {})]
    height = max(TOP + PLOT_HEIGHT + 44 + slant, TOP + LEGEND_STEP * len(named) + 8)
    parts = [
        *_grid(up),
        *_ticks(across, axes),
        *_marks(across, marks),
        *(part for n, line in enumerate(shown.values()) for part in _line(line, n, across, up)),
        *_levels(up, list((levels or {}).values()), len(shown)),
        *_legend(list(shown), list(levels or {})),
        _text(LEFT, 12, axes.up, "start"),
        _text(LEFT + PLOT_WIDTH / 2, height - 6, axes.across, "middle"),
    ]
    label = f"{axes.up} by {axes.across}: {', '.join(named)}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}" font-size="12">'
        f"{''.join(parts)}</svg>"
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where values lie on an axis."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        low, high, value = (
            (math.log10(one) if self.logarithmic else one)
            for one in (self.low, self.high, max(value, self.low))
        )
        return self.start + (min(value, high) - low) / ((high - low) or 1) * (self.end - self.start)


def _across(points: Sequence[Point], axes: Axes) -> _Scale:
    most = max(point.x for point in points)
    if axes.names:
        return _Scale(-0.5, len(axes.names) - 0.5, LEFT, LEFT + PLOT_WIDTH, tuple(range(len(axes.names))))
    ticks = steps_to(most)
    return _Scale(0.0, max(most, ticks[-1]), LEFT, LEFT + PLOT_WIDTH, ticks)


def _up(points: Sequence[Point], axes: Axes) -> _Scale:
    start, end = TOP + PLOT_HEIGHT, TOP
    if axes.logarithmic:
        ticks = decades(min(point.y for point in points), max(point.y for point in points))
        return _Scale(ticks[0], ticks[-1], start, end, ticks, logarithmic=True)
    ticks = steps_to(axes.top or max(point.y for point in points))
    return _Scale(0.0, max(axes.top or 0.0, ticks[-1]), start, end, ticks)


def steps_to(most: float) -> tuple[float, ...]:
    """Return at most seven numbers from 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten."""
    if most <= 0:
        return (0.0, 1.0)
    rough = most / (MOST_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return tuple(round(step * n, 12) for n in range(math.ceil(most / step - 1e-9) + 1))


def decades(least: float, most: float) -> tuple[float, ...]:
    """Return powers of ten that reach from `least` to `most`, with 2 and 5 times these where they are few."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    if last - first > MOST_DECADES // 3:
        return tuple(10.0**n for n in range(first, max(last, first + 1) + 1))
    every = [factor * 10.0**n for n in range(first, last + 2) for factor in (1, 2, 5)]
    low = max(n for n, value in enumerate(every) if value <= least * (1 + 1e-9))
    high = min(n for n, value in enumerate(every) if value >= most * (1 - 1e-9))
    return tuple(every[low : max(high, low + 1) + 1])


def _grid(up: _Scale) -> list[str]:
    return [
        f'<line x1="{LEFT}" y1="{up.at(y):.1f}" x2="{LEFT + PLOT_WIDTH}" y2="{up.at(y):.1f}"'
        f' stroke="{"#999" if n == 0 else "#e3e3e3"}"/>' + _text(LEFT - 6, up.at(y) + 4, f"{y:g}", "end")
        for n, y in enumerate(up.ticks)
    ]


def _ticks(across: _Scale, axes: Axes) -> list[str]:
    base = TOP + PLOT_HEIGHT
    found = []
    for n, x in enumerate(across.ticks):
        place = across.at(x)
        found.append(f'<line x1="{place:.1f}" y1="{base}" x2="{place:.1f}" y2="{base + 5}" stroke="#999"/>')
        if axes.names:
            found.append(
                f'<text x="{place + 4:.1f}" y="{base + 17}" text-anchor="end"'
                f' transform="rotate(-30 {place + 4:.1f} {base + 17})">{escape(axes.names[n])}</text>'
            )
        else:
            found.append(_text(place, base + 18, f"{x:g}", "middle"))
    return found


def _marks(across: _Scale, marks: Sequence[tuple[float, str]]) -> list[str]:
    """Draw vertical lines; a name that would run into the one before stands a row lower."""
    found, ends = [], [-math.inf] * len(marks)
    for x, name in marks:
        place = across.at(x)
        row = next(n for n, end in enumerate(ends) if place > end)
        ends[row] = place + 6 + len(name) * LETTER_WIDTH
        found.append(
            f'<line x1="{place:.1f}" y1="{TOP}" x2="{place:.1f}" y2="{TOP + PLOT_HEIGHT}"'
            f' stroke="#bbb" stroke-dasharray="2 4"/>'
            f'<text x="{place + 3:.1f}" y="{TOP + 10 + 11 * row}" font-size="10" fill="#666">{escape(name)}</text>'
        )
    return found


def _stroke(number: int) -> str:
    dash = DASHES[number // len(COLOURS) % len(DASHES)]
    return f'stroke="{COLOURS[number % len(COLOURS)]}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def _line(line: Sequence[Point], number: int, across: _Scale, up: _Scale) -> list[str]:
    """Draw a line with a dot at each point: one point alone has no line, and would not be seen."""
    colour = COLOURS[number % len(COLOURS)]
    places = " ".join(f"{across.at(point.x):.1f},{up.at(point.y):.1f}" for point in line)
    found = (
        [f'<polyline fill="none" {_stroke(number)} stroke-width="2" points="{places}"/>']
        if len(line) > 1
        else []
    )
    for point in line:
        x, y = across.at(point.x), up.at(point.y)
        found.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>')
        if point.low is not None and point.high is not None:
            # Beside each other, so that intervals at one place do not hide each other.
            aside = x + 3.0 * number
            found.append(
                f'<line x1="{aside:.1f}" y1="{up.at(point.low):.1f}" x2="{aside:.1f}" y2="{up.at(point.high):.1f}"'
                f' stroke="{colour}" stroke-width="1.2" opacity="0.7"/>'
            )
    return found


def _levels(up: _Scale, levels: Sequence[float], first: int) -> list[str]:
    return [
        f'<line x1="{LEFT}" y1="{up.at(y):.1f}" x2="{LEFT + PLOT_WIDTH}" y2="{up.at(y):.1f}"'
        f' stroke="{COLOURS[(first + n) % len(COLOURS)]}" stroke-width="1.5" stroke-dasharray="1 4"/>'
        for n, y in enumerate(levels)
    ]


def _legend(lines: Sequence[str], levels: Sequence[str]) -> list[str]:
    left = LEFT + PLOT_WIDTH + 16
    found = []
    for n, name in enumerate([*lines, *levels]):
        y = TOP + 4 + LEGEND_STEP * n
        stroke = (
            f'{_stroke(n)} stroke-width="2"'
            if n < len(lines)
            else f'stroke="{COLOURS[n % len(COLOURS)]}" stroke-width="1.5" stroke-dasharray="1 4"'
        )
        found.append(f'<line x1="{left}" y1="{y}" x2="{left + 24}" y2="{y}" {stroke}/>')
        found.append(_text(left + 30, y + 4, name, "start"))
    return found


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'
