"""Pairs made by rule, from unlabelled abstracts and by symmetry from labelled ones."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from models.entailment.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from models.entailment.training.pairs import LabelledPair, read_rows
from models.entailment.training.turns import LEAD, TURNS, reword, shorten, turn_direction, turn_negation
from models.text.sentences import sentences

_COMPARED = re.compile(r"Compared with ([^,]+), ([^,]+) significantly (increased|decreased) (.+?)\.?")
_CONCLUDES = re.compile(
    r"conclu|suggest|indicat|demonstrat|show|found|associat|effective|improv|increas|reduc|decreas|risk|may|can ",
    re.I,
)
_RARE = re.compile(r"[a-z][a-z0-9-]{5,}")
_NO_DIFFERENCE = re.compile(r"There was no significant difference between (.+) and (.+) in (.+?)\.?")


def read_abstracts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield (id, sentences) of every abstract in a corpus folder; articles give their abstract only."""
    for path in sorted(folder.glob("*.jsonl*")):
        for row in read_rows(path):
            if "sentences" in row:
                yield str(row["id"]), [row["title"], *row["sentences"]]
            else:
                abstract = re.sub(
                    r"\n*(?:TITLE|ABSTRACT[A-Z.& ]*):\s*", "\n", row["text"].split("\n\nBODY")[0]
                )[:4000]
                yield str(row["id"]), [abstract[s.start : s.end] for s in sentences(abstract)]


def pairs_from_abstracts(folder: Path, n: int, seed: int) -> list[LabelledPair]:
    """Make about `n` pairs: a third entailed, 45 % contradicted, the rest neutral from the same or another abstract.

    A source sentence serves an entailed and a contradicted hypothesis alike, so that no word of the hypothesis
    alone gives the label away.
    """
    chance = random.Random(seed)
    abstracts = [(doc, texts) for doc, texts in read_abstracts(folder) if len(texts) >= 4]
    chance.shuffle(abstracts)
    made: list[LabelledPair] = []
    while len(made) < n:
        doc, texts = chance.choice(abstracts)
        usable = [i for i, t in enumerate(texts) if 7 <= len(t.split()) <= 34]
        if len(usable) < 2:
            continue
        made += _pairs_of(texts, chance.choice(usable), usable, doc, chance)
        if chance.random() < 0.12:
            _, other = chance.choice(abstracts)
            made.append(
                LabelledPair(_around(texts, usable[0], chance), chance.choice(other), NEUTRAL, "rule", doc)
            )
    return made[:n]


def pairs_from_conclusions(folder: Path, n: int, seed: int) -> list[LabelledPair]:
    """Make about `n` pairs of an abstract without its conclusion and that conclusion: as it stands, turned, foreign.

    A conclusion is said in other words than the results it rests on, so these pairs ask for more than overlap. A
    conclusion that can be turned serves both ways; a foreign one shares rare words with the abstract.
    """
    chance = random.Random(seed + 1)
    found = []
    for doc, texts in read_abstracts(folder):
        *rest, last = texts
        if len(rest) >= 4 and 8 <= len(last.split()) <= 40 and _CONCLUDES.search(last):
            claim = shorten(LEAD.sub("", last), chance) or LEAD.sub("", last)
            found.append(
                (doc, " ".join(rest), claim[0].upper() + claim[1:], frozenset(_RARE.findall(claim.lower())))
            )
    chance.shuffle(found)
    made: list[LabelledPair] = []
    for doc, premise, claim, _ in found:
        if len(made) >= n:
            break
        turned = turn_direction(claim, chance) or (
            turn_negation(claim, chance) if chance.random() < 0.5 else None
        )
        if turned is None:
            continue
        said = reword(claim, chance) if chance.random() < 0.4 else None
        made.append(LabelledPair(premise, said or claim, ENTAILMENT, "conclusion", doc))
        made.append(LabelledPair(premise, turned, CONTRADICTION, "conclusion", doc))
        if chance.random() < 0.6:
            words = frozenset(_RARE.findall(premise.lower()))
            others = [o for o in chance.sample(found, min(60, len(found))) if o[0] != doc]
            if others:
                near = max(others, key=lambda other: len(other[3] & words) / (len(other[3]) + 3))
                made.append(LabelledPair(premise, near[2], NEUTRAL, "conclusion", doc))
    return made[:n]


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


def mirrored(pair: LabelledPair, chance: random.Random) -> LabelledPair:
    """Say a comparison from its other side, or in other words; the label stands."""
    if m := _NO_DIFFERENCE.fullmatch(pair.hypothesis):
        a, b, outcome = m.groups()
        if " and " in a + b:
            return pair
        return replace(
            pair,
            hypothesis=chance.choice(
                (
                    f"There was no significant difference between {b} and {a} in {outcome}.",
                    f"{outcome[0].upper()}{outcome[1:]} did not differ significantly between {a} and {b}.",
                    f"{a[0].upper()}{a[1:]} had no significant effect on {outcome} compared with {b}.",
                )
            ),
        )
    if m := _COMPARED.fullmatch(pair.hypothesis):
        old, new, verb, outcome = m.groups()
        other = "decreased" if verb == "increased" else "increased"
        word, opposite = ("higher", "lower") if verb == "increased" else ("lower", "higher")
        return replace(
            pair,
            hypothesis=chance.choice(
                (
                    f"Compared with {new}, {old} significantly {other} {outcome}.",
                    f"{outcome[0].upper()}{outcome[1:]} was {word} with {new} than with {old}.",
                    f"{outcome[0].upper()}{outcome[1:]} was {opposite} with {old} than with {new}.",
                    f"{new[0].upper()}{new[1:]} significantly {verb} {outcome} compared with {old}.",
                )
            ),
        )
    return pair


def turned_claims(pairs: Sequence[LabelledPair], chance: random.Random, share: float) -> list[LabelledPair]:
    """Turn some decided claims around: what entailed contradicts now, and what contradicted entails.

    Only claims with exactly one word that has an opposite, or a plain negation, are turned.
    """
    made: list[LabelledPair] = []
    for pair in pairs:
        if pair.label == NEUTRAL or chance.random() > share:
            continue
        turned = turn_direction(pair.hypothesis, chance)
        if turned is None and pair.label == ENTAILMENT:
            turned = turn_negation(pair.hypothesis, chance)
        if turned:
            label = CONTRADICTION if pair.label == ENTAILMENT else ENTAILMENT
            made.append(replace(pair, hypothesis=turned, label=label))
    return made
