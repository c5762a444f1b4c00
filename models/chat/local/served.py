"""Resolve a model spec to an endpoint, starting a local server where the model is served here."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint, endpoint_of
from medassay.models.chat.local.trained import endpoint_trained
from medassay.models.chat.local.weights import weights_of
from medassay.models.specs import SpecError, parse_spec
from medassay.models.weights import ensure, model_named, path_of

EMBEDDED_MODEL = model_named("qwen2.5-coder-1.5b-instruct-q4_k_m")
EMBEDDED_CONTEXT = 4096
CONTEXT = 16384
"""Tokens that a server of ours holds of a conversation with a GGUF file that a user names."""


def endpoint_named(spec: str, role: str) -> Endpoint:
    """Return whom a spec names in this role; what we serve ourselves has an address once it is `reachable`.

    Raises:
        SpecError: for a spec that cannot be read, names no model to ask in words, or names none that is here.
    """
    parsed = parse_spec(spec)
    match parsed.kind:
        case "remote":
            return endpoint_of(parsed, role)
        case "hf":
            return weights_of(parsed.model).endpoint(role)
        case "trained":
            return endpoint_trained(spec, role)
        case "embedded":
            return embedded_endpoint()
        case "none":
            raise SpecError("'none' names no model to ask")


def embedded_endpoint(model_path: Path | None = None) -> Endpoint:
    """Return the endpoint of the language model that comes with this project, or of its file elsewhere."""
    path = model_path or path_of(EMBEDDED_MODEL)
    known_as = f"local:{path.name}:{EMBEDDED_CONTEXT}"
    return Endpoint("", path.stem, "embedded", known_as, path)


@contextmanager
def reachable(endpoint: Endpoint) -> Iterator[Endpoint]:
    """Give the endpoint with an address; what we serve ourselves is served while the block runs.

    Raises:
        ModelMissing: the embedded model is not on this machine.
        LocalServerError: when the server does not come up.
    """
    if endpoint.served_from is None or endpoint.base_url:
        yield endpoint
        return
    from medassay.models.chat.local.local_server import serving

    is_embedded = endpoint.served_from == path_of(EMBEDDED_MODEL)
    path = ensure(EMBEDDED_MODEL) if is_embedded else endpoint.served_from
    with serving(path, alias=endpoint.model, n_ctx=EMBEDDED_CONTEXT if is_embedded else CONTEXT) as server:
        yield replace(endpoint, base_url=server.base_url)
