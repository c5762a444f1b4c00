"""Choices that cannot be carried out, and checks of single numbers."""

import math


class UsageError(Exception):
    """A choice that cannot be carried out; the message names it and says what to choose instead."""


def refuse_share(name: str, value: float) -> None:
    """Refuse what is no share, NaN too.

    Raises:
        UsageError: naming the setting and what it may be.
    """
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"{name} is {value}: choose a number from 0 to 1")


def refuse_cap(name: str, most: float | None) -> None:
    """Refuse a cap that nothing could be held to: below 0, NaN and infinite; None is no cap.

    Raises:
        UsageError: naming the setting and what it may be.
    """
    if most is not None and not 0 <= most < math.inf:
        raise UsageError(f"{name} is {most}: choose 0 or more, or leave it out for no cap")
