"""Endpoints that do not answer, found before a run computes for an hour what they would be asked about."""

import re
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from urllib.parse import urlsplit

PATIENCE_S = 5.0
_ADDRESS = re.compile(r"https?://[^\s,#]+")


def addresses_in(specs: Iterable[str]) -> list[str]:
    """Return the base URLs that model specs name, panels and `logprobs:` among them, each once."""
    found = (address.rstrip("/") for spec in specs for address in _ADDRESS.findall(spec or ""))
    return list(dict.fromkeys(found))


def silent(specs: Iterable[str], patience_s: float = PATIENCE_S) -> dict[str, str]:
    """Return the named endpoints that give no answer, and why; nothing of the data and no key is sent.

    Any answer will do, a refusal too: whether a key is right and a model is there shows with the first call.
    """
    addresses = addresses_in(specs)
    if not addresses:
        return {}
    with ThreadPoolExecutor(len(addresses)) as pool:
        said = pool.map(lambda address: _silence(address, patience_s), addresses)
        return {address: why for address, why in zip(addresses, said, strict=True) if why}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for an answer: nobody is asked who was not named."""

    def redirect_request(self, *_: object) -> None:
        """Go nowhere else."""


def _silence(address: str, patience_s: float) -> str:
    models = f"{address}/models" if urlsplit(address).path else f"{address}/v1/models"
    try:
        with urllib.request.build_opener(_NoRedirect).open(models, timeout=patience_s):
            return ""
    except urllib.error.HTTPError:
        return ""
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return f"no answer in {patience_s:g} s"
        return str(getattr(reason, "strerror", None) or reason) or type(reason).__name__
