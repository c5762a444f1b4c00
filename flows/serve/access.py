"""Access token of the server: created once, stored in the home for its owner only, derived for the reports server."""

import base64
import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

TOKEN_FILE = "serve-token"
USER = "medassay"
SHORTEST = 20
SERVER_TOKEN, CLIENT_TOKEN = "PREFECT_SERVER_API_AUTH_STRING", "PREFECT_API_AUTH_STRING"
"""Prefect's own variables: what its server asks for, and what its clients send."""


class TokenRefused(Exception):
    """The token cannot be kept safely; the message says what to do."""


def new_token() -> str:
    """Return a random token of 256 bits in the form of Prefect's auth string, `user:password`."""
    return f"{USER}:{secrets.token_urlsafe(32)}"


def kept_token(home: Path) -> str:
    """Return the home's token; where there is none, make it, readable by its owner alone.

    Raises:
        TokenRefused: where others could read or set it.
    """
    path = home / TOKEN_FILE
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with open(made, "w", encoding="ascii") as file:
            file.write(f"{new_token()}\n")
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise TokenRefused(
            f"{path} is not a file of yours that nobody else can read;"
            " delete it, and the next `medassay serve` makes a new one"
        )
    token = path.read_text("utf-8").strip()
    if len(token) < SHORTEST:
        raise TokenRefused(f"{path} holds no token; delete it, and the next `medassay serve` makes a new one")
    return token


def authorization(token: str) -> str:
    """Return the `Authorization` header that Prefect's server takes."""
    return f"Basic {encoded(token)}"


def encoded(token: str) -> str:
    """Return a token in base64: what the UI keeps in the browser, and what the header holds."""
    return base64.b64encode(token.encode()).decode()


def reports_key(token: str) -> str:
    """Return the part of a report's address that cannot be guessed; the token cannot be told from it."""
    return hmac.new(token.encode(), b"reports", hashlib.sha256).hexdigest()[:32]


def form_key(key: str) -> str:
    """Return what every form of who has this key carries, and no other site can know."""
    return hmac.new(key.encode(), b"forms", hashlib.sha256).hexdigest()[:32]


def annotator_key(key: str, name: str) -> str:
    """Return what lets one annotator in, to their own scores and to nothing else."""
    return hmac.new(key.encode(), f"annotate:{name}".encode(), hashlib.sha256).hexdigest()[:32]


def one(given: Mapping[str, Sequence[str]], name: str) -> str:
    """Return the last value that a query or a form has under a name."""
    return (given.get(name) or [""])[-1]
