"""How the numbers and signs of sources are written, and the one form that their labels are compared in."""

import re

# What a footnote is called where it has no number.
NOTE_SYMBOL = r"[†‡§¶]{1,3}"
WORK = "work:"
"""What a label begins with that is the name of a work."""
PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# Superscripts that lost their height when they were copied: "no difference.1,2 However …".
FLATTENED = re.compile(
    r"(?<=[a-z)\]%][.])\d{1,3}(?:[ ]?[,–-][ ]?\d{1,3}){0,20}(?=\s+[A-Z(“\"*]|[ \t]*(?:\n|\Z))"
)
_LONGEST_LABEL = 200


def normalise_label(raw: str) -> str:
    """Bring a label of a reference list to one form: `[01]`, `1.`, `¹` and `ref 1` are all `1`, `Source A` is `a`."""
    if symbol := re.fullmatch(rf"\s*({NOTE_SYMBOL})\s*", raw):
        return symbol[1]
    label = raw.translate(PLAIN_DIGITS).strip(" \t\r\n[](){}【】.:†^").casefold()
    if len(label) > _LONGEST_LABEL:
        return label
    if place := re.fullmatch(r"(\d{1,3}:\d{1,3})†.*", label):
        return place[1]
    if named := re.fullmatch(
        r"(?:ref(?:erence)?|source|citation|cite|doc(?:ument)?|passage|context|snippet|abstract|chunk|excerpt"
        r"|web|search\sresult|(?:foot|end)?note)?s?(?:_ids?)?\.?[\s:_#=-]*(\d+)",
        label,
    ):
        return str(int(named[1]))
    lettered = re.fullmatch(
        r"(?:ref(?:erence)?|source|citation|doc(?:ument)?|passage|context|snippet)s?\s([a-z])", label
    )
    return lettered[1] if lettered else label
