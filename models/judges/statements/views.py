"""Names of what is read of an answer: a statement ("tied0", "beside1"), a shorter version of one ("tied0.2"), or all
that is stated ("whole").
"""

TIED = "tied"
BESIDE = "beside"
"""What the names of views begin with that share no telling word with the question."""
WHOLE = "whole"


def version_of(view: str, n: int) -> str:
    """Name the n-th shorter version of a statement."""
    return f"{view}.{n}"


def statement_of(view: str) -> str:
    """Name the statement that a view is, or is a version of."""
    return view.partition(".")[0]


def is_beside(view: str) -> bool:
    """Say whether a view is a statement that shares no telling word with the question."""
    return view.startswith(BESIDE)


def is_version(view: str) -> bool:
    """Say whether a view is a shorter version of a statement."""
    return "." in view
