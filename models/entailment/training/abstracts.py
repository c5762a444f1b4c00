"""Pairs made by rule from unlabelled abstracts: their sentences, their conclusions and the claims in their titles."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from medassay.models.entailment.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from medassay.models.entailment.training.pairs import LabelledPair, read_rows
from medassay.models.entailment.training.turns import (
    ASSERTS,
    LEAD,
    TURNS,
    reword,
    shorten,
    turn_direction,
    turn_negation,
    turn_verb,
)
from medassay.models.settings import UsageError
from medassay.models.text.sentences.splitting import sentences

_CONCLUDES = re.compile(
    r"conclu|suggest|indicat|demonstrat|show|found|associat|effective|improv|increas|reduc|decreas|risk|may|can ",
    re.I,
)
_RARE = re.compile(r"[a-z][a-z0-9-]{5,}")
_TITLE = re.compile(r"\s*TITLE:\s*(.+?)\n(.*)", re.S)
_HEADING = re.compile(r"\n*ABSTRACT[A-Z.& ]*:\s*")
_SAMPLED = 300
FEWEST_TEXTS = 4
"""The title and three sentences: from less no pair is made."""

Abstract = tuple[str, list[str]]
"""A document's id, and its title followed by its sentences."""


@dataclass(frozen=True, slots=True)
class _Summary:
    """An abstract without a sentence that sums it up, and that sentence with its rarer words."""

    doc: str
    premise: str
    claim: str
    words: frozenset[str]


def read_abstracts(folder: Path) -> Iterator[Abstract]:
    """Yield (id, title and sentences) of every abstract in a corpus folder; articles give their abstract only.

    A row without an id is named by its file and place.

    Raises:
        UsageError: at a row whose fields are no texts.
    """
    for path in sorted(folder.glob("*.jsonl*")):
        for number, row in enumerate(read_rows(path), 1):
            doc = str(row.get("id") or f"{path.name}/{number}")
            title, texts, text = row.get("title") or "", row.get("sentences"), row.get("text")
            listed = [title, *texts] if isinstance(texts, list) else [title, text or ""]
            if not all(isinstance(part, str) for part in listed) or not isinstance(texts, list | None):
                raise UsageError(
                    f"{path}, row {number}: title, sentences or text are no texts; "
                    "write {id, title, sentences: [text, …]} or {id, text}"
                )
            if texts is not None:
                yield doc, listed
            elif text is not None:
                yield doc, _of_article(text)


def _of_article(text: str) -> list[str]:
    """Return an article's title and the sentences of its abstract."""
    text = text.split("\n\nBODY")[0]
    titled = _TITLE.match(text)
    title, abstract = titled.groups() if titled else ("", text)
    abstract = _HEADING.sub("\n", abstract)[:4000]
    return [title, *(abstract[s.start : s.end] for s in sentences(abstract))]


def pairs_from_sentences(abstracts: Sequence[Abstract], n: int, seed: int) -> list[LabelledPair]:
    """Make about `n` pairs: a third entailed, 45 % contradicted, the rest neutral from the same or another abstract.

    A source sentence serves an entailed and a contradicted hypothesis alike, so that no word of the hypothesis
    alone gives the label away.
    """
    chance = random.Random(seed)
    abstracts = [(doc, texts) for doc, texts in abstracts if len(texts) >= FEWEST_TEXTS]
    places = [_usable(texts) for _, texts in abstracts]
    sound = [at for at, usable in enumerate(places) if len(usable) >= 2]
    made: list[LabelledPair] = []
    while sound and len(made) < n:
        at = chance.choice(sound)
        (doc, texts), usable = abstracts[at], places[at]
        made += _pairs_of(texts, chance.choice(usable), usable, doc, chance)
        if chance.random() < 0.12:
            _, other = chance.choice(abstracts)
            made.append(
                LabelledPair(_around(texts, usable[0], chance), chance.choice(other), NEUTRAL, "rule", doc)
            )
    return made[:n]


def _usable(texts: Sequence[str]) -> list[int]:
    """Return the places of the sentences that are neither too short nor too long to make a pair of."""
    return [at for at, text in enumerate(texts) if 7 <= len(text.split()) <= 34]


