"""What an assistant must ask a user and the red flags that it must raise, as statements read in its replies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medassay.models.guidance import GuidanceState, GuidanceStatement
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.records import PairVerdict

ASKED_AT = 0.4
"""Least probability that a question asks what must be asked.

Of the pairs of `benchmarks.asked` (half of them near misses) the cascade takes 43 of 45 right ones and 1 of 44 wrong
ones for asked, the encoder 41 and 7.
"""
_PEELED = re.compile(
    r"^(?:please\s+|must\s+|should\s+)?(?:(?:ask|enquire|inquire|check|clarify|establish|determine|find\s+out|elicit)s?\s+)"
    r"(?:(?:the\s+)?(?:patient|user|caller|parent|them|her|him)\s+)?(?:about\s+|for\s+|after\s+)?",
    re.IGNORECASE,
)
_INDIRECT = re.compile(r"(?:whether|if|how|when|what|which|where|who|why)\b", re.IGNORECASE)
_DIRECT = re.compile(
    r"(?:are|is|was|were|do|does|did|have|has|had|could|can|will|would|any|how|when|what|which|where|who|why)\b.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_ASKS = re.compile(
    r"\?[\s\"'”’)\]*_]*$"
    r"|^\W*(?:(?:and|also|first|next|finally|then|so)\b[,\s]*)*(?:please\s+)?(?:(?:can|could|would|will)\s+you\s+)?"
    r"(?:please\s+)?(?:tell\s+me|let\s+me\s+know|describe|say\s+whether|"
    r"i(?:['’]d|\s+would|\s+also)*\s+(?:need|like|want)\s+to\s+(?:know|ask))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ActStatement(GuidanceStatement):
    """An act that a conversation needs, perhaps by a turn."""

    by_turn: int | None = None


def act_statement(kind: Literal["ask", "raise"], words: str, by_turn: int | None) -> ActStatement:
    """Turn what must be asked ("Ask about fever", "kidney function", "Pregnant?") or raised into a statement."""
    words = words.strip()
    plain = words.rstrip(".;! ")
    if kind == "raise":
        return ActStatement(kind, words, plain[0].upper() + plain[1:] + ".", by_turn)
    if _DIRECT.match(plain):
        return ActStatement(kind, words, f'The text asks: "{plain}"', by_turn)
    topic = _PEELED.sub("", plain).rstrip("? ") or plain
    topic = topic if topic[:2].isupper() else topic[0].lower() + topic[1:]
    about = topic if _INDIRECT.match(topic) else f"about {topic}"
    return ActStatement(kind, words, f"The text asks {about}.", by_turn)


def asks(sentence: str) -> bool:
    """Return whether a sentence asks: by its mark, or as "Please tell me whether …"."""
    return _ASKS.search(sentence.strip()) is not None


def questions_of(claims: Sequence[ClaimText]) -> list[tuple[tuple[int, ...], str]]:
    """Return the questions of a reply as passages, each with its position.

    Each is put into somebody's mouth: readers learnt from statements, and take a bare question for none.
    """
    return [
        ((claim.position,), f'The doctor asks: "{" ".join(claim.text.split())}"')
        for claim in claims
        if asks(claim.text)
    ]


def decide_asked(read: Sequence[tuple[tuple[int, ...], PairVerdict]]) -> GuidanceState:
    """Decide whether a reply asks something, from the verdicts on its questions."""
    if not read:
        return GuidanceState("missing", None, (), "the reply asks nothing")
    positions, verdict = max(read, key=lambda row: row[1].entailment or 0.0)
    asked = verdict.entailment or 0.0
    if asked >= ASKED_AT:
        return GuidanceState("said", asked, positions, f"asked ({asked:.2f})")
    return GuidanceState("missing", asked, (), f"not asked ({asked:.2f})")
