"""Numbers with what they count, as messages say them."""


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Write a number and what there are that many of: `1 row`, `2,000 rows`; `nouns` where an s is not enough."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def too_few(number: int, noun: str, purpose: str) -> str:
    """Return a line that says that there are too few of something: `1 question is too few for an interval`."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'} too few {purpose}"