def pairs_from_conclusions(abstracts: Sequence[Abstract], n: int, seed: int) -> list[LabelledPair]:
    """Make about `n` pairs of an abstract without its conclusion and that conclusion: as it stands, turned, foreign.

    A conclusion is said in other words than the results it rests on, so these pairs ask for more than overlap.
    """
    chance = random.Random(seed + 1)
    found = []
    for doc, (_, *texts) in abstracts:
        if len(texts) >= 4 and 8 <= len(texts[-1].split()) <= 40 and _CONCLUDES.search(texts[-1]):
            claim = shorten(LEAD.sub("", texts[-1]), chance) or LEAD.sub("", texts[-1])
            found.append(_summary(doc, texts[:-1], claim))
    return _three_ways(found, n, "conclusion", chance)


def pairs_from_titles(abstracts: Sequence[Abstract], n: int, seed: int) -> list[LabelledPair]:
    """Make about `n` pairs of an abstract and its title, where that asserts something: as it stands, turned, foreign.

    Such titles are short claims in the authors' own words: what a reader would say the abstract shows.
    """
    chance = random.Random(seed + 2)
    found = [
        _summary(doc, texts, title.strip(" .") + ".")
        for doc, (title, *texts) in abstracts
        if len(texts) >= 3 and 5 <= len(title.split()) <= 28 and ASSERTS.search(title) and "?" not in title
    ]
    return _three_ways(found, n, "title", chance)


def _summary(doc: str, texts: Sequence[str], claim: str) -> _Summary:
    return _Summary(
        doc, " ".join(texts), claim[0].upper() + claim[1:], frozenset(_RARE.findall(claim.lower()))
    )


def _three_ways(found: Sequence[_Summary], n: int, source: str, chance: random.Random) -> list[LabelledPair]:
    """Say each summary as it stands, turned around, and a foreign one that shares rare words with the abstract.

    Only those that can be turned are used, so that the wording of a claim alone gives no label away.
    """
    made: list[LabelledPair] = []
    for summary in chance.sample(found, len(found)):
        if len(made) >= n:
            break
        turned = turn_direction(summary.claim, chance)
        if turned is None or chance.random() < 0.25:
            negated = turn_negation(summary.claim, chance) or turn_verb(summary.claim, chance)
            turned = negated if turned is None or negated else turned
        if turned is None:
            continue
        said = reword(summary.claim, chance) if chance.random() < 0.4 else None
        made.append(LabelledPair(summary.premise, said or summary.claim, ENTAILMENT, source, summary.doc))
        made.append(LabelledPair(summary.premise, turned, CONTRADICTION, source, summary.doc))
        if chance.random() < 0.6 and (foreign := _nearest(summary, found, chance)):
            made.append(LabelledPair(summary.premise, foreign, NEUTRAL, source, summary.doc))
    return made[:n]


def _nearest(summary: _Summary, found: Sequence[_Summary], chance: random.Random) -> str | None:
    """Of a sample of other abstracts' summaries, the one that shares most of its rare words with this abstract."""
    words = frozenset(_RARE.findall(summary.premise.lower()))
    others = [o for o in chance.sample(found, min(_SAMPLED, len(found))) if o.doc != summary.doc]
    if not others:
        return None
    nearest = max(others, key=lambda other: len(other.words & words) / (len(other.words) + 3)).claim
    return (turn_direction(nearest, chance) if chance.random() < 0.4 else None) or nearest


def _pairs_of(
    texts: Sequence[str], at: int, usable: Sequence[int], doc: str, chance: random.Random
) -> Iterator[LabelledPair]:
    source = texts[at]
    premise = _around(texts, at, chance)
    plain = (shorten(source, chance) if chance.random() < 0.7 else None) or source
    said = reword(plain, chance) if chance.random() < 0.7 else None
    yield LabelledPair(premise, said or plain, ENTAILMENT, "rule", doc)
    for turn in chance.sample(TURNS, len(TURNS)):
        if turned := turn(plain, chance):
            reworded = reword(turned, chance) if chance.random() < 0.3 else None
            yield LabelledPair(premise, reworded or turned, CONTRADICTION, "rule", doc)
            break
    if chance.random() < 0.6:
        far = chance.choice([i for i in usable if abs(i - at) > 1] or [at])
        if far != at:
            neutral = texts[far]
            if chance.random() < 0.5:
                neutral = turn_direction(neutral, chance) or neutral
            yield LabelledPair(texts[at], neutral, NEUTRAL, "rule", doc)


def _around(texts: Sequence[str], at: int, chance: random.Random) -> str:
    """The sentence alone, or with a neighbour."""
    if chance.random() < 0.65:
        return texts[at]
    other = at + chance.choice((-1, 1))
    if not 0 <= other < len(texts):
        return texts[at]
    return " ".join(texts[i] for i in sorted((at, other)))
