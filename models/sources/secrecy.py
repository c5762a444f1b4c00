"""Who asks (a key, an e-mail address) is told to the source alone: what it sends back is kept without it."""

import html
import json
import re
import urllib.parse
from collections.abc import Iterable, Mapping

from medassay.models.sources.answer_json import read_answer

_HIDDEN = "(hidden)"
_MOST_SHOWN = 160
# The name of the asking program, sent along with the others.
_NO_SECRET = frozenset(("tool",))


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
