"""Model specs (`<base_url>#<model>`) and where the API key comes from."""

import os
import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

SpecKind = Literal["none", "embedded", "hf", "remote"]


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
    names a server whose address changes, such as our own on a free port, by what it serves. `served_from` is the
    file or folder that a server of ours loads; `base_url` is empty until it runs (`served.reachable`).
    """

    base_url: str
    model: str
    role: str = "judge"
    known_as: str | None = None
    served_from: Path | None = None

    @property
    def is_ours(self) -> bool:
        """Say whether we serve it ourselves: it costs no money, and takes one call after the other."""
        return self.served_from is not None

    @property
    def label(self) -> str:
        """How it is called in tables and messages."""
        return self.known_as or f"{self.base_url}#{self.model}"

    @property
    def identity(self) -> str:
        """The name under which calls are kept: the base URL, or what the server is known as."""
        return self.known_as or self.base_url

    @property
    def is_loopback(self) -> bool:
        """Say whether the endpoint is on this machine."""
        return self.is_ours or urlsplit(self.base_url).hostname in {"127.0.0.1", "::1", "localhost"}

    @property
    def key_variables(self) -> tuple[str, str]:
        """Name the environment variables that may hold the key, first wins."""
        return f"MEDASSAY_{self.role.upper()}_API_KEY", "OPENAI_API_KEY"

    def api_key(self) -> str | None:
        """Read the key from the environment, None where none is set; a server of ours asks for this process's own.

        Blanks around it, such as the line break at the end of a file that it was read from, are no part of it.

        Raises:
            SpecError: when it holds a sign that no request can carry; the message names the variable alone.
        """
        if self.is_ours:
            return key_of_ours()
        for name in self.key_variables:
            if key := os.environ.get(name, "").strip():
                if not (key.isascii() and key.isprintable()):
                    raise SpecError(f"{name} holds a sign that no key can have: set it to the key alone")
                return key
        return None


@cache
def key_of_ours() -> str:
    """Return what this process's local model servers ask for: random, and on no command line or environment."""
    return secrets.token_urlsafe(32)


def parse_spec(text: str) -> ModelSpec:
    """Read a model spec as users write it.

    A base URL without a path gets `/v1`, where OpenAI-compatible servers listen.

    Raises:
        SpecError: for anything else, and for URLs that carry credentials or lack the `#<model>`.
    """
    spec = text.strip()
    if spec in ("none", "embedded", "llm", "cascade"):
        return ModelSpec("none" if spec == "none" else "embedded")
    if spec.startswith("hf:"):
        if not spec[3:].strip():
            raise SpecError("'hf:' names no model: write hf:<hub id> or hf:<folder>")
        return ModelSpec("hf", model=spec[3:].strip())
    if spec.startswith(("http://", "https://")):
        return _parse_remote(spec)
    raise SpecError(f"'{spec}' is no model: write none, embedded, hf:<id or folder> or <base_url>#<model>")


def _parse_remote(spec: str) -> ModelSpec:
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
    path = parts.path.rstrip("/") or "/v1"
    return ModelSpec("remote", model=model.strip(), base_url=f"{parts.scheme}://{parts.netloc}{path}")


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


def endpoint_of(spec: ModelSpec, role: str) -> Endpoint:
    """Turn a remote spec into the endpoint asked in this role (`judge`, `llm`, …)."""
    if spec.kind != "remote":
        raise SpecError(f"'{spec.kind}' is no endpoint: only <base_url>#<model> is")
    return Endpoint(spec.base_url, spec.model, role)
