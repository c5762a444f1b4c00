"""Validators of name candidates: how many capitalised words belong to the name."""

import re
from collections.abc import Callable

from medassay.models.phi.grammar import PART, Look
from medassay.models.phi.words import (
    folded,
    is_eponym,
    is_given_name,
    is_never_a_name,
    is_seldom_a_name,
)

_WORD = re.compile(PART)
_INSTITUTIONS = frozenset(
    "hospital institute university clinic center centre college foundation society study trial school".split()
)
_NOT_SAID_OF_ONESELF = frozenset(
    "spelled spelt misspelled pronounced mispronounced unusual unimportant irrelevant private secret changed given too "
    "different difficult hidden listed long hard right wrong correct incorrect missing derived attached same".split()
)


def _kept(run: str, strong: bool) -> list[re.Match[str]]:
    """Return the words of a name at the beginning of a run: up to a possessive, or to the first that is no name."""
    kept = []
    for word in _WORD.finditer(run):
        if (is_never_a_name if strong else is_seldom_a_name)(word.group()):
            break
        kept.append(word)
        if word.group().endswith(("'s", "’s")):
            break
    return kept


def _name(run: str, start: int, strong: bool) -> tuple[int, int] | None:
    kept = _kept(run, strong)
    if not any(len(word.group().strip(".")) > 1 for word in kept):
        return None
    end = kept[-1].end()
    return start, start + end - (2 if run[:end].endswith(("'s", "’s")) else 0)


def _likely(run: str) -> bool:
    """Tell whether a run begins as a name does: with a given name, or with two words that may be a name.

    One word before another, or any before "Hospital", is not a person's.
    """
    every = _WORD.findall(run)
    words = [word.group() for word in _kept(run, strong=True)]
    after = folded(every[len(words)]) if len(words) < len(every) else ""
    if not words or after in _INSTITUTIONS or (after and len(words) == 1):
        return False
    if is_given_name(words[0]) or ("," in run and any(map(is_given_name, words))):
        return True
    plain = [word.group() for word in _kept(run, strong=False)]
    abbreviated = not run.isupper() and any(len(word) > 1 and word.isupper() for word in plain)
    long = [word for word in plain if len(word) > 2]
    return not abbreviated and (
        len(long) >= 2 or (len(long) == 1 and words[0].endswith(".") and words[0] != long[0])
    )


def after_a_strong_sign(match: re.Match[str]) -> tuple[int, int] | None:
    """Take what is not known to be something else."""
    return _name(match["found"], match.start("found"), strong=True)


def after_a_doctors_title(match: re.Match[str]) -> tuple[int, int] | None:
    """Take it unless history or the press owns the name."""
    kept = _kept(match["found"], strong=True)
    return None if kept and is_eponym(kept[-1].group()) else after_a_strong_sign(match)


def after_a_sign(match: re.Match[str]) -> tuple[int, int] | None:
    """Take two words that may be a name, or what begins with a given name."""
    return after_a_strong_sign(match) if _likely(match["found"]) else None


def after_a_relative(match: re.Match[str]) -> tuple[int, int] | None:
    """Take what may be a name and is nobody's sickness."""
    kept = _kept(match["found"], strong=False)
    if not kept or is_eponym(kept[-1].group()) or (kept[0].group().isupper() and len(kept[0].group()) < 5):
        return None
    return _name(match["found"], match.start("found"), strong=False)


def known(least: int) -> Look:
    """Take what begins with a given name and has so many words; a given name before another word is a place's."""

    def look(match: re.Match[str]) -> tuple[int, int] | None:
        kept = _kept(match["found"], strong=True)
        if len(kept) < least or not is_given_name(kept[0].group()):
            return None
        return after_a_strong_sign(match) if _likely(match["found"]) else None

    return look


def after_a_word_and_title(match: re.Match[str]) -> tuple[int, int] | None:
    """Behind a title that is also another word: take a given name, or one that its spelling gives away."""
    kept = _kept(match["found"], strong=True)
    word = kept[0].group() if kept else ""
    telling = re.search(
        r"[^\x00-\x7f]|(?:ski|ska|cki|cka|wicz|oglu|sen|sson|berg|ini|elli|etti|ossi|strom)$", word
    )
    likely = is_given_name(word) and _likely(match["found"])
    return after_a_strong_sign(match) if likely or telling else None


def before_a_sign(match: re.Match[str]) -> tuple[int, int] | None:
    """Take the words behind the last that is no name, when there are two of them, or an initial and one.

    A word that is seldom a name counts only behind a given name.
    """
    words = list(_WORD.finditer(match["found"]))
    first = max((n + 1 for n, word in enumerate(words) if is_never_a_name(word.group())), default=0)
    odd = max((n + 1 for n, word in enumerate(words) if is_seldom_a_name(word.group())), default=0)
    if odd > first:
        first = next((n for n in range(first, len(words)) if is_given_name(words[n].group())), odd)
    given = first < len(words) and is_given_name(words[first].group())
    shouted = [
        word.group().isupper() for word in words[first:] if word.group().isalpha() and len(word.group()) > 1
    ]
    if any(shouted) and not all(shouted) and not given:
        return None
    initial = first < len(words) and words[first].group().endswith(".")
    if len(words) - first < 2 or (initial and is_eponym(words[-1].group())):
        return None
    return match.start("found") + words[first].start(), match.start("found") + words[-1].end()


def before_a_weak_sign(match: re.Match[str]) -> tuple[int, int] | None:
    """Take them only when the first is a given name."""
    span = before_a_sign(match)
    return span if span and is_given_name(match.string[slice(*span)].split()[0]) else None


def a_small_surname(match: re.Match[str]) -> tuple[int, int] | None:
    """Behind a doctor's title in small letters: take one word that is none of the language's."""
    word = match["found"].split()[0]
    if len(word) < 3 or is_seldom_a_name(word) or is_eponym(word):
        return None
    return match.start("found"), match.start("found") + len(word)


def lowercase_given_name(least: int) -> Look:
    """Take so many words in small letters, of which the first is a given name and none is never a name."""

    def look(match: re.Match[str]) -> tuple[int, int] | None:
        found = _small(match, is_never_a_name)
        words = match.string[slice(*found)].split() if found else []
        return found if len(words) >= least and is_given_name(words[0]) else None

    return look


def written_small(match: re.Match[str]) -> tuple[int, int] | None:
    """Behind "my name is": take up to three words in small letters, none of which is a word of the language."""
    return _small(match, is_seldom_a_name)


def _small(match: re.Match[str], is_none: Callable[[str], bool]) -> tuple[int, int] | None:
    start = end = match.start("found")
    for word in re.finditer(r"[^\W\d_][\w'’-]*", match["found"]):
        if is_none(word.group()) or word.group() in _NOT_SAID_OF_ONESELF:
            break
        end = start + word.end()
    return (start, end) if end > start else None
