"""What a model wrote to itself, `<think>…</think>`: no part of the answer."""

import re

_TAG = re.compile(r"<(/?)(think|thinking|thoughts?|reasoning|scratchpad)\b[^<>\n]{0,100}>", re.IGNORECASE)
_MARKS = re.compile(
    r"(?P<open>◁think▷|\[THINK\]|<seed:think>|<\|begin_of_thought\|>|<\|channel\|>\s*(?:analysis"
    r"|commentary)\b[^<]{0,60}"
    r"<\|message\|>|<details\b[^<>\n]{0,40}type=.?reasoning[^<>\n]{0,60}>"
    r"|(?m:^[ \t]*```(?:thinking|think|thoughts?|reasoning)[ \t]*$)|\A\s*analysis(?=[A-Z])(?=[\s\S]*assistantfinal))"
    r"|(?P<close>◁/think▷|\[/THINK\]|</seed:think>|<\|end_of_thought\|>"
    r"|<\|channel\|>\s*final\b[^<]{0,60}<\|message\|>"
    r"|</details>|(?m:^[ \t]*```[ \t]*$)|assistantfinal)"
)
"""Thoughts between the signs of Kimi, Magistral, Seed, gpt-oss (its channels, also where their signs were stripped),
Open WebUI and others."""
_SIGNS = re.compile(
    r"<\|(?:begin_of_solution|end_of_solution|end|start|return|message|channel)\|>(?:assistant\b|final\b)?"
)
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
    text = _without_marked(text)
    return _ENVELOPE.sub(lambda tag: _SAID.sub(" ", tag[0]), text)


def _without_marked(text: str) -> str:
    opened: int | None = None
    marked = False
    for mark in list(_MARKS.finditer(text)):
        if mark["open"] is not None:
            opened = mark.start() if opened is None else opened
        elif opened is not None:
            text, opened, marked = _blank(text, opened, mark.end()), None, True
    if opened is not None:
        return _blank(text, opened, len(text))
    return _SIGNS.sub(lambda sign: _SAID.sub(" ", sign[0]), text) if marked else text


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + _SAID.sub(" ", text[start:end]) + text[end:]
