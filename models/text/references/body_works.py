"""Papers of a body cited by its short name and what they are: `ADA Standards of Care 2024`, `WHO guidelines, 2021`."""

import re

from medassay.models.text.references.entries.years import year_of

_BODY = re.compile(r"(?:the\s)?(?P<body>[A-Z]{2,8}(?:/[A-Z]{2,8}){0,4})(?=[\s:,])", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_OF_ANY_PAPER = frozenset(
    "guideline guidelines guidance recommendation recommendations report statement leitlinie updated update"
    " clinical practice the and for".split()
)


def label_of_body(name: str) -> str | None:
    """Return the label that a list has the body's papers of that year under; None where no body is named."""
    body, year = _BODY.match(name), year_of(name)
    return f"{body['body'].casefold()} {year}" if body and body["body"].isupper() and year else None


def may_be(name: str, title: str | None) -> bool:
    """Tell whether a paper of the body may be the one that a citation names: no word of it but is in the title."""
    body = _BODY.match(name)
    said = {word.casefold() for word in _WORD.findall(name[body.end() if body else 0 :])} - _OF_ANY_PAPER
    return said <= {word.casefold() for word in _WORD.findall(title or "")}
