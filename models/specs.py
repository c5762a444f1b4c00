"""Names of models as users write them: `none | embedded | hf:… | trained:… | <base_url>#<model> | anthropic:…`."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from medassay.models.chat.providers import PROVIDERS

SpecKind = Literal["none", "embedded", "hf", "trained", "remote"]
TRAINED = "trained:"
"""What names a judge that was trained here; it compares answers side by side and does nothing else."""
LOGPROBS = "logprobs:"
"""What stands before a server and its model where that model's probabilities are read, not what it writes."""
EMBEDDED_NAMES = ("embedded", "encoder", "llm", "cascade")
"""What comes with this project: the embedder, and the readers by their names."""
PROVIDER_NAMES = "|".join(PROVIDERS)
REMOTE_PATTERN = rf"(https?://[^\s#]+#\S.*|({PROVIDER_NAMES}):\S.*)"
"""How a model behind an address looks, for forms."""
REMOTE_FORMS = f"<base_url>#<model>, {' or '.join(f'{name}:<model>' for name in PROVIDERS)}"
"""The same, for messages."""


class SpecError(ValueError):
    """A model spec that cannot be read; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A parsed name of a model.

    Attributes:
        kind: what it names.
        model: hub id or folder, name of a trained judge, or the model behind the address.
        base_url: address of a remote one.
        provider: API of a remote one, a key of `PROVIDERS`; empty for OpenAI's.
        reads_letters: whether the probabilities of its first token are read.
    """

    kind: SpecKind
    model: str = ""
    base_url: str = ""
    provider: str = ""
    reads_letters: bool = False


def parse_spec(text: str) -> ModelSpec:
    """Read the name of a model as users write it.

    A base URL without a path gets the one where such servers listen, `/v1` of OpenAI-compatible ones.

    Raises:
        SpecError: for anything else, and for URLs that carry credentials or lack the `#<model>`.
    """
    spec = text.strip()
    reads_letters, spec = spec.startswith(LOGPROBS), spec.removeprefix(LOGPROBS)
    if reads_letters and not spec.startswith(("http://", "https://", *(f"{name}:" for name in PROVIDERS))):
        raise SpecError(f"{LOGPROBS}{spec} names no server: write {LOGPROBS}<base_url>#<model>")
    if spec == "none":
        return ModelSpec("none")
    if spec in EMBEDDED_NAMES:
        return ModelSpec("embedded")
    word, colon, rest = spec.partition(":")
    rest = rest.strip()
    if word in ("hf", "trained") and colon:
        if not rest:
            raise SpecError(f"'{word}:' names no model: write {_FORMS[word]}")
        return ModelSpec("hf" if word == "hf" else "trained", model=rest)
    if word in PROVIDERS and colon:
        if reads_letters:
            raise SpecError(f"{word} gives no probabilities of letters: leave {LOGPROBS} out")
        if not rest:
            raise SpecError(f"'{word}:' names no model: write {word}:<model>")
        named = rest if rest.startswith(("http://", "https://")) else f"{PROVIDERS[word].base_url}#{rest}"
        return _parse_remote(named, word, reads_letters)
    if spec.startswith(("http://", "https://")):
        return _parse_remote(spec, "", reads_letters)
    raise SpecError(f"'{spec}' is no model: write none, embedded, hf:<id or folder>, {REMOTE_FORMS}")


_FORMS = {"hf": "hf:<hub id> or hf:<folder>", "trained": "trained:<name>"}


def _parse_remote(spec: str, provider: str, reads_letters: bool) -> ModelSpec:
    url, hash_sign, model = spec.partition("#")
    parts = _parts_of(url)
    if parts.username or parts.password:
        raise SpecError(
            "a URL with a user name or password is not accepted: put the key into the environment variable"
        )
    if parts.query:
        raise SpecError("a base URL with a query string is not accepted: keys belong into the environment")
    if not parts.hostname:
        raise SpecError(f"'{url}' names no host: write http(s)://<host>/v1#<model>")
    if not hash_sign or not model.strip():
        raise SpecError(f"'{url}' names no model: write {url.rstrip('/')}#<model>")
    usual = urlsplit(PROVIDERS[provider].base_url).path if provider else "/v1"
    base_url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or usual}"
    return ModelSpec("remote", model.strip(), base_url, provider, reads_letters)


def _parts_of(url: str) -> SplitResult:
    """Take a URL apart; what is wrong with it is not shown, since it may be a password without its @."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise SpecError(
            "the host or the port of a URL cannot be read: write http(s)://<host>:<port>/v1#<model>"
        ) from None
    return parts
