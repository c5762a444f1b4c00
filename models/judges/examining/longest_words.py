"""The longest words of a text: what an attack drops to seem to the point."""

import re


def longest_word(text: str) -> str:
    """Return the longest word, the first of them."""
    return max(_words(text), key=len)


def longest_words(text: str, n: int) -> str:
    """Return the `n` longest words, longest first, those of a length in the order of the alphabet."""
    return " ".join(sorted(set(_words(text)), key=lambda word: (-len(word), word))[:n])


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())
