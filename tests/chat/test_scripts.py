"""Tokens of texts in several scripts, guessed and at most."""

import pytest

from medassay.models.chat.conversation import guessed_tokens, most_tokens, tokens_in_other_scripts

CHINESE = "二甲双胍可以降低血糖。"
RUSSIAN = "Метформин снижает сахар."


@pytest.mark.parametrize(
    ("text", "guess", "others"),
    [
        ("", 0, 0),
        ("Größe – “naïve” " * 10, 43, 0),
        ("혈당 조절", 4, 4),
        ("ケトン体", 4, 4),
        (RUSSIAN, 11, 10),
        ("β-blocker" * 10, 27, 5),
        (f"{'x' * 37}{CHINESE}", 21, 11),
    ],
)
def test_the_guess_depends_on_the_script(text: str, guess: int, others: int) -> None:
    assert (guessed_tokens(text), tokens_in_other_scripts(text)) == (guess, others)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("", 0),
        (f"{'x' * 10}{CHINESE}", 38),
        ("\ud83d", 3),
    ],
)
def test_no_tokenizer_makes_more_than_a_token_a_byte_of_what_is_not_ascii(text: str, most: int) -> None:
    assert most_tokens(text) == most
    assert most >= guessed_tokens(text)
