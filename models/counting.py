"""Counts as people say them."""


def counted(number: int, noun: str) -> str:
    """Write a number and what there are that many of: `1 row`, `2,000 rows`."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"
