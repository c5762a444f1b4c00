"""Names of what is read of an answer.

A statement ("tied0", "beside1"), a shorter version of one ("tied0.2"), a part of one ("beside1.part2"), how likely one
is to be said ("said-tied0"), what is told in words addressed to a judge ("addressed0"), whether the text does what
guidance asks ("keeps0") and a statement what it forbids ("breaks0-tied0"), or all that is stated ("whole").
"""

import re

TIED = "tied"
BESIDE = "beside"
"""What the names of views begin with that share no telling word with the question."""
ADDRESSED = "addressed"
"""What the names of views begin with that passages addressed to a judge tell besides."""
WHOLE = "whole"
_SAID = "said-"
_KEEPS = "keeps"
_BREAKS = "breaks"


def version_of(view: str, n: int) -> str:
    """Name the n-th shorter version of a statement."""
    return f"{view}.{n}"


def part_of(view: str, n: int) -> str:
    """Name the n-th part of a statement, by itself; 0 is all of it."""
    return f"{view}.part{n}"


def is_part(view: str) -> bool:
    """Say whether a view is a part of a statement, of which it is only asked whether it answers the question."""
    return ".part" in view


def statement_of(view: str) -> str:
    """Name the statement that a view is, or is a version of."""
    return view.partition(".")[0]


def is_beside(view: str) -> bool:
    """Say whether a view is a statement that shares no telling word with the question."""
    return view.startswith(BESIDE)


def is_addressed(view: str) -> bool:
    """Say whether a view is told in words addressed to a judge."""
    return view.startswith(ADDRESSED)


def is_version(view: str) -> bool:
    """Say whether a view is a shorter version of a statement."""
    return "." in view


def as_said(view: str) -> str:
    """Name how likely a statement is to be said."""
    return f"{_SAID}{view}"


def is_as_said(view: str) -> bool:
    """Say whether what a view names is how likely a statement is to be said."""
    return view.startswith(_SAID)


def keeps(n: int, piece: int) -> str:
    """Name whether a piece of the text does the n-th thing that guidance asks for."""
    return f"{_KEEPS}{n}.{piece}"


def breaks(n: int, view: str) -> str:
    """Name whether a statement does the n-th thing that guidance forbids."""
    return f"{_BREAKS}{n}-{view}"


def is_keeping(view: str) -> bool:
    """Say whether a view names a thing that guidance asks for."""
    return view.startswith(_KEEPS)


def is_breaking(view: str) -> bool:
    """Say whether a view names a thing that guidance forbids."""
    return view.startswith(_BREAKS)


def asked_together(view: str) -> str:
    """Name what is asked of one text in a row: all points of guidance at once."""
    return re.sub(rf"^({_KEEPS}|{_BREAKS})\d+", r"\1", view)
