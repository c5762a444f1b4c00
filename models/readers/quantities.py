"""Numbers and doses in one notation before a text is read: a small language model does not convert units.

What differs only in notation then reads alike, and what differs by a factor of a thousand does not:
`.5 mg`, `0,5 mg` and `½ mg` become `500 mcg`, `1 000 mg` and `1 g` become `1000 mg`.
"""

import re
from decimal import Decimal

_VULGAR = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.33", "⅔": "0.67"}
_MIXED = re.compile(r"(\d+)\s?([½¼¾⅓⅔])")
_MIDDLE_DOT = re.compile(r"(?<=\d)[·∙⋅](?=\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[\u00a0\u2009\u202f ]\d{3}|,\d{3})+(?![\d,])(?!\.\d{4})")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d{1,2}|0\d{2,})(?![\d,])")
_BARE_POINT = re.compile(r"(?<![\w.)])\.(?=\d)")
_MICROGRAMS = re.compile(r"(?<![A-Za-zµμ])(?:[µμ]g|ug|micrograms?)(?![A-Za-z])")
_MASS = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)\s?(g|mg|mcg|grams?|milligrams?)(?![\w/²³])")
_IN_MILLIGRAMS = {"g": Decimal(1000), "mg": Decimal(1), "mcg": Decimal("0.001")}


def in_one_notation(text: str) -> str:
    """Return the text with its numbers in plain decimal notation and masses in the unit that fits their size.

    A mass under 1 mg is given in mcg, one under 10 g in mg, a larger one in g; masses per something (`mg/kg`) keep
    their unit. A comma before three digits separates thousands unless a 0 stands before it.
    """
    text = _MIXED.sub(lambda m: str(Decimal(m[1]) + Decimal(_VULGAR[m[2]])), text)
    for sign, number in _VULGAR.items():
        text = text.replace(sign, number)
    text = _MIDDLE_DOT.sub(".", text)
    text = _THOUSANDS.sub(_joined, text)
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    text = _BARE_POINT.sub("0.", text)
    text = _MICROGRAMS.sub("mcg", text)
    return _MASS.sub(_in_its_unit, text)


def _joined(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("0,") else re.sub(r"\D", "", found[0])


def _in_its_unit(found: re.Match[str]) -> str:
    unit = found[2]
    unit = {"gram": "g", "milligram": "mg"}.get(unit.rstrip("s"), unit)
    amount = Decimal(found[1]) * _IN_MILLIGRAMS[unit]
    unit = "mcg" if amount < 1 else "mg" if amount < 10_000 else "g"
    return f"{_plain(amount / _IN_MILLIGRAMS[unit])} {unit}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
