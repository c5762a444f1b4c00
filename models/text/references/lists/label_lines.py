"""Numbers on the line above their entry, as text copied from a PDF or a web page has them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from medassay.models.text.references.entries.lines import Line, is_rule
from medassay.models.text.references.lists.headings import heads_a_list

_NUMBER = re.compile(r"(\d{1,3})[.)]?")
_FEWEST = 2


def labels_joined(lines: Sequence[Line], text: str) -> list[Line]:
    """Join lines that hold a number alone to the line below, where they count up from 1.

    One by itself may be the number of a page.
    """
    run: list[int] = []
    joined: set[int] = set()
    for at, line in enumerate(lines[:-1]):
        number = _NUMBER.fullmatch(text, line.start, line.end)
        if number is None or int(number[1]) not in (1, len(run) + 1):
            continue
        below = text[lines[at + 1].start : lines[at + 1].end]
        if _NUMBER.fullmatch(below) or is_rule(below) or heads_a_list(below):
            continue
        run = [at] if int(number[1]) == 1 else [*run, at]
        if len(run) >= _FEWEST:
            joined.update(run)
    if not joined:
        return list(lines)
    return [
        replace(line, end=lines[at + 1].end) if at in joined else line
        for at, line in enumerate(lines)
        if at - 1 not in joined
    ]
