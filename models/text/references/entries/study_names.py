"""Names of trials and groups that an entry of a reference list tells beside its authors: `IMPROVE-IT`, `CTT`, `4S`."""

import re

_NAME = r"[A-Z\d](?:[A-Za-z\d]|-(?=[A-Z\d])){1,14}"
_IN_PARENTHESES = re.compile(
    rf"\((?P<name>{_NAME})\)(?:\s(?P<group>(?:Collaborati(?:on|ve)|Study|Trialists|Research|Investigators|Group)\b))?"
)
_STUDY = re.compile(
    r"\b(?P<name>[A-Z][A-Z\d]{2,14}(?:-[A-Z\d]{1,8}){0,2})\s(?:trials?|stud(?:y|ies)|investigators|collaborators)\b",
    re.IGNORECASE,
)
_LONGEST = 600


def study_names(entry: str) -> tuple[str, ...]:
    """Names, in lower case, that may be cited in place of the authors; what has fewer than two capitals is none."""
    found: list[str] = []
    for named in _IN_PARENTHESES.finditer(entry[:_LONGEST]):
        if _is_short(named["name"]):
            found += [named["name"], *([f"{named['name']} {named['group']}"] if named["group"] else [])]
    found += [n["name"] for n in _STUDY.finditer(entry[:_LONGEST]) if n["name"].isupper()]
    return tuple(dict.fromkeys(name.casefold() for name in found))


def _is_short(name: str) -> bool:
    return sum(sign.isupper() or sign.isdigit() for sign in name) > 1 and any(sign.isupper() for sign in name)
