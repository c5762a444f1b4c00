"""Answers that a program wrote as JSON, between fences or not: `{"answer": "…", "references": […]}`."""

import json
import re
from typing import Any

_FENCED = re.compile(
    r"\s*(?P<fence>```+|~~~+)(?:json)?[ \t]*\r?\n(?P<body>.*)\n[ \t]*(?P=fence)\s*", re.DOTALL | re.IGNORECASE
)
_TEXTS = ("answer", "final_answer", "response", "output", "text")
_REFERENCES = ("references", "citations", "sources")


def without_wrapping(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return an answer's row with the text that its JSON holds, and its references where the row has none.

    None where the answer is no JSON object with a text in it: read as prose, braces and names of fields say nothing.
    """
    text = row.get("answer")
    if not isinstance(text, str) or "{" not in text[:40] or "}" not in text[-40:]:
        return None
    fenced = _FENCED.fullmatch(text)
    try:
        held = json.loads(fenced["body"] if fenced else text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict):
        return None
    said = next((held[name] for name in _TEXTS if isinstance(held.get(name), str)), None)
    if said is None:
        return None
    listed = next((held[name] for name in _REFERENCES if _are_references(held.get(name))), None)
    if listed is None or row.get("references") is not None:
        return {**row, "answer": said}
    return {**row, "answer": said, "references": listed}


def _are_references(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, dict | str) for part in value)
