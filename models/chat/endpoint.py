"""The model that is asked, where it is, and where its API key comes from."""

import os
import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from medassay.models.chat.providers import PROVIDERS, Provider
from medassay.models.specs import ModelSpec, SpecError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one base URL; it knows where its key is to be found and never holds it.

    `role` names the environment variable: `MEDASSAY_<ROLE>_API_KEY`, else the provider's (`OPENAI_API_KEY`). `known_as`
    names a server whose address changes, such as our own on a free port, by what it serves. `served_from` is the
    file or folder that a server of ours loads; `base_url` is empty until it runs (`served.reachable`).
    """

    base_url: str
    model: str
    role: str = "judge"
    known_as: str | None = None
    served_from: Path | None = None
    provider: str = ""

    @property
    def native(self) -> Provider | None:
        """The API that is spoken there; None for OpenAI's."""
        return PROVIDERS.get(self.provider)

    @property
    def is_ours(self) -> bool:
        """Return whether we serve it ourselves: it costs no money, and takes one call after the other."""
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
        """Return whether the endpoint is on this machine."""
        return self.is_ours or urlsplit(self.base_url).hostname in {"127.0.0.1", "::1", "localhost"}

    @property
    def key_variables(self) -> tuple[str, str]:
        """Name the environment variables that may hold the key, first wins."""
        usual = self.native.key_variable if self.native else "OPENAI_API_KEY"
        return f"MEDASSAY_{self.role.upper()}_API_KEY", usual

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


def endpoint_of(spec: ModelSpec, role: str) -> Endpoint:
    """Turn a remote spec into the endpoint asked in this role (`judge`, `llm`, …)."""
    if spec.kind != "remote":
        raise SpecError(f"'{spec.kind}' is no endpoint: only <base_url>#<model> is")
    return Endpoint(spec.base_url, spec.model, role, provider=spec.provider)
