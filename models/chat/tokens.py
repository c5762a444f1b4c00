"""How many tokens a prompt has: by the model's own tokenizer where it lies on this machine, else by a stated guess.

Nothing is fetched: a tokenizer that is not here is not used.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.scripts import (
    CHARACTERS_A_TOKEN,
    OTHER_CHARACTERS_A_TOKEN,
    guessed_tokens,
    tokens_in_other_scripts,
)

USUAL_ERROR = "within 5 % on the examples"
"""Held against Qwen2.5's tokenizer on the prompts of every stage for `examples/clinic`; one call by up to 12 %."""
BY_SCRIPT = (
    f"an estimate by script: {CHARACTERS_A_TOKEN} characters a token of Latin, 1 of Chinese, Japanese and Korean, "
    f"{OTHER_CHARACTERS_A_TOKEN:g} of any other; tokenizers differ by half and more there"
)
UNSEEN = f"{CHARACTERS_A_TOKEN} characters a token assumed, as of English"
_OTHER_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts a text's tokens; `name` says how, for whoever reads the plan.

    `a_message` and `a_call` are the signs that a chat template sets around every message and at the end.
    `name_by_script` is what is said instead where texts are not Latin.
    """

    name: str
    count: Callable[[str], int]
    a_message: int = 4
    a_call: int = 3
    name_by_script: str | None = None

    def of_requests(self, requests: Iterable[Request[Any]]) -> int:
        """Count what the requests send; a message that many of them share is counted once and added for each."""
        known: dict[str, int] = {}
        total = 0
        for request in requests:
            texts = [message.content for message in request.messages]
            total += self.a_call + self.a_message * len(texts)
            for text in (*texts, *([str(request.schema)] if request.schema else [])):
                if text not in known:
                    known[text] = self.count(text)
                total += known[text]
        return total

    def name_for(self, requests: Iterable[Request[Any]]) -> str:
        """Say how the tokens of these requests were counted."""
        return self.name_for_texts(message.content for request in requests for message in request.messages)

    def name_for_texts(self, texts: Iterable[str]) -> str:
        """Say how the tokens of these texts were counted; equal ones are looked at once."""
        if self.name_by_script is None:
            return self.name
        total = others = 0
        for text in set(texts):
            total += self.count(text)
            others += tokens_in_other_scripts(text)
        return self.name_by_script if others > _OTHER_SHARE * total else self.name


def guessed(n_characters: int) -> int:
    """Guess the tokens of a text of which only the length is known, as if it were English."""
    return round(n_characters / CHARACTERS_A_TOKEN)


GUESS = TokenCounter(
    f"{CHARACTERS_A_TOKEN} characters a token ({USUAL_ERROR})", guessed_tokens, 0, 0, BY_SCRIPT
)


@lru_cache(maxsize=8)
def token_counter(endpoint: Endpoint | None) -> TokenCounter:
    """Choose how to count for a model; None is the judge that comes with this project."""
    if endpoint is None or endpoint.served_from is not None:
        return _of_ours(endpoint) or GUESS
    return _of_hub_folder(endpoint.model) or _of_tiktoken(endpoint.model) or GUESS


def _of_ours(endpoint: Endpoint | None) -> TokenCounter | None:
    from medassay.models.chat.served import embedded_endpoint
    from medassay.models.chat.vocabulary import gguf_tokenizer

    path = (endpoint or embedded_endpoint()).served_from
    if path is None:
        return None
    if (path / "tokenizer.json").is_file():
        return _of_file(path / "tokenizer.json")
    tokenizer = gguf_tokenizer(path) if path.is_file() else None
    if tokenizer is None:
        return None
    return TokenCounter("tokens by the model's own vocabulary", _counting(tokenizer), 5, 3)


def _of_hub_folder(model: str) -> TokenCounter | None:
    """Use the tokenizer of a hub model that was pulled before; servers call such models by their hub id."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        path = try_to_load_from_cache(model, "tokenizer.json")
    except HFValidationError:
        return None
    return _of_file(Path(path)) if isinstance(path, str) else None


def _of_file(path: Path) -> TokenCounter:
    from tokenizers import Tokenizer

    return TokenCounter(
        "tokens by the model's own tokenizer", _counting(Tokenizer.from_file(str(path))), 5, 3
    )


def _counting(tokenizer: Any) -> Callable[[str], int]:
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _of_tiktoken(model: str) -> TokenCounter | None:
    """Use tiktoken where it is installed and the model's encoding lies in its cache."""
    try:
        import tiktoken
        import tiktoken.load
    except ImportError:
        return None
    try:
        name = tiktoken.encoding_name_for_model(model)
    except KeyError:
        return None
    fetch = tiktoken.load.read_file
    tiktoken.load.read_file = _refuse_to_fetch
    try:
        encoding = tiktoken.get_encoding(name)
    except (_NotHere, OSError, ValueError):
        return None
    finally:
        tiktoken.load.read_file = fetch
    return TokenCounter(
        f"tokens by tiktoken's {name}", lambda text: len(encoding.encode(text, disallowed_special=()))
    )


class _NotHere(RuntimeError):
    """What would be fetched is not on this machine."""


def _refuse_to_fetch(blobpath: str) -> bytes:
    if os.path.exists(blobpath):
        with open(blobpath, "rb") as file:
            return file.read()
    raise _NotHere(blobpath)
