"""Author-year citations: `(Smith et al., 2020; Lee 2019)` and `Smith et al. (2020)`."""

import re
from collections.abc import Collection, Iterator

from models.records import Span
from models.text.marks import Marker, Target, author_label, surname_of

_PARTICLES = r"(?:(?:de|van|von|der|den|la|le|di|du|al|el|the)\s)*"
_NAME = r"(?:[A-ZÀ-ÖØ-Þ](?:[^\W\d_]|['’-])+|[A-Z]{2,})"
_NAMES = rf"(?P<names>{_PARTICLES}{_NAME}(?:\s(?:de\s|of\s|for\s|van\s)?{_NAME}){{0,5}}"
_AUTHOR_YEAR = re.compile(
    rf"(?:\s*(?:see|see also|e\.g\.,?|cf\.|reviewed in|as in|source:|adapted from)\s)?\s*{_NAMES}"
    rf"(?P<more>(?:,\s{_PARTICLES}{_NAME}){{0,6}},?\s(?:and|&|und|et)\s{_PARTICLES}{_NAME}"
    rf"(?:\s{_NAME})?|,?\s(?:et|ET)\s(?:al|AL)\.?(?:’s|'s)?|\sand\scolleagues)?)"
    r"(?P<comma>,)?\s?(?P<year>(?:19|20)\d\d[a-h]?|n\.d\.|in press)(?P<years>(?:,\s?(?:(?:19"
    r"|20)\d\d)?[a-h]?)*)"
    r"(?:,?\s?(?:pp?\.\s?)?\d+(?:[-–]\d+)?)?\s*\Z"
)
_NARRATIVE = re.compile(
    rf"(?<!\w)(?P<names>{_NAME}(?P<more>(?:,\s{_NAME}){{0,5}},?\s(?:and|&)\s{_NAME}"
    rf"|,?\set\sal\.?(?:’s|'s)?|\sand\scolleagues)?)"
    r"\s[(\[](?P<year>(?:19|20)\d\d[a-h]?)[)\]]"
)
# Without brackets: `Smith et al. showed`, `Smith and colleagues in 2020`; only a list can say which paper is meant.
_SPOKEN = re.compile(
    rf"(?<!\w)(?P<names>{_PARTICLES}{_NAME}(?:,?\set\sal\b\.?(?:’s|'s)?|\sand\s(?:colleagues|co-?workers|others)\b(?:’|')?))"
    r"(?!\s?[(\[]?\s?(?:19|20)\d\d[a-h]?[)\]])(?:[^.;\n]{0,24}?\s(?:in|of)\s(?P<year>(?:19|20)\d\d)\b)?"
)
_ORGANISATION = re.compile(
    r"\W{0,4}(?P<name>[A-Z][a-zA-Z]+(?:\s(?:of|for|on|and|the|in|&)\b|\s[A-Z][a-zA-Z]+){2,8})"
    r"(?:\s\((?P<short>[A-Z][A-Za-z-]{1,9})\)(?:\s(?P<more>[A-Z][a-z]+))?)?(?=[.,:]|\s\()"
)
_NOT_AUTHORS = re.compile(
    r"^(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|"
    r"Nov|Dec|Spring|Summer|Fall|Autumn|Winter|Table|Figure|Fig|Version|Since|Until|In|From"
    r"|Year|Phase|COVID|Updated|Approved|Published|"
    r"Accessed|Edition|Volume|USA?|UK|EU|China|India|Japan|Germany|France|Paris|London|Chicago)\b"
)


def short_names(entry: str) -> tuple[str, ...]:
    """Initials of the organisation that an entry of a reference list begins with: `who`, `ukpds`, `ukpds group`."""
    name = _ORGANISATION.match(entry)
    if name is None:
        return ()
    initials = "".join(word[0] for word in name["name"].split() if word[0].isupper())
    given = name["short"]
    found = (given, f"{given} {name['more']}" if name["more"] else None) if given else (initials,)
    return tuple(short.casefold() for short in found if short)


def cited_authors(text: str, start: int, end: int, labels: Collection[str]) -> list[Target] | None:
    """Read `Smith et al., 2020; Lee 2019` as targets."""
    targets: list[Target] = []
    position = start
    for piece in text[start:end].split(";"):
        match = _AUTHOR_YEAR.fullmatch(piece)
        if match is None:
            return None
        years = [
            match["year"],
            *re.findall(r"(?:(?:19|20)\d\d)?[a-h]?(?=,|$)", match["years"].strip(", ")),
        ]
        for year in filter(None, years):
            full = year if len(year) > 1 else match["year"][:4] + year
            label = author_label(match["names"], full)
            sure = match["more"] or label in labels or (match["comma"] and len(match["names"]) > 2)
            if _NOT_AUTHORS.match(match["names"]) and label not in labels or not sure:
                return None
            targets.append(Target(piece.strip(), None, label, position, position + len(piece)))
        position += len(piece) + 1
    return targets


def narratives(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[Marker]:
    """Find `Smith et al. (2020)`; the names stay in the sentence."""
    for match in _NARRATIVE.finditer(text, start, end):
        label = author_label(match["names"], match["year"])
        if (match["more"] or label in labels) and not _NOT_AUTHORS.match(match["names"]):
            span = Span(*match.span())
            target = Target(match[0], None, label, span.start, span.end)
            yield Marker(span.start, span.end, "author_year", (target,), span)
    yield from _spoken_of(text, start, end, labels)


def _spoken_of(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[Marker]:
    """Find `Smith et al.` without a year, where the list has one paper by a first author of that name."""
    years: dict[str, set[str]] = {}
    for label in labels:
        name, _, year = label.rpartition(" ")
        if re.fullmatch(r"(?:19|20)\d\d[a-h]?", year):
            years.setdefault(name, set()).add(year)
    if not years:
        return
    for match in _SPOKEN.finditer(text, start, end):
        names = re.split(r",?\s(?:et\sal|and)\b", match["names"], maxsplit=1)[0]
        known = years.get(surname_of(names), set())
        wanted = {year for year in known if match["year"] in (None, year, year[:4])}
        if len({year[:4] for year in wanted}) == len(wanted) == 1:
            span = Span(match.start(), match.end("names"))
            target = Target(match["names"], None, f"{surname_of(names)} {wanted.pop()}", span.start, span.end)
            yield Marker(span.start, span.end, "author_year", (target,), span)
