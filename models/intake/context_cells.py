"""Retrieved contexts that stand in one cell: taken apart where that is sure, named where it is not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from medassay.models.counting import counted
from medassay.models.intake.printed_lists import EXCELS_LONGEST_CELL, NoList, looks_printed, read_printed
from medassay.models.intake.provider_forms import TEXTS

NOTHING = frozenset(
    "na n/a #n/a <na> nan nat null none nil - [nan] [none] [null] [] {} () [''] [\"\"] '' \"\"".split()
)
"""What programs and people write for no context at all."""
_ENDED = r"[.!?][\"'”’)\]]*"
_TIGHT: dict[str, re.Pattern[str]] = {
    "|": re.compile(
        r"(?<=[^\s|])\|\|(?=[^\s|])"  # a double sign
        r"|(?<=[^\s|])\|(?=[^\s|])"
        r"|(?<=[^\s|])\|(?=\|\s)"  # before a table
        r"|(?<=\s\|)\|(?=[^\s|]|\|\s)"  # behind a table
    ),
    ";": re.compile(r"(?<=\S);(?=\S)"),
}
"""Signs without blanks beside them, but for those that belong to a table."""
_ENTITY = re.compile(r"&#?\w+;")
_LOOSE = re.compile(rf"{_ENDED}\s*[;|]\s|\s\|\|\s|\s\|\s(?![^\n]*\|)")
_SEP = re.compile(r"\s*(?:\[SEP\]|<SEP>)\s*", re.IGNORECASE)
_APART = re.compile(r"\n[ \t]*\n|^\s*(?:-{3,}|={3,}|\*{3,}|#{3,})\s*$", re.MULTILINE | re.IGNORECASE)
_NUMBERED = re.compile(
    r"^\s*(?:[\[(]?|(?:context|document|doc|passage|source|chunk)\s*[#\[]?)([12])[\])]?\s*[.:)\]]?\s",
    re.IGNORECASE | re.MULTILINE,
)
_BEFORE = re.compile(rf"{_ENDED}\Z|\|\Z")


@dataclass(frozen=True, slots=True)
class Contexts:
    """What was read of a cell; `doubt` says why it may be several all the same, `fault` why nothing could be read."""

    listed: list[Any]
    doubt: str | None = None
    fault: str | None = None


def contexts_in(value: Any) -> Contexts:
    """Read the contexts of an answer, a list or a text: printed lists, texts joined by `|` or `;`, nothing at all."""
    if isinstance(value, list | tuple):
        return _of_list(value)
    if not isinstance(value, str):
        return _of_list([value] if value else [])
    text = value.strip()
    if not _says(text):
        return Contexts([])
    if not looks_printed(text):
        return _joined(text)
    try:
        read = read_printed(text)
    except NoList as error:
        return Contexts([], None, f"{error}, of {len(text):,} characters: {text[:60]}")
    return _of_list(read if isinstance(read, list) else [read])


def _of_list(listed: Sequence[Any]) -> Contexts:
    """Read a list's parts; only one that stands alone may itself be a printed list."""
    found: list[Any] = []
    for part in listed:
        is_document = isinstance(part, str) and part.startswith("page_content=")
        if isinstance(part, list | tuple):
            found += _of_list(part).listed
        elif isinstance(part, str) and looks_printed(part) and (is_document or len(listed) == 1):
            within = contexts_in(part)
            found += [part] if within.fault else within.listed
        elif _says(part):
            found.append(part)
    textless = [one for one in found if isinstance(one, dict) and not _has_text(one)]
    return Contexts(
        found, f"{counted(len(textless), 'object')} without a text is left out" if textless else None
    )


def _has_text(entry: dict[str, Any]) -> bool:
    inner = entry.get("node")
    held = inner if isinstance(inner, dict) else entry
    return bool(held.keys() & {*TEXTS, "text_resource", "url"})


def _says(one: Any) -> bool:
    return bool(one) and not (isinstance(one, str) and "".join(one.lower().split()) in NOTHING | {""})


def _joined(text: str) -> Contexts:
    """Take texts apart that a sign without blanks joins, each of them ended; name other signs of several texts."""
    if len(parts := _SEP.split(text)) > 1:
        return Contexts([part for part in parts if _says(part)])
    for sign, tight in _TIGHT.items():
        entities = {place.end() for place in _ENTITY.finditer(text)} if sign == ";" else set()
        places = [found.span() for found in tight.finditer(text) if found.end() not in entities]
        starts, ends = [0, *(end for _, end in places)], [*(start for start, _ in places), len(text)]
        parts = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        if places and all(map(_is_whole, parts[:-1])):
            return Contexts([part for part in parts if _says(part)])
        if places:
            return Contexts([text], f"`{sign}` without blanks may part it")
    for sign_of_several, what in (
        (_LOOSE.search(text), "`;` or `|` may part it"),
        ({found[1] for found in _NUMBERED.finditer(text)} == {"1", "2"}, "it numbers its parts"),
        (_APART.search(text), "empty lines or rules may part it"),
        (
            len(text) == EXCELS_LONGEST_CELL,
            f"it ends at {EXCELS_LONGEST_CELL:,} characters, where Excel cuts off",
        ),
    ):
        if sign_of_several:
            return Contexts([text], what)
    return Contexts([text])


def _is_whole(part: str) -> bool:
    """Return whether a text ends as one, outside of brackets; `(Smith et al.` does not."""
    return _BEFORE.search(part) is not None and part.count("(") <= part.count(")")
