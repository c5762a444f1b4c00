"""What a model wrote to itself or to a program: `<think>…</think>`, `<answer>`, `<confidence>0.9</confidence>`.

None of it is part of the answer.
"""

import re

_TAG = re.compile(r"<(/?)(think|thinking|thoughts?|reasoning|scratchpad)\b[^<>\n]{0,100}>", re.IGNORECASE)
_ENVELOPE = re.compile(
    r"<(confidence|certainty|score)\b[^<>\n]{0,60}>[^<>\n]{0,40}</\1>"
    r"|</?(?:final[_-]?)?(?:answer|response|output)\b[^<>\n]{0,100}>",
    re.IGNORECASE,
)
_SAID = re.compile(r"[^\r\n]")


def without_reasoning(text: str) -> str:
    """Blank out what stands between the tags, and the tags; of an answer's own tags these alone.

    The text keeps its length and its lines.

    Where only the closing tag was handed on, as some servers do, all before it is reasoning; what was never closed
    was cut off before the answer began.
    """
    opened: int | None = None
    for tag in list(_TAG.finditer(text)):
        if not tag[1]:
            opened = tag.start() if opened is None else opened
            continue
        text = _blank(text, opened or 0, tag.end())
        opened = None
    text = text if opened is None else _blank(text, opened, len(text))
    return _ENVELOPE.sub(lambda tag: _SAID.sub(" ", tag[0]), text)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + _SAID.sub(" ", text[start:end]) + text[end:]
