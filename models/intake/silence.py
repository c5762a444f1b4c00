"""What a pipeline writes where a system gave no answer, and answers that were cut off in their thoughts."""

import re

from medassay.models.text.layout.reasoning import without_reasoning

_NOTHING = frozenset("nan none null nil undefined n/a na #n/a #n/a! <na> [] {} <empty> [empty]".split())
FAILED_FORMULAS = frozenset("#ref! #value! #name? #div/0! #n/a #null! #num! #spill! #calc!".split())
_ERROR = re.compile(
    r"(?:[\w.]*(?:Error|Exception)(?: code)?\s?[:(]|Traceback \(most recent call last\)|HTTP(?:/\d\S*)? [45]\d\d\b"
    r"|(?:Error )?[45]\d\d (?:Too Many Requests|Bad Request|Unauthorized|Forbidden|Internal Server Error|Bad Gateway"
    r"|Service Unavailable|Gateway Time-?out))"
)
_LONGEST_ERROR = 2000


def why_no_answer(text: str) -> str | None:
    """Say why a text is no answer: an error's message, a program's word for nothing, thoughts without an end."""
    said = text.strip()
    if said.lower() in _NOTHING | FAILED_FORMULAS:
        return f"{said!r} stands where the answer should: what programs write for nothing"
    if len(said) <= _LONGEST_ERROR and _ERROR.match(said):
        return f"an error stands where the answer should: {' '.join(said.split())[:160]}"
    if said and not without_reasoning(text).strip():
        return "the answer was cut off in its reasoning, before it said anything"
    return None
