"""Which model answered in place of the one that was asked."""

from collections.abc import Iterable


def is_another(asked: str, answered: str) -> bool:
    """Say whether a server names another model than the one asked; a dated version or a shorter name is the same."""
    one, other = _plain(asked), _plain(answered)
    return bool(other) and one not in other and other not in one


def told(who: str, asked_and_answered: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return a line for each other model that answered, `who` saying for what."""
    others = {
        (asked, answered)
        for asked, answered in asked_and_answered
        if answered and is_another(asked, answered)
    }
    return [f"{who}: {asked} was asked, and {answered[:100]} answered" for asked, answered in sorted(others)]


def _plain(name: str) -> str:
    return name.strip().lower().rsplit("/", 1)[-1]
