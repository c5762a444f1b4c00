"""Lists that are asked for at once, halved where one of their values makes the whole request fail."""

from collections.abc import Callable, Sequence

from medassay.models.sources.transport import NoAnswer

_PARTS_OF_AN_OUTAGE = 4


def may_be_of_one(none: NoAnswer) -> bool:
    """Say whether one value of a list may be what a request failed for: the server failed, or broke off its answer."""
    return none.broken or (not none.silent and none.status is not None and 500 <= none.status < 600)


def asked_in_halves(values: Sequence[str], ask: Callable[[Sequence[str]], None]) -> dict[str, NoAnswer]:
    """Ask for values together, in halves where that fails, and return what failed by value.

    Where four parts were asked for side by side and all failed, it is an outage and nothing more is asked.
    """
    failed: dict[str, NoAnswer] = {}
    level: list[Sequence[str]] = [values] if values else []
    while level:
        broken: list[tuple[Sequence[str], NoAnswer]] = []
        for part in level:
            try:
                ask(part)
            except NoAnswer as none:
                broken.append((part, none))
        outage = len(level) >= _PARTS_OF_AN_OUTAGE and len(broken) == len(level)
        level = []
        for part, failure in broken:
            if outage or len(part) == 1 or not may_be_of_one(failure):
                failed.update(dict.fromkeys(part, failure))
            else:
                middle = len(part) // 2
                level += [part[:middle], part[middle:]]
    return failed
