"""Find patient data in a text, and its repetitions in the same material."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from medassay.models.folding import Folded, folded
from medassay.models.phi.addresses import ADDRESSES
from medassay.models.phi.contacts import MAIL, NETWORKS, PHONES, found_in_link
from medassay.models.phi.grammar import Kind
from medassay.models.phi.names import NAMES, OWN_RELATIVES
from medassay.models.phi.numbers import DATES, INSURANCES, OWN_NUMBERS, RECORDS
from medassay.models.phi.publications import IDENTIFIERS, is_an_author, is_of_a_publication
from medassay.models.phi.recognizer import recognized
from medassay.models.phi.words import SICKNESS, is_seldom_a_name
from medassay.models.records import Span

RULES = (*MAIL, *NETWORKS, *INSURANCES, *RECORDS, *DATES, *PHONES, *ADDRESSES, *NAMES)
OWN_RULES = (*OWN_NUMBERS, *OWN_RELATIVES)
"""Rules for a patient's own text, after all others."""


_SHORTEST_PART = 3
_SHORTEST_CODE = 5
_START = 4
_NUMBERS = ("record number", "insurance number", "phone")
_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of text that may name a person; offsets into the text, half open."""

    kind: Kind
    start: int
    end: int
    text: str


class _Places:
    """Which characters of a text are taken: by an identifier of a publication, or by something found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.taken = bytearray(len(text))
        self.found: list[Found] = []
        for match in IDENTIFIERS.finditer(text):
            for kind, start, end in found_in_link(match.group()):
                self.add(kind, match.start() + start, match.start() + end)
            self.take(*match.span())

    def take(self, start: int, end: int) -> None:
        self.taken[start:end] = b"\1" * (end - start)

    def add(self, kind: Kind, start: int, end: int) -> None:
        """Add what was found, unless something surer has a part of it; an address takes in the numbers in it."""
        if kind == "address":
            self._give_up_within(start, end)
        if start < end and self.taken.find(1, start, end) < 0:
            self.take(start, end)
            self.found.append(Found(kind, start, end, self.text[start:end]))

    def add_rest(self, kind: Kind, start: int, end: int) -> None:
        """Add those stretches with two letters or digits that nothing surer has a part of."""
        for free in re.finditer(b"\0+", self.taken[start:end]):
            rest = self.text[start + free.start() : start + free.end()]
            ends = re.search(r"[^\W_](?:.*[^\W_])", rest, re.DOTALL)
            if ends:
                self.add(kind, start + free.start() + ends.start(), start + free.start() + ends.end())

    def _give_up_within(self, start: int, end: int) -> None:
        inside = [one for one in self.found if start <= one.start and one.end <= end]
        if self.taken.count(1, start, end) == sum(one.end - one.start for one in inside):
            self.taken[start:end] = bytes(end - start)
            self.found = [one for one in self.found if one not in inside]

    def in_order(self) -> list[Found]:
        return sorted(self.found, key=lambda one: one.start)


def find_phi(text: str, own: bool = False, published: bool = False) -> list[Found]:
    """List what may name a person, in order, without overlaps; where two rules overlap the earlier rule wins.

    The recogniser adds what no rule found, except in a `published` text, where nearly all names are of authors. In a
    patient's own text every long number counts, and every name behind a word for a relative.

    In a text that is not the patient's `own`, such as an answer, dates that say that they are of a publication, an
    approval or an access, and authors in a byline, name no patient. Letters whose accents stand by themselves, spaces
    and hyphens of all widths and what nobody sees are read as a keyboard would have them.
    """
    plain = folded(text)
    places = _Places(plain.text)
    for rule in (*RULES, *OWN_RULES) if own else RULES:
        for match in rule.pattern.finditer(plain.text):
            span = rule.look(match)
            if span is None:
                continue
            start, end = span[0], span[0] + len(plain.text[slice(*span)].rstrip())
            if own or not _is_published(rule.kind, plain.text, start, end):
                places.add(rule.kind, start, end)
    for kind, start, end in () if published else recognized(plain.text, own):
        if own or not _is_published(kind, plain.text, start, end):
            places.add_rest(kind, start, end)
    return [_as_written(text, plain, one) for one in places.in_order()]


def _as_written(text: str, plain: Folded, one: Found) -> Found:
    start, end = _in(text, plain, one.start, one.end)
    return Found(one.kind, start, end, text[start:end])


def _in(text: str, plain: Folded, start: int, end: int) -> tuple[int, int]:
    """Return where it stands in the text as it was written; an accent behind its last letter belongs to it."""
    if plain.places is None or start == end:
        return start, end
    there = plain.original(Span(start, end))
    start, end = there.start, there.end
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return start, end


