"""How many tokens a text may have, by the script it is in: a guess, and what it cannot exceed."""

import re

CHARACTERS_A_TOKEN = 3.7
OTHER_CHARACTERS_A_TOKEN = 2.0
_DENSE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]+"
)
"""Chinese, Japanese, Korean, their signs, and pictures: about one token each."""
_LATIN = re.compile("[\\0-\u024f\u1e00-\u1eff\u2000-\u2bff]+")
_NO_ASCII = bytes(range(128, 256))
_NO_DIGITS = bytes(sorted(set(range(256)) - set(b"0123456789")))


def guessed_tokens(text: str) -> int:
    """Guess the tokens of a text: of Latin script as of English, of another one by its signs."""
    if text.isascii():
        return round(len(text) / CHARACTERS_A_TOKEN)
    others = _LATIN.sub("", text)
    return round((len(text) - len(others)) / CHARACTERS_A_TOKEN + _in_other_scripts(others))


def tokens_in_other_scripts(text: str) -> int:
    """Guess the tokens of what is not Latin in a text."""
    return 0 if text.isascii() else round(_in_other_scripts(_LATIN.sub("", text)))


def most_tokens(text: str) -> int:
    """Return what no common tokenizer exceeds: one for two ASCII characters, a digit, and each byte of any other.

    A tokenizer spells a sign that it does not know in its bytes, of which a Chinese one has three; many spell numbers.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    n_ascii = len(encoded.translate(None, _NO_ASCII))
    n_digits = len(encoded.translate(None, _NO_DIGITS))
    return (n_ascii - n_digits + 1) // 2 + n_digits + len(encoded) - n_ascii


def _in_other_scripts(others: str) -> float:
    loose = _DENSE.sub("", others)
    return len(others) - len(loose) + len(loose) / OTHER_CHARACTERS_A_TOKEN
