"""An answer's sentences, as spans with the words that are judged: what claims are read from, whole."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medassay.models.records import Claim, Span
from medassay.models.text.sentences.splitting import sentences
from medassay.models.text.sentences.wording import tidy

_EMPTY_BRACKETS = re.compile(r"[\[(][\s,;–-]*[\])]")

# These hold a text together and say nothing; they are in no sentence's place.
STRUCTURE = frozenset(
    {"a heading", "a table's header", "introduces a list", "introduces what follows", "no words"}
)


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence; `text` is without citation markers, and with its introduction where it is an item of a list."""

    position: int
    text: str
    start: int
    end: int


def answer_sentences(text: str, parts: Sequence[Claim]) -> list[AnswerSentence]:
    """Return the sentences of an answer that say anything, advice and greetings included.

    Args:
        text: The answer.
        parts: Its claims and non-claims; a list of references and what is mere structure is in none of them.
    """
    spoken = [part for part in parts if part.kind_reason not in STRUCTURE]
    markers = [
        Span(citation.start, citation.end)
        for part in parts
        for citation in part.citations
        if citation.start is not None and citation.end is not None
    ]
    found: list[AnswerSentence] = []
    for span in sentences(text):
        mine = [part for part in spoken if part.start < span.end and part.end > span.start]
        if not mine:
            continue
        whole = mine[0].text if len(mine) == 1 else without(text, span, markers)
        found.append(AnswerSentence(len(found), whole, span.start, span.end))
    return found


def without(text: str, span: Span, markers: Iterable[Span]) -> str:
    """Return the words of a span without what stands at the markers, and without the brackets they leave empty."""
    kept = list(text[span.start : span.end])
    for marker in markers:
        for place in range(max(marker.start, span.start), min(marker.end, span.end)):
            kept[place - span.start] = ""
    return tidy(_EMPTY_BRACKETS.sub("", "".join(kept)))
