"""Doses and concentrations: whether a passage names another amount than a statement does.

Readers see words before numbers: .06 mg of colchicine beside a physician's .6 mg is read as the same (docs/reader.md).
"""

import re
from collections.abc import Iterator
from itertools import product

_SCALES = {
    "kg": ("body weight", 1.0), "g": ("mass", 1.0), "gram": ("mass", 1.0), "gm": ("mass", 1.0),
    "mg": ("mass", 1e-3), "milligram": ("mass", 1e-3),
    "mcg": ("mass", 1e-6), "ug": ("mass", 1e-6), "\u00b5g": ("mass", 1e-6), "\u03bcg": ("mass", 1e-6),
    "microgram": ("mass", 1e-6), "ng": ("mass", 1e-9), "nanogram": ("mass", 1e-9),
    "ml": ("volume", 1e-3), "millilitre": ("volume", 1e-3), "milliliter": ("volume", 1e-3),
    "dl": ("volume", 1e-1), "l": ("volume", 1.0), "litre": ("volume", 1.0), "liter": ("volume", 1.0),
    "mmol": ("substance", 1e-3), "nmol": ("substance", 1e-9), "mol": ("substance", 1.0),
    "iu": ("units", 1.0), "unit": ("units", 1.0), "units": ("units", 1.0),
}  # fmt: skip
_UNIT = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?:(?P<low>{_NUMBER})\s*(?:-|–|to|and|or)\s*)?(?P<high>{_NUMBER})[\s-]*(?P<unit>{_UNIT})s?"
    rf"(?:\s*(?:/|per|a|an|for each|for every)\s*(?P<per>{_UNIT}|day|hour|dose)\b)?(?!\w)",
    re.I,
)
_BOUNDS = re.compile(
    r"[<>≤≥~≈]|\b(?:more|less|fewer|greater|higher|lower|larger|smaller) than\b"
    r"|\b(?:at least|at most|up to|over|under|above|below|exceed\w*|maximum|minimum|max|min|between|about|around"
    r"|approximately|roughly|nearly|almost|within|increas\w*|reduc\w*)\b",
    re.I,
)
_OFTEN = re.compile(
    r"\b(?:daily|day|times|twice|once|hours?|hourly|divided|doses?|tablets?|weekly|week)\b|\d+\s*h\b", re.I
)
MOST_DOSES = 6
"""A daily amount is so many times a single one at most."""


def names_other_amount(passage: str, statement: str) -> bool:
    """Return whether a passage names an amount of the statement's kind, but none that the statement names.

    Where either holds a bound ("at least 5 mg") nothing is said, nor where an amount lies within the other's range, or
    is a few times as large and it is said how often.
    """
    asked, given = _amounts(statement), _amounts(passage)
    others = [
        kind
        for kind in asked.keys() & given.keys()
        if not any(_agree(*pair, f"{passage} {statement}") for pair in product(asked[kind], given[kind]))
    ]
    return bool(others) and not (_BOUNDS.search(statement) or _BOUNDS.search(passage))


def _amounts(text: str) -> dict[tuple[str, ...], set[tuple[float, float]]]:
    """Return the amounts of a text by their kind: lowest and highest, in the unit of that kind."""
    found: dict[tuple[str, ...], set[tuple[float, float]]] = {}
    for kind, amount in _each(text):
        found.setdefault(kind, set()).add(amount)
    return found


def _each(text: str) -> Iterator[tuple[tuple[str, ...], tuple[float, float]]]:
    for match in _AMOUNT.finditer(text):
        kind, scale = _SCALES[match["unit"].lower()]
        kinds = [kind]
        if per := match["per"]:
            of, divisor = _SCALES.get(per.lower(), (per.lower(), 1.0))
            if of not in ("day", "dose"):
                kinds.append(of)
                scale /= divisor
        high = float(match["high"].replace(",", "")) * scale
        low = float(match["low"].replace(",", "")) * scale if match["low"] else high
        yield tuple(kinds), (min(low, high), max(low, high))


def _agree(one: tuple[float, float], other: tuple[float, float], said: str) -> bool:
    if one[0] <= other[1] * 1.01 and other[0] <= one[1] * 1.01:
        return True
    ratios = (a / b for a, b in [*product(one, other), *product(other, one)] if b)
    return bool(_OFTEN.search(said)) and any(
        abs(ratio - n) < 0.01 * n for ratio in ratios for n in range(2, MOST_DOSES + 1)
    )
