"""Reference lists of authors and years, without heading or labels, that an answer ends with."""

import re
from collections.abc import Collection, Sequence

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.author_names import short_names
from medassay.models.text.labels.surnames import surname_of
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.references.entries.authors import AUTHORS, authors_and_year
from medassay.models.text.references.entries.evidence import (
    IN_PARENTHESES,
    Evidence,
    evidence_of,
    without_named,
)
from medassay.models.text.references.entries.labels import label_of
from medassay.models.text.references.entries.lines import Line, is_rule
from medassay.models.text.references.entries.reading import WrittenEntry
from medassay.models.text.references.entries.titles import segments
from medassay.models.text.references.entries.years import YEAR

_BULLET = re.compile(r"[\s>]*(?:[-*+•‣◦·▪–—][ \t]+)?")
_WITH_INITIALS = re.compile(
    r"[^\W\d_],?\s(?:[A-ZÀ-ÖØ-Þ]{1,3}(?![^\W\d_])|[A-ZÀ-ÖØ-Þ]\.)|[A-Z]\.[\s-]?[A-ZÀ-ÖØ-Þ][a-z]"
)
# "Smith J (2020) showed …", "Smith J et al. 2020: statins work", "Smith J (BMJ 2020) found …". "Weiß, T. (2020): …"
# is how Germans write an entry.
_SAYS = re.compile(
    r"(?!\s?\((?:19|20)\d\d[a-h]?\):)[,.]?\s?\(?[^()\n.;:]{0,40}(?:19|20)\d\d[a-h]?\)?(?:\s?[:–—-]\s|,?\s(?:n\s?=|(?!in\b)[a-zà-ÿ]{2,}))"
)
_PUBLISHED = re.compile(
    r"(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}\b[^.;]{0,10})?;\s?(?:\d+|\(\d{1,3}\)\s?:)|\b\d{1,4}\s?\(\d{1,4}(?:[-–]\d{1,4})?\)\s?[:,]\s?(?:pp?\.\s?)?\w?\d|[^\W\d]\.?\s\d{1,4}:\s?(?:\w?\d+[-–]\w?\d|CD\d{6}|[a-z]\d{3})"
    r"|\b\d{1,4},\s(?:pp?\.\s?)?\w?\d{1,5}[-–]\w?\d|\bJournal\b|\bLancet\b|\bN Engl J\b|\bvol\.\s?\d|\bpp?\.\s?\d"
    r"|\(\d{1,3}\):\s?CD\d{6}|[.?]\s[A-Z][\w&.-]*(?:\s(?:[A-Z][\w&.-]*|of|and|the|in)){0,7},?\s(?:19|20)\d\d[\s*_]*\.?\Z"
)
_THING = re.compile(
    r"(?:Vitamin|Factor|Hepatitis|Type|Phase|Group|Protein|Class|Grade|Stage|Part|Table|Figure|Plan|Arm|Trial|Study"
    r"|Influenza|Immunoglobulin|Option|Note|Step)s?\s[A-Z\d]"
)
_APART = re.compile(r"[;\n()\[\]]|[.!?]\s(?=[A-Z])")
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’-]+")
_IDENTIFIES = re.compile(r"[\s>]*(?:https?://|doi\b|pmid\b|pmcid\b|available\b|retrieved\b)", re.IGNORECASE)
_CONTINUES = re.compile(r"[\s>]*[a-zà-ÿ(,;&]")
# An organisation as APA writes it: "Mayo Clinic. (2022). …".
_BODY = re.compile(
    r"[A-Z][^()\n]{1,150}(?:\s\([A-Z]{2,8}\))?\.\s\((?:(?:19|20)\d\d[a-h]?\b|n\.d\.)[^()\n]{0,20}\)\."
)
# "SPRINT Research Group. A randomized trial … N Engl J Med 2015;373:2103-16."
_GROUP = re.compile(
    r"(?:The\s)?[A-Z][\w/-]*(?:\s[\w/&-]+){0,6}\s(?:Group|Investigators|Collaborat(?:ors|ion)|Consortium|Trialists)\.\s[A-Z]"
)
# "[Aspirin in stroke](https://…) – Smith et al., BMJ 2020"
_LINKED_TITLE = re.compile(r"\[(?P<title>[^\[\]\n]{4,300})\]\([^\s()]{4,500}\)[.,]?\s(?:[–—|-]\s)?(?=[A-Z])")
# "(Stevens SM et al.)"
_WITHOUT_YEAR = re.compile(r"([A-ZÀ-ÖØ-Þ][\w'’-]+)(?:\s[A-Z]{1,3})?,?\s(?:et\sal\b|and\scolleagues\b)")
_ENDS_ET_AL = re.compile(r"\bet\sal\.?\Z")
_LINES_BELOW = 4
_LINES_OF_AN_ENTRY = 5
_MOST_LINES = 1000
_FAR_ABOVE = 50_000
_LONGEST = 3000
_LONGEST_NAMES = 80


