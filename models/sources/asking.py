"""What goes to and comes from a source: contact, key, JSON; secrets are kept out of stored bodies."""

import html
import json
import re
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

from medassay.models.usage import UsageError

_DEEPEST = 100
# Escapes in the order in which JSON reads them: a whole pair, half of one, any other.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<half>u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)
_HIDDEN = "(hidden)"
_MOST_SHOWN = 160
# The name of the asking program, sent along with the others.
_NO_SECRET = frozenset(("tool",))


def refuse_address(name: str, url: str) -> None:
    """Refuse what is no address, and one that holds a user name or password, which would be stored with the run.

    Raises:
        UsageError: naming the setting, but no password.
    """
    if "@" in url:
        raise UsageError(f"{name} holds a user name or password: give the address without them")
    try:
        parts = urllib.parse.urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or re.search(r"[\s?#]|[^ -~]", url):
        raise UsageError(
            f"{name} is {url!r}: give an address that begins with https:// or http://, such as https://host/path"
        )


def refuse_name(name: str, value: str) -> None:
    """Refuse a name that no header of a request can hold; what it is, is not said: it may be a key.

    Raises:
        UsageError: naming the setting.
    """
    if not value.isprintable() or max(value, default="") > "ÿ":
        raise UsageError(f"{name} holds a character that cannot be sent: write it with letters of Latin-1")


def read_json(text: str) -> Any:
    """Read JSON that is nested no deeper than a hundred times, so that nothing that walks through it runs out of stack.

    Raises:
        ValueError: for what is no JSON, or is nested deeper.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {_DEEPEST} times") from None
    level = [value]
    for _ in range(_DEEPEST + 1):
        holding = [item for item in level if isinstance(item, list | dict)]
        if not holding:
            return value
        level = [part for item in holding for part in _parts(item)]
    raise ValueError(f"it is nested deeper than {_DEEPEST} times")


def read_answer(body: bytes) -> Any:
    """Read a source's JSON; half of a surrogate pair, which no file or table takes, becomes U+FFFD.

    Raises:
        ValueError: for what is no JSON, or is nested too deep.
    """
    text = body.decode(json.detect_encoding(body), "replace")
    return read_json(_ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text))


def _parts(item: list[Any] | dict[str, Any]) -> list[Any]:
    return list(item.values()) if isinstance(item, dict) else item


def hidden(text: str, secret: Mapping[str, str]) -> str:
    """Take the values of form fields out of a text, also as addresses, JSON and web pages write them."""
    forms = {form for name, value in secret.items() if name not in _NO_SECRET for form in _forms(value)}
    written = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.sub(written, _HIDDEN, text, flags=re.IGNORECASE) if written else text


def hidden_in_body(body: bytes, secret: Mapping[str, str]) -> bytes:
    """Take the values of form fields out of a body, and leave all else as it came."""
    return hidden(body.decode("utf-8", "surrogateescape"), secret).encode("utf-8", "surrogateescape")


def words_of(body: bytes) -> str:
    """Return what an error's body says to a person, in one short line: of a JSON object its `error` alone."""
    try:
        said = read_answer(body)
    except ValueError:
        said = body.decode("utf-8", "replace")
    if isinstance(said, dict):
        said = said.get("error")
    return shortened(re.sub(r"<[^>]*>", " ", said)) if isinstance(said, str) else ""


def shortened(text: str) -> str:
    """Bring what a source says to one short line."""
    return re.sub(r"\s+", " ", text).strip()[:_MOST_SHOWN]


def _forms(value: str) -> Iterable[str]:
    if value.strip():
        quoted = (
            urllib.parse.quote(value),
            urllib.parse.quote(value, safe=""),
            urllib.parse.quote_plus(value),
        )
        yield from (value, *quoted, json.dumps(value)[1:-1], html.escape(value))
