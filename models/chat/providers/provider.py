"""What a provider's API has to say: where it is, how a request and a reply are written there."""

from dataclasses import dataclass, field
from typing import Any, Protocol

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """A request as a provider takes it."""

    path: str
    body: Body
    headers: dict[str, str] = field(default_factory=dict)


class Provider(Protocol):
    """One API; errors keep their status, and their message is read from `error.message`."""

    @property
    def name(self) -> str:
        """Word that names its models in specs."""

    @property
    def base_url(self) -> str:
        """Address unless another is named."""

    @property
    def key_variable(self) -> str:
        """Environment variable of the key."""

    def key_headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key."""

    def request(self, model: str, body: Body) -> NativeRequest:
        """Write the request of a chat completion (`messages`, `max_tokens`, sampling, `response_format`)."""

    def completion(self, reply: Body) -> Body:
        """Write a reply as a chat completion: `choices`, `usage`, `model`, `citations`.

        Raises:
            KeyError, TypeError, AttributeError: for what is no reply of this API.
        """


def system_and_turns(messages: list[Body]) -> tuple[str, list[Body]]:
    """Return the system's messages as one text, and the others."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    return system, [message for message in messages if message["role"] != "system"]


def token_limit(body: Body) -> int:
    """Return the most tokens of the reply, by either name."""
    return int(body.get("max_tokens") or body["max_completion_tokens"])
