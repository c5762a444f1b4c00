"""Tokens of prompts are guessed by script, and how is said."""

from medassay.models.chat.conversation import Message, Request, how_requests_were_guessed, tokens_of_requests


def asked(*contents: str) -> Request[str]:
    return Request("i", tuple(Message("user", content) for content in contents), read=str)


def test_the_guess_claims_no_measured_error_for_other_scripts() -> None:
    chinese = [asked("x" * 370, "二甲双胍可以降低血糖。" * 10)]
    assert tokens_of_requests(chinese) == 100 + 110
    assert how_requests_were_guessed(chinese) == (
        "an estimate by script: 3.7 characters a token of Latin, 1 of Chinese, Japanese and Korean, 2 of any other; "
        "tokenizers differ by half and more there"
    )
