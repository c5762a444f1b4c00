"""Pairs made from labelled ones by symmetry: the label follows from what was done to the claim."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from medassay.models.entailment.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from medassay.models.entailment.training.pairs import LabelledPair
from medassay.models.entailment.training.turns import turn_direction, turn_negation

_COMPARED = re.compile(r"Compared with ([^,]+), ([^,]+) significantly (increased|decreased) (.+?)\.?")
_NO_DIFFERENCE = re.compile(r"There was no significant difference between (.+) and (.+) in (.+?)\.?")
_REGISTERED = ("{a} is superior to {b} in terms of {o}", "{a} is superior or other to {b} in terms of {o}")


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


def registered_claims(
    pairs: Sequence[LabelledPair], chance: random.Random, share: float
) -> list[LabelledPair]:
    """Say what trials found as a registry asks it: that one arm was superior, or other, by a significant difference.

    A significant difference entails such a claim whichever way it went (registries record a P value, not a
    direction); none contradicts it. Only entailed pairs say what was found.
    """
    made: list[LabelledPair] = []
    for pair in pairs:
        if pair.label != ENTAILMENT or chance.random() > share:
            continue
        if m := _NO_DIFFERENCE.fullmatch(pair.hypothesis):
            (a, b, outcome), label = m.groups(), CONTRADICTION
        elif m := _COMPARED.fullmatch(pair.hypothesis):
            (b, a, _, outcome), label = m.groups(), ENTAILMENT
        else:
            continue
        claim = chance.choice(_REGISTERED).format(a=a, b=b, o=outcome)
        made.append(replace(pair, hypothesis=claim, label=label, source="registered"))
    return made
