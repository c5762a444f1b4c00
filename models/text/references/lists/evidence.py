"""Whether entries under a heading are a reference list: what they name, against how sure the heading is."""

import re
from collections.abc import Collection, Sequence

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.references.entries.evidence import (
    BIBLIOGRAPHIC,
    IN_PARENTHESES,
    PUBLISHER_WORD,
    Evidence,
    evidence_of,
    is_named,
    says_more,
)
from medassay.models.text.references.entries.reading import WrittenEntry
from medassay.models.text.references.entries.years import YEAR
from medassay.models.text.references.lists.headings import Trust

_LINK = re.compile(r"\[[^\[\]\n]{1,300}\]\([^\s()]{1,1000}\)")
_PMIDS = re.compile(
    r"[\s*_]*pmids?[\s*_:]{0,4}\d{1,8}(?:(?:[,;&]|,?\sand)\s?(?:pmids?[\s:]{0,3})?\d{5,8}){0,60}[\s.*_]*",
    re.IGNORECASE,
)
_CITED_FOR = re.compile(r"(?:for|on|regarding|about|supports?|covers?)\s[a-z]?\w")
_LAST_MARKER = re.compile(r"\[\d{1,3}(?:[\s,;–-]+\d{1,3})*\][.\s*_]*\Z")
_MARKER_BEHIND = re.compile(r"[^\W_][).,*_]{0,3}\s?\[\d{1,3}(?:[\s,;–-]+\d{1,3})*\](?!\()")
_LONGEST_MARKER = 60
_ONE_WORD = re.compile(r"\W*[A-ZÀ-Þ]?[a-zß-ÿ]+\W*")
"""What something comes from rather than who says so: `Source: Protein`."""
_LONGEST_NAMES = 120
_FOUND = re.compile(
    r"[\W_]*[^():\n]{2,80}\([^()\n]{0,80}\b(?:19|20)\d\d\b[^()\n]{0,80}\)[*_]{0,3}:[*_]{0,3}\s+(?P<told>\S[^\n]{0,600})"
)
_ONLY_PMIDS = re.compile(
    r"[#\s>*_]*pmids?[\s*_:：]+\d{1,8}(?:[\s,;&*_]+(?:and\s)?(?:pmid[\s:]*)?\d{1,8}){0,50}[\s.*_]*",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t>]*(?:[-*+•‣◦·▪–—]|\(?\d{1,3}[.)])[ \t]")
_FAR_ABOVE = 20_000
_BARE_NUMBERS = re.compile(r"[\s\d,;.*_]*\d{5,8}[\s\d,;.*_]*")


def convinces(text: str, entries: Sequence[WrittenEntry], trust: Trust, cited: Collection[str]) -> bool:
    """Tell whether entries are convincing enough under a heading of that trust."""
    if not entries or trust <= Trust.OPEN and (_cite_below(text, entries) or _find_something(text, entries)):
        return False
    if trust is not Trust.SURE and _cite_elsewhere(text, entries):
        return False
    told = [evidence_of(text[entry.body : entry.end]) for entry in entries]
    is_cited = any(entry.label and normalise_label(entry.label) in cited for entry in entries)
    if trust is Trust.SURE:
        return is_cited or any(value >= Evidence.NOTHING for value in told) or all_identified(text, entries)
    if trust is Trust.LIKELY:
        in_brackets = ["[" in text[entry.start : entry.body] for entry in entries]
        good = sum(value + mark >= Evidence.LIKELY for value, mark in zip(told, in_brackets, strict=True))
        return is_cited or 2 * good >= len(told)
    if trust is Trust.DOUBTFUL:
        return 2 * sum(_names_a_work(text[entry.body : entry.end]) for entry in entries) >= len(entries)
    good = sum(value >= Evidence.SURE for value in told)
    return is_cited and max(told) > Evidence.STATEMENT or 2 * good >= len(told)


