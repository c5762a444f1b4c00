"""Requests and their outcomes: messages, estimated tokens, at most a few calls, one outcome a request."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import CallRecord
from medassay.models.keys import content_key

CHARACTERS_A_TOKEN = 3.7
OTHER_CHARACTERS_A_TOKEN = 2.0
_DENSE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]+"
)
"""Chinese, Japanese, Korean, their signs, and pictures: about one token each."""
_LATIN = re.compile("[\\0-\u024f\u1e00-\u1eff\u2000-\u2bff]+")
_NO_ASCII = bytes(range(128, 256))
_NO_DIGITS = bytes(sorted(set(range(256)) - set(b"0123456789")))

Value = TypeVar("Value")
OutcomeStatus = Literal["answered", "abstained", "failed"]
_SIGNS_AROUND = 16
GUESS = f"{CHARACTERS_A_TOKEN} characters a token (within 5 % on the examples)"
"""Held against Qwen2.5's tokenizer on the prompts of every stage for `examples/clinic`; one call by up to 12 %."""
BY_SCRIPT = (
    f"an estimate by script: {CHARACTERS_A_TOKEN} characters a token of Latin, 1 of Chinese, Japanese and Korean, "
    f"{OTHER_CHARACTERS_A_TOKEN:g} of any other; tokenizers differ by half and more there"
)
UNSEEN = f"{CHARACTERS_A_TOKEN} characters a token assumed, as of English"
_OTHER_SHARE = 0.05


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


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request(Generic[Value]):
    """One question to a model; `read` turns its reply into a value or raises `Complaint`.

    `schema` is a JSON schema of the reply, sent in the strongest form the server takes. With
    `top_logprobs` the reply is read from the probabilities of its first token: `read` gets them as JSON,
    `{"token": logprob, …}`. With `continued` the one message is a text that the model goes on with as it stands
    (`/completions`), without the template of a conversation.
    """

    item_key: str
    messages: tuple[Message, ...]
    read: Callable[[str], Value]
    schema: dict[str, Any] | None = None
    schema_name: str = "reply"
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int | None = None
    top_p: float | None = None
    top_k: int | None = None
    top_logprobs: int | None = None
    continued: bool = False
    sample_no: int = 0
    form: str = "as one JSON object and nothing else"
    """How a reply that could not be used is to be sent again, as the end of a sentence."""
    embeds: bool = False
    """Whether the messages are texts whose vectors are asked for (`/embeddings`): `read` gets them as a JSON list of
    float32 in base64, in the texts' order."""
    takes_cut: bool = False
    """Whether a reply that ends at its token limit is a reply like any other."""
    guard_key: str | None = None
    """Under which the PHI guard keeps what it found in this text, by the text as it may leave."""

    @property
    def prompt_digest(self) -> str:
        """Name the messages."""
        return content_key([[m.role, m.content] for m in self.messages])

    def request_key(self, endpoint: Endpoint) -> str:
        """Name the call: where, what model, what parameters, what messages, what schema; nothing else."""
        return content_key(
            {
                "base_url": endpoint.identity,
                "model": endpoint.model,
                "messages": [[m.role, m.content] for m in self.messages],
                "schema": self.schema,
                "max_tokens": self.max_tokens,
                "temperature": self.temperature,
                "seed": self.seed,
                "top_logprobs": self.top_logprobs,
                **{name: value for name, value in self.nucleus.items() if value is not None},
                **({"continued": True} if self.continued else {}),
                **({"embeds": True} if self.embeds else {}),
            }
        )

    @property
    def nucleus(self) -> dict[str, float | int | None]:
        """Return which tokens may be drawn at all: `top_p` and `top_k`, None where the server decides."""
        return {"top_p": self.top_p, "top_k": self.top_k}

    @property
    def reads_probabilities(self) -> bool:
        """Return whether what is read of a reply is how likely its first token was, not what it says."""
        return self.top_logprobs is not None

    @property
    def most_prompt_tokens(self) -> int:
        """Return what no common tokenizer makes more of than of what is sent, with the signs around messages."""
        texts = [*(m.content for m in self.messages), str(self.schema or "")]
        return most_tokens("".join(texts)) + _SIGNS_AROUND


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Value]):
    """How a request ended: with a value, or abstained or failed with the reason.

    `failed` is the world's fault and worth another try; `abstained` is the model's and is not asked again.
    `calls` are the records used, those found in the ledger included; `n_sent` counts the calls made now.
    """

    item_key: str
    status: OutcomeStatus
    value: Value | None
    reason: str | None
    calls: tuple[CallRecord, ...] = ()
    n_sent: int = 0
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Budget:
    """How often one request may be sent: askings that bring an answer, and tries that bring none.

    The most calls a request can make is `askings + tries_without_answer`; being told to wait
    (429) is counted apart, and so is each form of the request that the server refuses, at most five. A stage that the
    world left unfinished is tried once more within a run, and by a later run, each time with a budget of its own.
    """

    askings: int = 2
    tries_without_answer: int = 2
    waits: int = 8


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
    """Describe how the tokens of these texts were guessed."""
    total = others = 0
    for text in set(texts):
        total += guessed_tokens(text)
        others += tokens_in_other_scripts(text)
    return BY_SCRIPT if others > _OTHER_SHARE * total else GUESS


def how_requests_were_guessed(requests: Iterable[Request[Any]]) -> str:
    """Describe how the tokens of these requests were guessed."""
    return how_guessed(message.content for request in requests for message in request.messages)


def guessed_by_length(n_characters: int) -> int:
    """Guess the tokens of a text of which only the length is known, as if it were English."""
    return round(n_characters / CHARACTERS_A_TOKEN)
