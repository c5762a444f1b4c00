"""Which model is asked: the spec a user writes, and where its key comes from."""

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

SpecKind = Literal["none", "embedded", "hf", "remote"]
SERVED = "<base_url>#<model>"


class SpecError(ValueError):
    """A model spec that cannot be read; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A parsed `none | embedded | hf:<id or folder> | <base_url>#<model>`."""

    kind: SpecKind
    model: str = ""
    base_url: str = ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one base URL; it knows where its key is to be found and never holds it.

    `role` names the environment variable: `MEDASSAY_<ROLE>_API_KEY`, else `OPENAI_API_KEY`. `known_as`
    names a server whose address changes, such as our own on a free port, by what it serves.
    """

    base_url: str
    model: str
    role: str = "judge"
    known_as: str | None = None

    @property
    def identity(self) -> str:
        """The name under which calls are kept: the base URL, or what the server is known as."""
        return self.known_as or self.base_url

    @property
    def is_loopback(self) -> bool:
        """Say whether the endpoint is on this machine."""
        return urlsplit(self.base_url).hostname in {"127.0.0.1", "::1", "localhost"}

    @property
    def key_variables(self) -> tuple[str, str]:
        """Name the environment variables that may hold the key, first wins."""
        return f"MEDASSAY_{self.role.upper()}_API_KEY", "OPENAI_API_KEY"

    def api_key(self) -> str | None:
        """Read the key from the environment, None where none is set."""
        return next((value for name in self.key_variables if (value := os.environ.get(name))), None)


def parse_spec(text: str) -> ModelSpec:
    """Read a model spec as users write it.

    A base URL without a path gets `/v1`, where OpenAI-compatible servers listen.

    Raises:
        SpecError: for anything else, and for URLs that carry credentials or lack the `#<model>`.
    """
    spec = text.strip()
    if spec in ("none", "embedded"):
        return ModelSpec("none" if spec == "none" else "embedded")
    if spec.startswith("hf:"):
        if not spec[3:].strip():
            raise SpecError("'hf:' names no model: write hf:<hub id> or hf:<folder>")
        return ModelSpec("hf", model=spec[3:].strip())
    if spec.startswith(("http://", "https://")):
        return _parse_remote(spec)
    raise SpecError(f"'{spec}' is no model: write none, embedded, hf:<id or folder> or <base_url>#<model>")


def parse_asked(text: str) -> ModelSpec:
    """Read the spec of a model that is asked in words, which a hub id or a folder is not before a server serves it.

    Raises:
        SpecError: for these, and for what is no spec at all.
    """
    spec = text.strip()
    if spec.startswith("hf:"):
        raise SpecError(f"'{spec}' is not served: serve it and write {SERVED}")
    if spec not in ("none", "embedded") and not spec.startswith(("http://", "https://")):
        raise SpecError(f"'{spec}' is no model to ask: write none, embedded or {SERVED}")
    return parse_spec(spec)


def _parse_remote(spec: str) -> ModelSpec:
    url, hash_sign, model = spec.partition("#")
    parts = urlsplit(url)
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
    path = parts.path.rstrip("/") or "/v1"
    return ModelSpec("remote", model=model.strip(), base_url=f"{parts.scheme}://{parts.netloc}{path}")


def endpoint_of(spec: ModelSpec, role: str) -> Endpoint:
    """Turn a remote spec into the endpoint asked in this role (`judge`, `llm`, …)."""
    if spec.kind != "remote":
        raise SpecError(f"'{spec.kind}' is no endpoint: only <base_url>#<model> is")
    return Endpoint(spec.base_url, spec.model, role)
