"""Content keys: digests that name texts and settings."""

import hashlib
import json
from typing import Any


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
