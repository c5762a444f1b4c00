"""Bar chart of a query's answer: a bar a row, its first number across, its interval where it has one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

LEFT, WIDTH, STEP, TOP = 250, 720, 22, 6
_RIGHT = 70
MOST_BARS = 40
LONGEST_LABEL = 38
NUMBERS = ("DOUBLE", "FLOAT", "DECIMAL", "BIGINT", "INTEGER", "HUGEINT", "NUMBER")


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: where its bar begins, how long it is, where its interval lies; all in the drawing's units."""

    label: str
    y: float
    x: float
    width: float
    low: float | None
    high: float | None
    told: str


@dataclass(frozen=True, slots=True)
class Bars:
    """The chart: which column is drawn, its bars, and where zero is."""

    column: str
    bars: tuple[Bar, ...]
    zero: float
    height: int
    n_left_out: int


def bars_of(names: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[Any]]) -> Bars | None:
    """Draw the first column of fractions, else of whole numbers; None where there is no number or no word.

    Rows without a number have no bar. Words before the number that are not the same in all rows, joined, are the label.
    """
    numbers = [place for place, kind in enumerate(types) if kind.split("(")[0] in NUMBERS]
    fractions = [place for place in numbers if types[place].split("(")[0] in ("DOUBLE", "FLOAT", "DECIMAL")]
    words = [place for place, kind in enumerate(types) if kind in ("VARCHAR", "STRING")]
    if not rows or not numbers or not words:
        return None
    drawn = (fractions or numbers)[0]
    before = [place for place in words if place < drawn and len({row[place] for row in rows}) > 1] or words[
        :1
    ]
    ends = [names.index(end) if end in names else None for end in ("low", "high")]
    known = [row for row in rows if row[drawn] is not None]
    shown = known[:MOST_BARS]
    if not shown:
        return None

    def end_of(row: Sequence[Any], which: int) -> float | None:
        place = ends[which]
        return None if place is None or row[place] is None else float(row[place])

    values = [float(row[drawn]) for row in shown]
    reach = [one for row in shown for which in (0, 1) if (one := end_of(row, which)) is not None]
    least, most = min([0.0, *values, *reach]), max([0.0, *values, *reach])
    scale = (WIDTH - LEFT - _RIGHT) / ((most - least) or 1.0)

    def across(value: float) -> float:
        return round(LEFT + (value - least) * scale, 1)

    bars = []
    for n, (row, value) in enumerate(zip(shown, values, strict=True)):
        label = ", ".join(str(row[place]) for place in before if row[place] is not None)
        low, high = end_of(row, 0), end_of(row, 1)
        zero, at = across(0.0), across(value)
        bars.append(
            Bar(
                label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…",
                TOP + n * STEP, min(zero, at), abs(at - zero),
                None if low is None else across(low), None if high is None else across(high), f"{value:,.3g}",
            )
        )  # fmt: skip
    return Bars(names[drawn], tuple(bars), across(0.0), TOP + len(bars) * STEP + 4, len(known) - len(shown))
