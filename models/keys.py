"""Content keys: digests that name texts and settings."""

import hashlib
import json
from typing import Any


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Write a number and what there are that many of: `1 row`, `2,000 rows`; `nouns` where an s is not enough."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def too_few(number: int, noun: str, purpose: str) -> str:
    """Say that there are too few of something: `1 question is too few for an interval`."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'} too few {purpose}"


def canonical_json(value: Any) -> str:
    """Serialise so that equal values give equal text: sorted keys, no spaces, text byte for byte.

    Raises:
        ValueError: for NaN and infinities, which have no place in a key.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_key(value: Any) -> str:
    """Name a value by the first 128 bits of SHA-256 over its canonical JSON, as 32 hex digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def text_key(text: str) -> str:
    """Name a text: equal texts share a key, and with it every model's work on them."""
    return content_key({"text": text})
