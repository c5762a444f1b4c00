"""How many tokens a prompt has, guessed by script and said so; caps reserve an upper bound (`scripts.most_tokens`)."""

from collections.abc import Iterable
from typing import Any

from medassay.models.chat.conversation import Request
from medassay.models.chat.scripts import (
    CHARACTERS_A_TOKEN,
    OTHER_CHARACTERS_A_TOKEN,
    guessed_tokens,
    tokens_in_other_scripts,
)

GUESS = f"{CHARACTERS_A_TOKEN} characters a token (within 5 % on the examples)"
"""Held against Qwen2.5's tokenizer on the prompts of every stage for `examples/clinic`; one call by up to 12 %."""
BY_SCRIPT = (
    f"an estimate by script: {CHARACTERS_A_TOKEN} characters a token of Latin, 1 of Chinese, Japanese and Korean, "
    f"{OTHER_CHARACTERS_A_TOKEN:g} of any other; tokenizers differ by half and more there"
)
UNSEEN = f"{CHARACTERS_A_TOKEN} characters a token assumed, as of English"
_OTHER_SHARE = 0.05


def tokens_of_requests(requests: Iterable[Request[Any]]) -> int:
    """Guess what the requests send; a message that many of them share is looked at once and added for each."""
    known: dict[str, int] = {}
    total = 0
    for request in requests:
        for text in (*(message.content for message in request.messages), str(request.schema or "")):
            if text not in known:
                known[text] = guessed_tokens(text)
            total += known[text]
    return total


def how_guessed(texts: Iterable[str]) -> str:
    """Say how the tokens of these texts were guessed."""
    total = others = 0
    for text in set(texts):
        total += guessed_tokens(text)
        others += tokens_in_other_scripts(text)
    return BY_SCRIPT if others > _OTHER_SHARE * total else GUESS


def how_requests_were_guessed(requests: Iterable[Request[Any]]) -> str:
    """Say how the tokens of these requests were guessed."""
    return how_guessed(message.content for request in requests for message in request.messages)


def guessed_by_length(n_characters: int) -> int:
    """Guess the tokens of a text of which only the length is known, as if it were English."""
    return round(n_characters / CHARACTERS_A_TOKEN)
