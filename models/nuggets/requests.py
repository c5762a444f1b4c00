"""Common parts of nugget requests to a language model: prompt, fenced material, schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from medassay.models.chat.conversation import Message
from medassay.models.chat.fence import code_word, fenced
from medassay.models.keys import content_key


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One structured call: instructions, the material they are about by its name, the JSON schema of the reply.

    `ids` are those the reply must speak of, each exactly once; empty where the reply is a free list.
    """

    instructions: str
    material: Mapping[str, str]
    schema: dict[str, Any]
    template_digest: str
    ids: tuple[str, ...] = ()

    def messages(self, secret: bytes) -> tuple[Message, Message]:
        """Put it into words: the fixed part first, then the material between fences that only this home can write."""
        code = code_word(secret, content_key([self.instructions, dict(self.material)]), "nuggets")
        blocks = [fenced(name, text, code) for name, text in self.material.items()]
        lines = [f"The code word is {code}.", *blocks, "Reply with the JSON object only."]
        return Message("system", self.instructions), Message("user", "\n".join(lines))


@lru_cache(maxsize=8)
def template(name: str) -> str:
    """Read a prompt that travels with the package."""
    return files("medassay.models.nuggets").joinpath(f"prompts/{name}.md").read_text(encoding="utf-8")


def numbered(ids: Sequence[str], texts: Sequence[str]) -> str:
    """List texts by their ids, each in a line of its own: none can pass for two."""
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in zip(ids, texts, strict=True))


def digest_of(name: str) -> str:
    """Name a prompt by its content."""
    return content_key({"prompt": template(name)})


def verdicts_schema(key: str, values: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of a reply that gives one value an id."""
    row = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": list(ids)},
            key: {"type": "string", "enum": list(values)},
        },
        "required": ["id", key],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "verdicts": {"type": "array", "items": row, "minItems": len(ids), "maxItems": len(ids)}
        },
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def verdicts_by_id(
    reply: Any, key: str, values: tuple[str, ...], ids: tuple[str, ...]
) -> dict[str, tuple[str | None, str | None]]:
    """Read a reply as id → (value, None), or (None, reason) for an id without exactly one good verdict."""
    rows = reply.get("verdicts") if isinstance(reply, dict) else None
    if not isinstance(rows, list):
        return dict.fromkeys(ids, (None, "the reply holds no list of verdicts"))
    given: dict[str, list[Any]] = {}
    for row in rows:
        if isinstance(row, dict):
            given.setdefault(str(row.get("id")), []).append(row.get(key))
    return {wanted: one_of(given.get(wanted, []), values) for wanted in ids}


def one_of(given: list[Any], values: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the one value given, or None and why there is none; the same value twice is still one."""
    distinct = list(dict.fromkeys(str(value) for value in given))
    if not distinct:
        return None, "the reply gives no verdict for this id"
    if len(distinct) > 1:
        return None, f"the reply gives {len(distinct)} different verdicts for this id"
    if distinct[0] not in values:
        return None, f"the reply says {distinct[0]!r}, which is none of {', '.join(values)}"
    return distinct[0], None
