"""Placeholders for redacted patient data, and their restoration in replies."""

import re
from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase

from medassay.models.folding import folded
from medassay.models.phi.finding import Found
from medassay.models.phi.grammar import Kind

_PLACEHOLDER = re.compile(r"\[[a-z ]+ \d+[b-z]?\]")
_WORD = re.compile(r"[^\W_]+")


def numbered(texts: Mapping[str, str], found: Mapping[str, list[Found]]) -> dict[str, str]:
    """Number what was found by kind; a number that a text already holds is left out.

    Who or what is written in several ways, "Ada Example" and "Ms Example", has one number, and a letter for each way
    but the first, so that a judge can tell who is who and each is put back as it was written.
    """
    whole = "\n".join(texts.values())
    placeholders: dict[str, str] = {}
    last: dict[Kind, int] = {}
    in_order = [one for several in found.values() for one in several]
    for kind, spellings in _persons_and_things(in_order):
        number = last.get(kind, 0) + 1
        while any(f"[{kind} {number}{letter}]" in whole for letter in _letters(spellings)):
            number += 1
        last[kind] = number
        placeholders |= {
            text: f"[{kind} {number}{letter}]"
            for text, letter in zip(spellings, _letters(spellings), strict=True)
        }
    return placeholders


def redacted(text: str, found: Iterable[Found], placeholders: Mapping[str, str]) -> str:
    """Put placeholders in the place of what was found in a text."""
    pieces, position = [], 0
    for one in found:
        pieces += [text[position : one.start], placeholders[one.text]]
        position = one.end
    return "".join([*pieces, text[position:]])


def restored(text: str, meaning: Mapping[str, str]) -> str:
    """Put back what placeholders stand for."""
    return _PLACEHOLDER.sub(lambda place: meaning.get(place.group(), place.group()), text)


def _letters(spellings: list[str]) -> list[str]:
    return ["", *ascii_lowercase[1:]][: len(spellings)]


def _persons_and_things(in_order: list[Found]) -> Iterator[tuple[Kind, list[str]]]:
    """Yield everybody and everything that is found, in order, with the ways in which it is written."""
    words = {one.text: _words(one.text) for one in in_order if one.kind == "name"}
    groups: dict[tuple[Kind, str], dict[str, None]] = {}
    for one in in_order:
        of = (
            _whole_name(one.text, words)
            if one.kind == "name"
            else "".join(_WORD.findall(folded(one.text).text.casefold()))
        )
        spellings = groups.setdefault((one.kind, of), {})
        if len(spellings) == len(ascii_lowercase) and one.text not in spellings:
            spellings = groups.setdefault((one.kind, one.text), {})
        spellings.setdefault(one.text)
    written: set[str] = set()
    for (kind, _), spellings in groups.items():
        if fresh := [text for text in spellings if text not in written]:
            written.update(fresh)
            yield kind, fresh


def _whole_name(name: str, words: Mapping[str, frozenset[str]]) -> str:
    """Return the fullest name of whom a name means, by its words; itself where two persons could be meant."""
    own = words[name]
    wider = {other for other in words.values() if own < other}
    fullest = {other for other in wider if not any(other < another for another in wider)}
    meant = fullest.pop() if len(fullest) == 1 else own
    return " ".join(sorted(meant))


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(folded(name).text.casefold())) or frozenset({name})
