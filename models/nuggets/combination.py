"""The fitted combination: few signals, few coefficients, one score that is read against one threshold.

The coefficients are package data, fitted by `benchmarks/nugget_agreement.py --fit` on physicians' labels and on
our own labelled pairs, never on anything else; the file says on what and how well.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from medassay.models.nuggets.contrast import contrasts
from medassay.models.nuggets.details import details, of_something_else, other_detail
from medassay.models.nuggets.evidence import Entailment, MatchSettings, PairJudgement, Relation
from medassay.models.nuggets.judging import Pair, contradiction
from medassay.models.nuggets.parts import parts_said
from medassay.models.nuggets.words import LIGHT, keys, share, words

CUT_AT = 0.75
"""Where the fitted cut is put on the score's scale: the same threshold that the cosine rule uses."""

OWN = 0.5
"""A nugget's own word weighs at least this: it is not in the question, and in one other nugget at most."""

ALL_SIGNALS = "all signals"
WITHOUT_ENTAILMENT = "words and meaning, no entailment verdict"
NOT_READ = "claims nearer to the nugget were read by the entailment model, and this one was not"

IN_BRACKETS = re.compile(r"\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Model:
    """A linear score: intercept, coefficients by signal name, and the cut that means covered."""

    intercept: float
    coefficients: Mapping[str, float]
    cut: float

    def score(self, signals: Mapping[str, float]) -> float:
        """Return the score in 0–1; at the fitted cut it is `CUT_AT`."""
        total = self.intercept + sum(value * signals[name] for name, value in self.coefficients.items())
        shifted = total - self.cut + math.log(CUT_AT / (1 - CUT_AT))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, shifted))))


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted scores: without an entailment model, and with one where it was there to be fitted."""

    signals: Model
    entailment: Model | None = None


@lru_cache(maxsize=1)
def packaged() -> dict[str, Any]:
    """Read the coefficients that travel with the package, and their provenance."""
    loaded: dict[str, Any] = json.loads(
        files("medassay.models.nuggets").joinpath("coefficients.json").read_text(encoding="utf-8")
    )
    return loaded


@lru_cache(maxsize=1)
def packaged_fit() -> Fit:
    """Return the fit that travels with the package."""
    variants = {
        name: Model(fitted["intercept"], fitted["coefficients"], fitted["cut"])
        for name, fitted in packaged()["variants"].items()
    }
    return Fit(variants["signals"], variants.get("entailment"))


def signals_of(pair: Pair, question: str, turned: tuple[int, int] | None = None) -> dict[str, float]:
    """Measure what a claim and a nugget have in common without asking a model.

    `cosine` is the better of the claim's and its window's; `wide_words` is the share of the nugget's telling
    words in the claim and those around it. The question's words count little, since every claim on the
    subject holds them; a word that several nuggets of the question share is divided among them, so that what
    tells a nugget from its sisters decides; what stands in brackets (a brand name) counts nothing. `own_word` is
    0 where none of the nugget's own words is heard. `said` is 1 unless the nugget gives a
    direction or a number and nothing near the claim gives any.
    What the claim turns around (`turned`, a span of the nugget) is spoken of, though not in the nugget's words.
    """
    known = keys_of(question)
    wanted = {
        key: weight * (LIGHT if key in known else 1.0) / pair.frame.get(key, 1)
        for key, weight in told_outside_brackets(pair.nugget).items()
    }
    if turned is not None:
        for key in keys_of(pair.nugget[slice(*turned)]):
            wanted.pop(key, None)
    heard = heard_around(pair)
    own = own_words(wanted)
    return {
        "cosine": max(pair.cosine, pair.window_cosine),
        "wide_words": (share(wanted, heard) or 0.0) if wanted else float(turned is not None),
        "own_word": float(not own or any(key in heard for key in own)),
        "said": float(turned is not None or details(pair.nugget) <= details(pair.window)),
    }


def told_outside_brackets(nugget: str) -> dict[str, float]:
    """Return the telling words of a nugget, brand names in brackets left out."""
    return keys_of(IN_BRACKETS.sub(" ", nugget))


def own_words(wanted: Mapping[str, float]) -> list[str]:
    """Return the words by which a nugget is known, `OWN` or heavier; all of them where none is.

    Two nuggets that say the same share every word, so a word of two is still a nugget's own.
    """
    return [key for key, weight in wanted.items() if weight >= OWN] or list(wanted)


def frame_of(nuggets: Sequence[str]) -> dict[str, int]:
    """Count in how many of a question's nuggets each telling word stands; the same nugget twice counts once."""
    return Counter(key for nugget in dict.fromkeys(nuggets) for key in told_outside_brackets(nugget))


def heard_around(pair: Pair) -> frozenset[str]:
    """Return the telling words of the claim, of the claims around it and of what introduces them."""
    return frozenset().union(*(keys_of(text) for text in (pair.claim, *pair.wide, pair.lead)))


