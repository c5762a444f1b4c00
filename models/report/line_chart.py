"""A line chart as SVG: axes with ticks, a mark at every point, intervals, levels to compare with, a legend."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

DASHES = ("-", "--", ":", "-.")
"""After the last colour lines begin again with the first, and are told apart by their dashes."""
_TO_DRAW: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "medassay",
    "font.size": 11,
    "axes.spines.top": False,
}
_WITHOUT = {"Date": None, "Creator": None, "Format": None, "Type": None}


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
    if not any(shown.values()):
        return ""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator

    with matplotlib.rc_context(_TO_DRAW):
        figure = Figure((9.5, 4.2), layout="constrained")
        plot = figure.subplots()
        for n, (name, line) in enumerate(shown.items()):
            style: dict[str, Any] = {"color": f"C{n % 10}", "linestyle": DASHES[n // 10 % len(DASHES)]}
            plot.plot([p.x for p in line], [p.y for p in line], marker="o", markersize=4, label=name, **style)
            for point in line:
                if point.low is not None and point.high is not None:
                    # Beside each other, so that intervals at one place do not hide each other.
                    plot.vlines(point.x + 0.02 * n, point.low, point.high, color=style["color"], alpha=0.7)
        for n, (name, level) in enumerate((levels or {}).items(), len(shown)):
            plot.axhline(level, color=f"C{n % 10}", linestyle=":", label=name)
        for n, (x, name) in enumerate(marks):
            plot.axvline(x, color="0.75", linestyle=":")
            # Names that follow one another stand in rows of their own.
            plot.annotate(name, (x, 0.97 - 0.05 * (n % 4)), xycoords=("data", "axes fraction"), fontsize=9)
        plot.set(xlabel=axes.across, ylabel=axes.up, yscale="log" if axes.logarithmic else "linear")
        if axes.logarithmic:
            plot.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            plot.yaxis.set_major_formatter("{x:g}")
            plot.yaxis.set_minor_formatter("")
        else:
            plot.set_ylim(0, axes.top)
        if axes.names:
            plot.set_xticks(range(len(axes.names)), axes.names, rotation=30, ha="right")
        plot.grid(axis="y", color="0.9")
        figure.legend(loc="outside right upper", frameon=False)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata=_WITHOUT)
    label = f"{axes.up} by {axes.across}: {', '.join([*shown, *(levels or {})])}"
    svg = drawn.getvalue()
    return svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)
