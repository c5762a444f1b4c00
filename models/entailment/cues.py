"""Cheap signals beside the network: directions, significance, negation, numbers and shared words of a pair.

A small encoder learns slowly that "no significant difference" and "P = 0.54" say the same, or which arm of a trial a
comparison favours; these are read by rule and given to the network's head as they are.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.entailment.differences import contrast_cues, difference_cues

_UP = re.compile(
    r"\b(?:increas\w*|high(?:er|est)|great(?:er|est)|more|larger|rais(?:e|ed|es|ing)|ris(?:e|es|ing)|rose|elevat\w*|"
    r"longer|prolong\w*|enhanc\w*|improv\w*|better|gain\w*|upregulat\w*|activat\w*|promot\w*|induc\w*|stimulat\w*|"
    r"accelerat\w*|superior|faster|stronger|caus(?:e|es|ed)|exceed\w*|worsen\w*|above)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(?:decreas\w*|low(?:er|ers|ered|est|ering)|less|fewer|smaller|reduc\w*|fall\w*|fell|declin\w*|diminish\w*|"
    r"shorter|shorten\w*|impair\w*|attenuat\w*|downregulat\w*|inhibit\w*|suppress\w*|prevent\w*|block\w*|worse|"
    r"inferior|slower|weaker|loss|lost|protect\w*|drop\w*|below|allevia\w*|ameliorat\w*|limit(?:s|ed)?)\b",
    re.I,
)
_NO_DIFFERENCE = re.compile(
    r"\bno (?:statistically |clinically |overall )?(?:significant|signficant|difference|effect|change|association|"
    r"benefit|improvement|evidence|increase|reduction)\w*|\bnot? (?:statistically |be )?(?:significant\w*|different|"
    r"differ\w*|associated|affect\w*|chang\w*|improv\w*|reduc\w*|increas\w*|superior|reach\w*)|\bdid not\b|"
    r"\bnon-?significant\w*|\bsimilar\w*|\bcomparable\b|\bunchanged\b|\bequivalent\b|\bas effective as\b|"
    r"\bneither\b|\bn\.?s\.?\b(?=[,;) ])|\bfailed to\b|\bunaffected\b|\bnon-?inferior\w*",
    re.I,
)
_SIGNIFICANT = re.compile(
    r"(?<!not )(?<!no )(?<!non-)(?<!statistically )\b(?:statistically )?significant\w*", re.I
)
_P = re.compile(r"\bp[\s-]*(?:value)?s?\s*(<|>|=|≤|≥|⩽)\s*(0?[.·]\d+)", re.I)
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|neither|nor|cannot|none|lack\w*|absen\w*|fail\w*|un\w{5,})\b|n't\b", re.I
)
_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.I)
_COMPARE = re.compile(r"\b(?:than|versus|vs\.?|compared (?:with|to)|relative to|over)\b", re.I)
_ARMS = (
    re.compile(r"^compared (?:with|to) (?P<old>.+?), (?P<new>.+?) significantly", re.I),
    re.compile(
        r"^(?P<new>.+?) is (?:superior|non-inferior|inferior|other)\b.*? to (?P<old>.+?) in terms of", re.I
    ),
    re.compile(r"(?P<new>.+?)\b(?:than|versus|vs\.?|compared (?:with|to))\b(?P<old>.+)", re.I),
)
_COMMON = frozenset(
    "the a an of in on at to for from by with and or was were is are be been that this these those it its as than "
    "not no significantly significant difference between compared there did does has have had which who their more "
    "less terms".split()
)
N_CUES = 77 + 35
"""The signals of `cues` and those of `overview.py`, which a network takes together."""


@dataclass(frozen=True, slots=True)
class Polarity:
    """Counts of the words that say a direction, significance or negation."""

    up: int
    down: int
    same: int
    significant: int
    p_small: int
    p_large: int
    negated: int

    def direction(self) -> float:
        """From -1, all down, to 1, all up."""
        return (self.up - self.down) / (self.up + self.down + 1)

    def null(self) -> float:
        """From -1, all significant, to 1, all without a difference."""
        return balance(self.same + self.p_large, self.significant + self.p_small)


def read_polarity(text: str) -> Polarity:
    """Count the telling words of a text."""
    small = large = 0
    for sign, value in _P.findall(text):
        amount = float(value.replace("·", "."))
        if amount <= 0.05 and sign not in (">", "≥"):
            small += 1
        else:
            large += 1
    return Polarity(
        len(_UP.findall(text)),
        len(_DOWN.findall(text)),
        len(_NO_DIFFERENCE.findall(text)),
        len(_SIGNIFICANT.findall(text)),
        small,
        large,
        len(_NEGATION.findall(text)),
    )


def words_of(text: str) -> frozenset[str]:
    """Content words of a text, cut to six letters, so that most inflections meet."""
    return frozenset(w[:6] for w in map(str.lower, _WORD.findall(text)) if len(w) > 2 and w not in _COMMON)


def cues(sentences: Sequence[str], claim: str, coverage: Sequence[float]) -> list[float]:
    """Read 77 signals of a claim against the sentences of a window, roughly within -1 and 2.

    The sentence that shares most words with the claim is read on its own beside the whole window; `coverage` is what
    `evidence.coverage` says of the claim's tokens.
    """
    wanted = words_of(claim)
    shares = [len(wanted & words_of(s)) / (len(wanted) or 1) for s in sentences]
    nearest = sentences[max(range(len(sentences)), key=shares.__getitem__)]
    whole = " ".join(sentences)
    said, near, all_said = read_polarity(claim), read_polarity(nearest), read_polarity(whole)
    order = _arm_order(claim, nearest)
    claims_same = min(1, said.same)
    direction = 0.0 if claims_same else said.direction()
    null = balance(near.same + near.p_large, near.significant + near.p_small)
    null_all = balance(all_said.same + all_said.p_large, all_said.significant + all_said.p_small)
    numbers, found = _numbers(claim), _numbers(whole)
    missing = len(numbers - found)
    shared_all = len(wanted & words_of(whole)) / (len(wanted) or 1)
    opposite = near.direction() * direction
    values = [
        max(shares),
        shared_all,
        shares[-1],
        claims_same,
        direction,
        _log(said.up),
        _log(said.down),
        _log(said.negated),
        near.direction(),
        all_said.direction(),
        _log(near.up),
        _log(near.down),
        _log(near.same),
        _log(near.significant),
        _log(near.p_small),
        _log(near.p_large),
        _log(near.negated),
        _log(all_said.same),
        _log(all_said.significant),
        _log(all_said.p_small),
        _log(all_said.p_large),
        null,
        null_all,
        null * claims_same,
        null * (1 - claims_same),
        null_all * claims_same,
        null_all * (1 - claims_same),
        opposite,
        all_said.direction() * direction,
        opposite * order,
        order,
        direction * order,
        float((said.negated > 0) != (near.negated > 0)),
        float((said.same > 0) != (near.same > 0)),
        _log(len(numbers)),
        _log(missing),
        missing / (len(numbers) or 1),
        float("superior" in claim.lower()),
        float("non-inferior" in claim.lower()),
        min(2.0, len(claim) / 200),
    ]
    negations = int(said.negated > 0) - int(near.negated > 0)
    return [
        *map(float, values),
        *contrast_cues(nearest, claim),
        *coverage,
        *difference_cues(nearest, sentences, claim, max(shares), negations),
    ]


def _arm_order(claim: str, sentence: str) -> float:
    """+1 when the sentence compares the claim's new arm with its old one, -1 the other way round, 0 unknown."""
    arms = next((m for pattern in _ARMS if (m := pattern.search(claim))), None)
    turn = _COMPARE.search(sentence)
    if arms is None:
        return 0.0
    new, old = words_of(arms["new"]), words_of(arms["old"])
    new, old = new - old, old - new
    before, after = (sentence[: turn.start()], sentence[turn.end() :]) if turn else (sentence, "")
    first, second = words_of(before), words_of(after)
    score = len(new & first) - len(new & second) - len(old & first) + len(old & second)
    return math.tanh(score / 2)


def balance(more: int, less: int) -> float:
    """From -1 to 1, shrunk towards 0 where little was counted."""
    return (more - less) / (more + less + 1)


def _log(count: int) -> float:
    return math.log1p(count)


def _numbers(text: str) -> set[str]:
    return {n.replace(",", "").replace("·", ".").rstrip(".") for n in _NUMBER.findall(text)}
