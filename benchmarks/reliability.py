"""A reliability plot as SVG: how often a verdict of a given probability is right, per set and over all sets."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

Points = list[tuple[float, float, int]]
SIDE, LEFT, TOP = 320, 52, 24
COLOURS = ("#0b6e4f", "#b45f06", "#1f5fa8", "#8e2c6b", "#6b6b00")
"""Each at 4.5 : 1 or more on white; every set has its own mark beside its colour."""
MARKS = ("●", "■", "▲", "◆", "✚")


def points(gold: NDArray[np.int64], probabilities: NDArray[np.float32], bins: int = 10) -> Points:
    """Mean probability of the verdict, share of right ones and their number, for each bin that holds ten or more."""
    sure = probabilities.max(1)
    right = probabilities.argmax(1) == gold
    which = np.minimum((sure * bins).astype(int), bins - 1)
    return [
        (float(sure[which == b].mean()), float(right[which == b].mean()), int((which == b).sum()))
        for b in range(bins)
        if (which == b).sum() >= 10
    ]


def reliability_svg(sets: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float32]]]) -> str:
    """Draw one mark a bin and set, a line over all sets together, and the diagonal on which both agree."""
    together = points(
        np.concatenate([gold for gold, _ in sets.values()]), np.concatenate([p for _, p in sets.values()])
    )
    parts = [*_frame(), _line([(0.3, 0.3), (1.0, 1.0)], 'stroke="#888" stroke-dasharray="4 4"')]
    parts.append(_line([(x, y) for x, y, _ in together], 'stroke="#111" stroke-width="2"'))
    for i, (name, (gold, probabilities)) in enumerate(sets.items()):
        mark, colour = MARKS[i % len(MARKS)], COLOURS[i % len(COLOURS)]
        for x, y, n in points(gold, probabilities):
            parts.append(
                f'<text x="{_x(x):.1f}" y="{_y(y) + 4:.1f}" fill="{colour}" text-anchor="middle">{mark}'
                f"<title>{escape(name)}: {y:.0%} of {n} verdicts at {x:.2f} are right</title></text>"
            )
        at = TOP + 14 + 18 * i
        parts.append(f'<text x="{LEFT + SIDE + 16}" y="{at}" fill="{colour}">{mark} {escape(name)}</text>')
    parts.append(f'<text x="{LEFT + SIDE + 16}" y="{TOP + 14 + 18 * len(sets)}">— all together</text>')
    size = f"{LEFT + SIDE + 190} {TOP + SIDE + 48}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="12" '
        f'role="img" aria-label="Reliability of verdicts"><rect width="100%" height="100%" fill="#fff"/>'
        + "".join(parts)
        + "</svg>\n"
    )


def _x(value: float) -> float:
    return LEFT + (value - 0.3) / 0.7 * SIDE


def _y(value: float) -> float:
    return TOP + SIDE - value * SIDE


def _line(places: Sequence[tuple[float, float]], style: str) -> str:
    return (
        f'<polyline fill="none" {style} points="{" ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in places)}"/>'
    )


def _frame() -> list[str]:
    parts = [f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#bbb"/>']
    for tenth in range(0, 11, 2):
        parts.append(
            f'<text x="{LEFT - 6}" y="{_y(tenth / 10) + 4:.1f}" text-anchor="end">{tenth * 10} %</text>'
        )
    for tenth in range(3, 11):
        said = "1" if tenth == 10 else f".{tenth}"
        parts.append(
            f'<text x="{_x(tenth / 10):.1f}" y="{TOP + SIDE + 18}" text-anchor="middle">{said}</text>'
        )
    parts.append(
        f'<text x="{LEFT + SIDE / 2}" y="{TOP + SIDE + 38}" text-anchor="middle">probability of the verdict</text>'
    )
    parts.append(f'<text x="{LEFT}" y="{TOP - 9}">share of right verdicts</text>')
    return parts
