"""What people call the states of nuggets and criteria: known words, brought to one name each.

A word that is not known is refused where it is read, so that no vocabulary is ever compared with another one.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

LabelledItem = Literal["nugget", "criterion"]
LABELLED_ITEMS: tuple[LabelledItem, ...] = ("nugget", "criterion")
ENTAILED, NEUTRAL, CONTRADICTED, PARTIAL, NOT_ENTAILED = (
    "entailed",
    "neutral",
    "contradicted",
    "partial",
    "not entailed",
)
MET, NOT_MET = "met", "not met"
_YES = ("yes", "y", "true", "t", "1", "1.0", "ja", "oui", "si", "✓", "✔", "☑", "✅")
_NO = ("no", "n", "false", "f", "0", "0.0", "nein", "non", "✗", "✘", "☒", "❌")
_SPELLINGS: dict[str, tuple[str, ...]] = {
    ENTAILED: ("entailed", "entailment", "entail", "entails"),
    NEUTRAL: ("neutral",),
    CONTRADICTED: ("contradicted", "contradiction", "contradict", "contradicts", "contradictory"),
    PARTIAL: ("partial",),
    NOT_ENTAILED: ("not entailed",),
    MET: ("met",),
    NOT_MET: ("not met",),
}
"""How our own words are written: none of these is a word for another."""
_NUGGET: dict[str, tuple[str, ...]] = {
    ENTAILED: (
        *_YES,
        *("support", "supported", "supports", "supporting", "full support", "fully supported"),
        *("covered", "cover", "covers", "fully covered", "full", "fully", "complete", "present", "included"),
        *("mentioned", "stated", "found", "implied", "correct", "match", "matched", "hit", "abgedeckt", "vorhanden"),
    ),
    NEUTRAL: (
        *("missing", "miss", "missed", "absent", "omitted", "not mentioned", "not stated", "not present"),
        *("not included", "not found", "not addressed", "unaddressed", "unmentioned", "unrelated"),
        *("irrelevant", "silent", "not enough info", "not enough information", "no information", "nei", "fehlt"),
    ),
    CONTRADICTED: (
        *("contradicting", "contra", "refuted", "refute", "refutes", "refuting", "opposed", "oppose", "opposes"),
        *("opposing", "opposite", "incorrect", "wrong", "conflict", "conflicting", "conflicts", "widersprochen"),
    ),
    PARTIAL: (
        *("partially", "partly", "partial support", "partially supported", "partly supported", "partially covered"),
        *("partly covered", "partial coverage", "partially entailed", "partly entailed", "incomplete", "teilweise"),
    ),
    NOT_ENTAILED: (
        *_NO,
        *("not covered", "uncovered", "not supported", "not support", "unsupported", "no support", "non entailment"),
        *("not entailment", "no entailment", "nonentailed", "not matched", "no match", "nicht abgedeckt"),
    ),
}  # fmt: skip
_CRITERION: dict[str, tuple[str, ...]] = {
    MET: (
        *_YES,
        *("satisfied", "fulfilled", "pass", "passed", "present", "achieved", "fully met", "erfüllt"),
    ),
    NOT_MET: (
        *_NO,
        *("unmet", "not satisfied", "unsatisfied", "not fulfilled", "unfulfilled", "fail", "failed"),
        *("absent", "missing", "not present", "not achieved", "nicht erfüllt"),
    ),
}


def folded(word: str) -> str:
    """Write a word as it is compared: small letters and digits without accents, blanks, hyphens and underscores."""
    plain = unicodedata.normalize("NFKD", word.strip())
    kept = "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf"))
    return re.sub(r"[\s_\-‐‑–—/'’]+", "", kept).rstrip(".!").casefold()


def plain_word(word: str) -> str:
    """Return a label as it is told apart from others: `Yes`, `y` and `true` are one."""
    plain = folded(word)
    return next((name for name, words in (("yes", _YES), ("no", _NO)) if plain in map(folded, words)), plain)


def _by_word(names: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {folded(word): name for name, words in names.items() for word in (*_SPELLINGS[name], *words)}


_KNOWN: dict[LabelledItem, dict[str, str]] = {"nugget": _by_word(_NUGGET), "criterion": _by_word(_CRITERION)}
KNOWN_WORDS: dict[LabelledItem, str] = {
    "nugget": "entailed (covered, supported, yes), partial, neutral (missing, not mentioned), not entailed"
    " (not covered, no), contradicted (refuted, opposed, wrong)",
    "criterion": "met (yes, true, 1, satisfied, pass), not met (no, false, 0, unmet, fail)",
}
"""What is said where a word is not known."""


def label_of(item: LabelledItem, word: str) -> str | None:
    """Return what a person's word for a nugget or criterion means; None for a word that is not known."""
    return _KNOWN[item].get(folded(word))


def other_words(item: LabelledItem, words: Iterable[str]) -> str | None:
    """Return which words were read as which of ours, where they are no mere spellings of them."""
    own = {folded(word) for name in _SPELLINGS for word in _SPELLINGS[name]}
    read = {word.strip(): label_of(item, word) for word in sorted(set(words)) if folded(word) not in own}
    said = [f"'{word}' as {label}" for word, label in read.items() if label]
    return f"labels read: {', '.join(said)}" if said else None


def our_state(state: str, labels: Iterable[str]) -> str:
    """Return our state of a nugget in the words that people used of the same nuggets.

    Partial is neutral where nobody had a word for it. Where people only said that a nugget is not entailed, and never
    that it is contradicted, both are that.
    """
    used = set(labels)
    if state == "covered":
        return ENTAILED
    if state == "partial" and PARTIAL in used:
        return PARTIAL
    if NOT_ENTAILED in used and not used & {NEUTRAL, CONTRADICTED}:
        return NOT_ENTAILED
    return CONTRADICTED if state == "contradicted" else NEUTRAL


def in_one_vocabulary(labels: Iterable[str]) -> dict[str, str]:
    """Return what each label counts as beside the others: `not entailed` is neutral where people tell that apart."""
    used = set(labels)
    coarse = NOT_ENTAILED in used and bool(used & {NEUTRAL, CONTRADICTED})
    return {label: NEUTRAL if coarse and label == NOT_ENTAILED else label for label in used}
