"""Join the best sentences of several sources into one premise window.

ALCE (Gao et al. 2023, section 3.2) joins whole passages and cuts what its model cannot read. Here nothing is cut:
the sentences nearest to the claim are taken, each source is heard, and what does not fit is said not to fit.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.folding import folded
from medassay.models.nli.encoder.tokenisation import reports_finding
from medassay.models.text.sentences.splitting import sentences

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.I)
_COMMON = frozenset(
    "the a an of in on at to for from by with and or was were is are be been that this these those it its as than "
    "not no significantly significant difference between compared there did does has have had which who their more "
    "less terms".split()
)


def words_of(text: str) -> frozenset[str]:
    """Content words of a text, cut to six letters, so that most inflections meet."""
    return frozenset(w[:6] for w in map(str.lower, _WORD.findall(text)) if len(w) > 2 and w not in _COMMON)


@dataclass(frozen=True, slots=True)
class _Sentence:
    source: int
    place: int
    text: str
    said: frozenset[str]
    finding: float


def joined_premise(claim: str, sources: Sequence[Sequence[str]], room: int) -> str | None:
    """Join the best sentences of every source, in their order, in at most `room` characters.

    What shares most of the claim's words comes first; a word that is there already counts a third. Everything that
    fits is read whole.

    Args:
        claim: what the premise is for.
        sources: the passages of each cited source, in order.
        room: characters that the entailment model reads at once.

    Returns:
        The premise; None when even one sentence a source does not fit, or a source has no text.
    """
    if not sources or any(not any(passage.strip() for passage in source) for source in sources):
        return None
    whole = "\n".join("\n".join(passages) for passages in sources)
    if len(whole) <= room:
        return whole
    wanted = words_of(folded(claim).text)
    found = [_read(number, passages) for number, passages in enumerate(sources)]
    chosen: list[_Sentence] = []
    for of_source in found:
        seen = frozenset[str]().union(*(s.said for s in chosen))
        chosen.append(max(of_source, key=lambda s: (_gain(s, wanted, seen), -s.place)))
    if _length(chosen) > room:
        chosen = _shorter(found, wanted, room)
        if not chosen:
            return None
    left = [s for of_source in found for s in of_source if s not in chosen]
    while left:
        seen = frozenset[str]().union(*(s.said for s in chosen))
        fitting = [s for s in left if _length([*chosen, s]) <= room]
        if not fitting:
            break
        chosen.append(max(fitting, key=lambda s: (_gain(s, wanted, seen), -s.source, -s.place)))
        left.remove(chosen[-1])
    ordered = sorted(chosen, key=lambda s: (s.source, s.place))
    return " ".join(s.text for s in ordered)


def _read(number: int, passages: Sequence[str]) -> list[_Sentence]:
    texts = [passage[span.start : span.end] for passage in passages for span in sentences(passage)]
    return [
        _Sentence(number, place, text, words_of(plain), reports_finding(plain))
        for place, text in enumerate(texts or [passage for passage in passages if passage.strip()])
        for plain in (folded(text).text,)
    ]


def _shorter(found: Sequence[Sequence[_Sentence]], wanted: frozenset[str], room: int) -> list[_Sentence]:
    """Give every source an even share of the room; empty where one has no sentence that short."""
    share = room // len(found) - 1
    fitting = [[s for s in of_source if len(s.text) <= share] for of_source in found]
    if not all(fitting):
        return []
    return [max(of_source, key=lambda s: (_gain(s, wanted, frozenset()), -s.place)) for of_source in fitting]


def _gain(sentence: _Sentence, wanted: frozenset[str], seen: frozenset[str]) -> float:
    shared = wanted & sentence.said
    return len(shared - seen) + len(shared & seen) / 3 + 0.2 * sentence.finding


def _length(chosen: Sequence[_Sentence]) -> int:
    return sum(len(s.text) + 1 for s in chosen)