def told(pair: Pair) -> float:
    """Return how much of the nugget the claim says by itself: cosine and shared words, 0–2."""
    return pair.cosine + (share(keys_of(pair.nugget), keys_of(pair.claim)) or 0.0)


@lru_cache(maxsize=65536)
def keys_of(text: str) -> dict[str, float]:
    """Return the telling words of a text."""
    return keys(words(text))


def entailment_signals(pair: Pair, entailment: Entailment) -> dict[str, float] | None:
    """Return the probabilities that the nugget follows, or None where the pair was not scored."""
    forward = entailment.get((pair.claim, pair.nugget))
    if forward is None or forward.entailment is None:
        return None
    window = entailment.get((pair.window, pair.nugget))
    reverse = entailment.get((pair.nugget, pair.claim))
    follows = [
        verdict.entailment for verdict in (forward, window) if verdict and verdict.entailment is not None
    ]
    back = (
        reverse.entailment if reverse is not None and reverse.entailment is not None else forward.entailment
    )
    return {"follows": max(follows), "follows_back": back, "contradicts": forward.contradiction or 0.0}


def judge_by_combination(
    pair: Pair,
    in_place: Pair,
    entailment: Entailment,
    settings: MatchSettings,
    question: str,
    read: bool,
    fit: Fit,
) -> PairJudgement:
    """Judge one pair by all signals.

    What turns a nugget around must first be about it: the score without entailment, of the claim in its
    place in the answer, reaches the threshold.

    Args:
        pair: the claim beside the nugget.
        in_place: the same with all its windows, whichever claim says most in them.
        entailment: the verdicts there are.
        settings: threshold and cut-offs.
        question: what was asked, or empty.
        read: whether any pair of this nugget was read by the entailment model; one that was not cannot
            then be covered, since its betters have been looked at more closely.
        fit: the coefficients.
    """
    signals = signals_of(pair, question)
    about = round(fit.signals.score(signals), 6)
    under_threshold = round(settings.threshold - 1e-6, 6)
    asked = entailment_signals(pair, entailment)
    score = about
    if asked is not None and fit.entailment is not None:
        score = round(fit.entailment.score(signals | asked), 6)
    elif read and fit.entailment is not None:
        score = min(about, under_threshold)
    heard = ALL_SIGNALS if asked is not None or read else WITHOUT_ENTAILMENT
    where = (pair.claim_position, pair.nugget_position)
    near = about if pair == in_place else round(fit.signals.score(signals_of(in_place, question)), 6)
    near = max(near, about)
    before = f"{question} {pair.before}".strip()
    found = contrasts(pair.nugget, pair.claim, before) if max(near, score) >= settings.partial_floor else ()
    if found and found[0].severity == "contradiction":
        span = found[0].nugget_span
        near = max(near, round(fit.signals.score(signals_of(in_place, question, span)), 6))
        if near >= settings.threshold - settings.turned_slack:
            elsewhere = of_something_else(pair.nugget, pair.claim, found)
            if elsewhere is not None:
                return PairJudgement(*where, under_threshold, "none", elsewhere)
            return PairJudgement(
                *where, near, "contradicted", found[0].reason, found, about < settings.threshold
            )
    turned = contradiction(pair, entailment)
    elsewhere = of_something_else(pair.nugget, pair.claim)
    if (
        elsewhere is None
        and about >= settings.threshold
        and turned is not None
        and turned >= settings.contradiction_cutoff
    ):
        reason = f"the entailment model reads a contradiction ({turned:.2f})"
        return PairJudgement(*where, about, "contradicted", reason, found)
    other = other_detail(pair.nugget, pair.window) if score >= settings.threshold and not found else None
    if other is not None:
        return PairJudgement(*where, under_threshold, "none", other)
    if score >= settings.threshold:
        relation: Relation = "partial" if found else "covered"
        reason = found[0].reason if found else f"{heard}: {score:.2f} reaches {settings.threshold:.2f}"
        alone = replace(pair, window=pair.claim, window_cosine=pair.cosine, wide=())
        leans = fit.signals.score(signals_of(alone, question)) < settings.threshold
        return PairJudgement(*where, score, relation, reason, found, leans)
    said, there_are = parts_said(pair.nugget, frozenset(keys_of(pair.window)), frozenset(keys_of(question)))
    if said and score >= settings.partial_floor:
        return PairJudgement(*where, score, "partial", f"{said} of {there_are} parts of the nugget are said")
    if score < about and asked is None:  # it was capped: what is not read cannot be covered
        return PairJudgement(*where, score, "none", f"{NOT_READ} ({WITHOUT_ENTAILMENT}: {about:.2f})")
    shown = math.floor(100 * score) / 100  # 0.749 is not "0.75 under 0.75"
    return PairJudgement(*where, score, "none", f"{heard}: {shown:.2f} is under {settings.threshold:.2f}")
