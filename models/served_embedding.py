"""Embedder behind an OpenAI-compatible server (`/v1/embeddings`): requests of several texts, vectors of length 1."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint, endpoint_of
from medassay.models.chat.reply import Complaint
from medassay.models.embedder_folder import EmbedderUnavailable
from medassay.models.keys import content_key
from medassay.models.specs import SpecError, parse_spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGE_VERSION = 1
"""Raised by hand whenever the same texts and model would give other vectors."""
ROLE = "embedder"
TEXTS_A_CALL = 32
"""What the smallest of common servers take at once."""
SHORTEST_PART = 200
"""Characters; a text of so few that is still too long for the model is no text that could be embedded."""

Vectors = list["NDArray[np.float32]"]
Ask = Callable[[Sequence[Request[Vectors]]], list[Outcome[Vectors]]]


def embedder_address(spec: str) -> Endpoint | None:
    """Return the server that a spec names; None for a model that is loaded here.

    Raises:
        SpecError: for a provider without such an API.
    """
    if not spec.strip().startswith(("http://", "https://")):
        return None
    endpoint = endpoint_of(parse_spec(spec), ROLE)
    if endpoint.provider:
        raise SpecError(
            f"{spec}: embeddings are asked of OpenAI-compatible servers: write <base_url>#<model>"
        )
    return endpoint


def describe_served_embedder(endpoint: Endpoint) -> dict[str, Any]:
    """Name everything that a vector depends on, as far as it can be known from outside."""
    return {
        "role": "embeddings",
        "model": endpoint.model,
        "base_url": endpoint.identity,
        "stage_version": STAGE_VERSION,
    }


def request_for(texts: Sequence[str], item_key: str | None = None) -> Request[Vectors]:
    """Put texts into one request for their vectors."""
    return Request(
        item_key=item_key or content_key(list(texts)),
        messages=tuple(Message("user", text) for text in texts),
        read=lambda reply: read_vectors(reply, len(texts)),
        max_tokens=0,
        embeds=True,
    )


def read_vectors(reply: str, n_texts: int) -> Vectors:
    """Read a reply as one vector of length 1 a text.

    Raises:
        Complaint: where there are not as many vectors, they are of several lengths, or one has no direction.
    """
    import numpy as np

    rows = [np.frombuffer(base64.b64decode(row), dtype="<f4") for row in json.loads(reply)]
    if len(rows) != n_texts:
        raise Complaint(f"the reply holds {len(rows)} vectors for {n_texts} texts")
    if len({len(row) for row in rows}) > 1:
        raise Complaint("the reply holds vectors of several dimensions")
    norms = [float(np.linalg.norm(row)) for row in rows]
    if not all(np.isfinite(norm) and norm > 0 for norm in norms):
        raise Complaint("the reply holds a vector without a direction (zeros or no numbers)")
    return [np.asarray(row / norm, dtype=np.float32) for row, norm in zip(rows, norms, strict=True)]


def embed_texts(texts: Sequence[str], item_keys: Sequence[str], ask: Ask, label: str) -> Vectors:
    """Return a vector of length 1 a text, in order; a text that is too long is the mean of its halves, by length.

    Args:
        texts: what to embed.
        item_keys: what each is known by.
        ask: asks requests, in order.
        label: the server's name in messages.

    Raises:
        EmbedderUnavailable: where a text gets no vector, since nothing can be matched without it.
    """
    starts = range(0, len(texts), TEXTS_A_CALL)
    slices = [slice(start, start + TEXTS_A_CALL) for start in starts]
    outcomes = ask([request_for(texts[part], item_keys[part.start]) for part in slices])
    found: Vectors = []
    for part, outcome in zip(slices, outcomes, strict=True):
        if outcome.value is not None:
            found += outcome.value
        elif _is_too_long(outcome):
            for text, key in zip(texts[part], item_keys[part], strict=True):
                alone = ask([request_for([text], key)])[0] if len(texts[part]) > 1 else outcome
                found.append(_one(text, key, alone, ask, label))
        else:
            raise EmbedderUnavailable(f"{label} gave no vectors ({outcome.reason}); {GO_ON}")
    return found


GO_ON = (
    "without them nothing can be matched: what was embedded is kept, and the same command goes on from there"
)


def _one(text: str, key: str, outcome: Outcome[Vectors], ask: Ask, label: str) -> "NDArray[np.float32]":
    import numpy as np

    if outcome.value is not None:
        return outcome.value[0]
    if not _is_too_long(outcome) or len(text) <= SHORTEST_PART:
        raise EmbedderUnavailable(f"{label} gave no vector ({outcome.reason}); {GO_ON}")
    middle = text.rfind(" ", 0, len(text) // 2 + 1)
    middle = middle if middle > 0 else len(text) // 2
    halves = [text[:middle], text[middle:]]
    outcomes = ask([request_for([half], key) for half in halves])
    mean = sum(
        len(half) * _one(half, key, came, ask, label) for half, came in zip(halves, outcomes, strict=True)
    )
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), dtype=np.float32)


def _is_too_long(outcome: Outcome[Vectors]) -> bool:
    return bool(outcome.calls) and outcome.calls[-1].status == "too_long"
