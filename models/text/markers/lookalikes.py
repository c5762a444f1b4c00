"""What looks like a citation marker and is none: exponents, units, isotopes, ions."""

import re

# "within 3 h²" cites; a heritability has no number before it.
_HOURS = re.compile(r"\d\s?(?:h|hrs?|min|d|wks?|yrs?|y)\Z")
_UNIT_BEFORE = re.compile(
    r"(?:^|[\s\d/(·*.×])(?:k|c|d|m|µ|μ|n)?m\Z|(?:\d\s?|/|\bsq\s)(?:ft|in|yd|mi|km|inch(?:es)?|foot|feet|yards?|miles?|met(?:re|er)s?)\Z|(?:^|[\s(/])sq\Z"
)
_SYMBOL_BEFORE = re.compile(r"(?:^|[^\w'’-])([A-Za-zα-ωΑ-Ωχ])\Z")
_NAMED_LETTER = re.compile(
    r"\b(?:vitamin|hepatitis|type|grade|class|group|factor|stage|influenza|protein|child-pugh)\s[A-Za-z]\Z",
    re.IGNORECASE,
)
_ISOTOPE = re.compile(
    r"(?:[23]H|1[134]C|1[35]N|1[578]O|18F|3[123]P|35S|40K|51Cr|5[79]Fe|5[78]Co|60Co|6[47]Cu|6[78]Ga"
    r"|8[29]Rb|89Zr|89Sr|90Y|99m?Tc|111In"
    r"|12[345]I|131I|13[37]Xe|137Cs|153Sm|177Lu|201Tl|21[13]Bi|223Ra|225Ac)(?![a-z])"
)
# "<10¹.", "below 10¹ in women", but not "10¹ CFU/mL" and "10¹–10³".
_IS_NO_POWER = re.compile(r"[.,;:)]|\s?(?:\Z|\n)|\s(?:and|or|but|in|for|with|if|when|at|is|was)\s")
_LONE_SUPERSCRIPT = re.compile(r"(?:^|[\s(\[\-–/,;:])\Z")


def unit_exponent(text: str, start: int, raised: str) -> int:
    """Count the signs of a run of superscripts that are the exponent of the unit before it: 1 of `m²,³` and `m²⁵`."""
    if len(raised) > 1 and raised[0] in "²³" and _UNIT_BEFORE.search(text[max(0, start - 24) : start]):
        return 1
    return 0


def is_superscript_of_its_word(text: str, start: int, end: int, raw: str, known: bool) -> bool:
    """Tell whether a superscript belongs to its word (cm², 10⁶, χ², ¹⁴C, Ca²⁺) rather than pointing to a source.

    Args:
        text: The answer.
        start: Where the superscript, tags included, begins.
        end: Where it ends.
        raw: Its digits.
        known: Whether the reference list has the label.
    """
    before, after = text[max(0, start - 24) : start], text[end : end + 2]
    if (
        re.search(r"[+−⁻]|^-", raw)
        or before[-1:] in "⁻⁺^"
        and before
        or after[:1] in ("⁺", "⁻", "+", "⁽", "ᵐ")
    ):
        return True
    value = raw.strip("[]() ")
    if known and _HOURS.search(before):
        return False
    if _ISOTOPE.match(value + text[end : end + 3]):
        return True
    if _LONE_SUPERSCRIPT.search(before) and after[:1].isalpha() and after[:1].isupper():
        return bool(before[-1:]) and before[-1:] != "\n" or not known
    if re.search(r"(?:^|[^\d.])10\s?\Z", before):
        return not (known and value == "1" and _IS_NO_POWER.match(text, end))
    if before[-1:].isdigit():
        return not known
    if value in ("2", "3") and _UNIT_BEFORE.search(before):
        return True
    if re.search(r"(?:^|[\s/(·])(?:s|min|h|d|kg|mol|L|l|mL|ml|yr?)\Z", before) and raw.startswith("-"):
        return True
    return (
        (value in ("2", "3") or value == "4" and not known)
        and _SYMBOL_BEFORE.search(before) is not None
        and not _NAMED_LETTER.search(before)
    )