def closing_entries(text: str, lines: Sequence[Line]) -> tuple[int, tuple[WrittenEntry, ...]]:
    """Read a list of authors and years at the end: the number of its first line, and its entries if there is any.

    All lines of it begin entries or go on with them, the text above cites one of them, and little stands below.
    """
    for bottom in range(len(lines), max(1, len(lines) - _LINES_BELOW - 1), -1):
        if bottom == len(lines) or lines[bottom].after_blank or is_rule(_raw(text, lines[bottom])):
            first, entries = _entries_above(text, lines, bottom)
            if entries:
                above = text[max(0, lines[first].start - _FAR_ABOVE) : lines[first].start]
                cited = _cites_any(above, [text[entry.start : entry.end] for entry in entries])
                return (first, entries) if cited else (0, ())
    return 0, ()


def _entries_above(text: str, lines: Sequence[Line], bottom: int) -> tuple[int, tuple[WrittenEntry, ...]]:
    """Walk up over entries; none are found where the first line of the text is one."""
    first = below = at = bottom
    entries: list[WrittenEntry] = []
    while at > 0 and bottom - at < _MOST_LINES:
        at -= 1
        line, raw = lines[at], _raw(text, lines[at])
        if is_rule(raw):
            if below - at > 1:
                break
            below = at
            continue
        end = lines[below - 1].end
        if is_authored_entry(text[line.start : end]):
            first = below = at
            entries.append(WrittenEntry(line.start, end, None, line.start))
        elif below - at >= _LINES_OF_AN_ENTRY or not _goes_on(line, raw):
            break
    return (first, tuple(reversed(entries))) if first else (0, ())


def _raw(text: str, line: Line) -> str:
    return text[line.start : line.end]


def _goes_on(line: Line, raw: str) -> bool:
    """Tell whether a line may go on with the entry above it."""
    if _IDENTIFIES.match(raw):
        return True
    return not line.after_blank and (_CONTINUES.match(raw) is not None or evidence_of(raw) > Evidence.NOTHING)


def is_authored_entry(body: str) -> bool:
    """Tell whether an entry begins with authors by surname and initial, and tells when and where it was published."""
    body = body[:_LONGEST]
    if label_of(body) and not _BULLET.fullmatch(body[: body.find(" ") + 1]):
        return False
    plain = re.sub(r"[*_]+", "", _BULLET.sub("", body, count=1))
    if linked := _LINKED_TITLE.match(plain):
        behind = plain[linked.end() :]
        authored = AUTHORS.match(behind) is not None and YEAR.search(behind) is not None
        return authored and not (has_finite_verb(behind) or has_finite_verb(linked["title"]))
    outside = IN_PARENTHESES.sub(lambda found: "" if atoms(found[0]) else found[0], plain)
    identified, published = bool(atoms(outside)), _PUBLISHED.search(outside) is not None
    if _BODY.match(plain):
        return identified or published
    if _GROUP.match(plain):
        return published and YEAR.search(outside) is not None
    authors = AUTHORS.match(plain)
    if authors and _ENDS_ET_AL.search(authors[0]) and identified and YEAR.search(outside):
        return not has_finite_verb(without_named(plain, atoms(plain)))  # "Silva et al., JAMA 2018. PMID 123"
    if authors is None or not _WITH_INITIALS.search(authors[0]) or _SAYS.match(plain, authors.end()):
        return False
    if _THING.match(plain) or not published and not (identified and _states_nothing_of_a_year(plain)):
        return False
    surnames, year = authors_and_year(plain)
    return bool(surnames and year) and evidence_of(plain) is Evidence.SURE


def _states_nothing_of_a_year(plain: str) -> bool:
    return not any(YEAR.search(part) and has_finite_verb(part) for part in segments(plain))


def _cites_any(above: str, bodies: Collection[str]) -> bool:
    """Tell whether a text cites one of the entries by the name of an author and the year."""
    works = {
        (name, year[:4])
        for surnames, year, body in ((*authors_and_year(body), body) for body in bodies)
        for name in (*surnames, *short_names(body))
        if year
    }
    if any(surname_of(name) in {work[0] for work in works} for name in _WITHOUT_YEAR.findall(above)):
        return True
    for cited in YEAR.finditer(above):
        before = above[max(0, cited.start() - _LONGEST_NAMES) : cited.start()]
        names = _NAME.findall(_APART.split(before.rstrip(" ([,"))[-1])
        if any((surname_of(name), cited["year"][:4]) in works for name in names):
            return True
    return False