def names_something(trust: Trust, raw: str, *, after_blank: bool) -> bool:
    """Tell whether what follows a heading on its line names a publication or an organisation."""
    if not (after_blank or trust is Trust.SURE):
        return False
    if trust < Trust.SURE and _ONE_WORD.fullmatch(raw) and not PUBLISHER_WORD.search(raw):
        return False
    told = evidence_of(raw)
    if told > Evidence.NOTHING and trust > Trust.OPEN or told == Evidence.SURE:
        return True
    return is_named(raw) and len(raw) <= _LONGEST_NAMES


def _names_a_work(body: str) -> bool:
    """Tell whether an entry names a publication or who published it: "Salmon" does not."""
    told = evidence_of(body)
    named = YEAR.search(body) or PUBLISHER_WORD.search(body)
    return told is Evidence.SURE or told is Evidence.LIKELY and named is not None


def _find_something(text: str, entries: Sequence[WrittenEntry]) -> bool:
    """Tell whether most say what a study found, `SPRINT (NEJM 2015): it cut …`, unlike `Smith J (2020): Title. BMJ`."""
    bodies = (text[entry.body : entry.end] for entry in entries)
    told = [found["told"] for body in bodies if (found := _FOUND.match(body))]
    return 2 * sum(not (YEAR.search(each) or BIBLIOGRAPHIC.search(each)) for each in told) > len(entries)


def _cite_below(text: str, entries: Sequence[WrittenEntry]) -> bool:
    """Tell whether lines without label cite in brackets what labelled ones below them name: findings, then a list."""
    labels = {entry.label for entry in entries if entry.label}
    first = next((entry for entry in entries if not entry.label), None)
    if not labels or first is None or entries[0].label:
        return False
    cited = _LAST_MARKER.search(text, max(first.body, first.end - _LONGEST_MARKER), first.end)
    return cited is not None and not labels.isdisjoint(re.findall(r"\d+", cited[0]))


def _cite_elsewhere(text: str, entries: Sequence[WrittenEntry]) -> bool:
    """Tell whether most entries have a number in brackets behind their words: `1. ASPREE [1] – no benefit`."""
    citing = sum(_MARKER_BEHIND.search(text, entry.body, entry.end) is not None for entry in entries)
    return 2 * citing > len(entries)


def says_what_for(text: str, entries: Sequence[WrittenEntry]) -> bool:
    """Tell whether labels are followed by what they are cited for, `[1] for doses, [2] for harms`, and by no work."""
    return all(_CITED_FOR.match(text, entry.body, entry.end) is not None for entry in entries)


def all_identified(text: str, entries: Sequence[WrittenEntry]) -> bool:
    """Tell whether entries are numbered from 1 on, and each names an identifier or an address."""
    numbers = [entry.label for entry in entries]
    counted = numbers in ([str(n) for n in range(1, len(numbers) + 1)], ["1"] * len(numbers))
    return counted and all(atoms(text[entry.body : entry.end]) for entry in entries)


def are_publications(text: str, entries: Sequence[WrittenEntry]) -> bool:
    """Tell whether numbered entries all end in what identifies them: a finding cites it in parentheses."""
    outside = (IN_PARENTHESES.sub(" ", text[entry.body : entry.end]) for entry in entries)
    return all_identified(text, entries) and all(atoms(body) for body in outside)


def is_only_identifiers(raw: str) -> bool:
    """Tell whether a line holds identifiers and links and no other words."""
    named = atoms(raw)
    if named and (not says_more(raw, named) or _PMIDS.fullmatch(raw)):
        return True
    bare = _LINK.sub(" ", raw)
    return bare != raw and not says_more(bare, atoms(bare)) or _BARE_NUMBERS.fullmatch(raw) is not None


def marks_the_items_above(text: str, start: int, end: int) -> bool:
    """Tell whether text[start:end], `PMID: 1, 2`, stands under a list whose items do not name these ids themselves."""
    above = text[max(0, start - _FAR_ABOVE) : start]
    last = above.rstrip().rsplit("\n", 1)[-1]
    if not _ITEM.match(last) or not _ONLY_PMIDS.fullmatch(text, start, end):
        return False
    return not all(n in above for n in re.findall(r"\d+", text[start:end]))