def _is_published(kind: Kind, text: str, start: int, end: int) -> bool:
    if kind == "date":
        return is_of_a_publication(text, start, end)
    return kind == "name" and is_an_author(text, start)


def found_everywhere(
    texts: Mapping[str, str], found: Mapping[str, list[Found]], before: "FoundValues | None" = None
) -> dict[str, list[Found]]:
    """Add to what was found in each text whatever was found in another: nobody is named in one and hidden in the other.

    What was found `before`, in texts that are not among these, is looked for last. Dates stay where they were found.
    Of a name its parts count too, where they are long enough, written with a capital and no word of the language; a
    sickness that bears the name is not the person.
    """
    known = FoundValues(one for several in found.values() for one in several)
    spread = {}
    for name, text in texts.items():
        places = _Places(text)
        for one in found[name]:
            places.add(one.kind, one.start, one.end)
        for source in (known, before or NOTHING_KNOWN):
            for kind, start, end in source.places_in(text):
                places.add(kind, start, end)
        spread[name] = places.in_order()
    return spread


class FoundValues:
    """What was found, by its first word; numbers by their first characters: digits may be grouped otherwise."""

    def __init__(self, found: Iterable[Found]) -> None:
        """Learn what was found somewhere."""
        self.by_word: dict[str, set[tuple[tuple[str, ...], Kind]]] = {}
        self.by_start: dict[str, set[tuple[str, Kind]]] = {}
        self.han: dict[str, Kind] = {}
        for one in found:
            self._learn(one)

    def _learn(self, found: Found) -> None:
        one = replace(found, text=folded(found.text).text)
        words = tuple(_WORD.findall(one.text.casefold()))
        if one.kind == "date" or not words:
            return
        if one.kind == "name" and _HAN.search(one.text):
            if len(one.text) > 1:
                self.han[one.text] = one.kind
        elif one.kind in _NUMBERS:
            code = "".join(words)
            if len(code) >= _SHORTEST_CODE:
                self.by_start.setdefault(code[:_START], set()).add((code, one.kind))
        else:
            parts = _WORD.findall(one.text) if one.kind == "name" else []
            telling = [
                p for p in parts if len(p) >= _SHORTEST_PART and p[0].isupper() and not is_seldom_a_name(p)
            ]
            last, comma, first = one.text.casefold().partition(",")
            turned = (*_WORD.findall(first), *_WORD.findall(last)) if comma and one.kind == "name" else words
            whole = dict.fromkeys([words, turned]) if len(words) > 1 else {}
            for wanted in (*whole, *((part.casefold(),) for part in telling)):
                self.by_word.setdefault(wanted[0], set()).add((wanted, one.kind))

    def places_in(self, text: str) -> Iterator[tuple[Kind, int, int]]:
        """Yield where any of it stands, the longest first at each place."""
        plain = folded(text)
        for kind, start, end in self._places_in(plain.text):
            yield kind, *_in(text, plain, start, end)

    def _places_in(self, text: str) -> Iterator[tuple[Kind, int, int]]:
        for known, kind in self.han.items():
            for match in re.finditer(re.escape(known), text):
                yield kind, *match.span()
        words = list(_WORD.finditer(text)) if self.by_word or self.by_start else []
        folded = [word.group().casefold() for word in words]
        for n, word in enumerate(words):
            for wanted, kind in sorted(self.by_word.get(folded[n], ()), key=lambda one: -len(one[0])):
                last = n + len(wanted) - 1
                if tuple(folded[n : last + 1]) == wanted and _close(text, words[n : last + 1]):
                    end = words[last].end()
                    named = (word.group()[0].isupper() or last > n) and not SICKNESS.match(text, end)
                    if kind != "name" or named:
                        yield kind, word.start(), end
            yield from self._codes(text, words, folded, n)

    def _codes(
        self, text: str, words: list[re.Match[str]], folded: list[str], n: int
    ) -> Iterator[tuple[Kind, int, int]]:
        start = "".join(folded[n : n + _START])[:_START] if self.by_start else ""
        for code, kind in self.by_start.get(start, ()):
            last, joined = n, folded[n]
            while len(joined) < len(code) and last + 1 < len(words):
                last += 1
                joined += folded[last]
            if joined == code and _close(text, words[n : last + 1]):
                yield kind, words[n].start(), words[last].end()


def _close(text: str, words: list[re.Match[str]]) -> bool:
    """Tell whether words stand as one: at most three characters that are no letters between two of them."""
    return all(0 <= b.start() - a.end() <= 3 for a, b in zip(words, words[1:], strict=False))


NOTHING_KNOWN = FoundValues(())
