"""How many tokens a text can have at most, and how many it is likely to have, by the scripts it is written in."""

import re

CHARACTERS_A_TOKEN = 3.7
"""Of text in Latin letters; held against Qwen2.5's tokenizer on English prompts."""
OTHER_CHARACTERS_A_TOKEN = 2.0
"""Of scripts that are neither Latin nor written without letters: Greek, Cyrillic, Arabic, Hebrew, Devanagari …"""
_SIGNS = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_OTHERS = re.compile("[\u0370-\u1dff\u2c00-\u2dff\ua4d0-\uabff\ufb1d-\ufeff]")
_DIGITS = re.compile("[0-9]")


def most_tokens(text: str) -> int:
    """Return more tokens than any common tokenizer makes of a text.

    One for two letters of ASCII, one for each digit, and one for each byte of everything else, which is the most that
    a tokenizer of bytes can make.
    """
    n_digits = len(_DIGITS.findall(text))
    n_other = len(text.encode(errors="replace")) - (n_ascii := len(text.encode("ascii", "ignore")))
    return (n_ascii - n_digits + 1) // 2 + n_digits + n_other


def likely_tokens(text: str) -> int:
    """Guess the tokens of a text: one a sign of Chinese, Japanese and Korean, fewer of what is spelled."""
    if text.isascii():
        return round(len(text) / CHARACTERS_A_TOKEN)
    n_signs, n_others = len(_SIGNS.findall(text)), len(_OTHERS.findall(text))
    n_latin = len(text) - n_signs - n_others
    return round(n_signs + n_others / OTHER_CHARACTERS_A_TOKEN + n_latin / CHARACTERS_A_TOKEN)
