"""What is asked of a model and what comes of it: one request, at most a few calls, one outcome."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import CallRecord
from medassay.models.chat.scripts import most_tokens
from medassay.models.keys import content_key

Value = TypeVar("Value")
OutcomeStatus = Literal["answered", "abstained", "failed"]
_SIGNS_AROUND = 16


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
            }
        )

    @property
    def nucleus(self) -> dict[str, float | int | None]:
        """Return which tokens may be drawn at all: `top_p` and `top_k`, None where the server decides."""
        return {"top_p": self.top_p, "top_k": self.top_k}

    @property
    def reads_probabilities(self) -> bool:
        """Say whether what is read of a reply is how likely its first token was, not what it says."""
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
