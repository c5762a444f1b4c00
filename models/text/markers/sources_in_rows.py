"""Sources by their names, one or several in a row: a cell of a table, or what a dash leads to at the end of a line."""

import re
from collections.abc import Iterator

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.author_names import ET_AL, NAME, PARTICLES
from medassay.models.text.labels.author_patterns import is_author_and_year, label_of_authors
from medassay.models.text.labels.forms import WORK
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.named_sources import pieces, work_beside, work_target
from medassay.models.text.references.works import is_only_a_journal, names_a_work, names_sources

_BETWEEN = re.compile(r";\s|\s?<br\s?/?>\s?", re.IGNORECASE)
_BEHIND_A_YEAR = re.compile(r"(?<=(?:19|20)\d\d),\s(?=[A-ZÀ-ÖØ-Þ])")
_YEAR_APART = re.compile(r"\s\((?=(?:19|20)\d\d[a-h]?\)\Z)")
# "Bolland 2018 (Lancet Diabetes Endocrinol)"
_JOURNAL_BEHIND = re.compile(r"(?<=\d\d\d\d)\s\((?=[A-Z])(?P<journal>[^()\d]{2,60})\)\Z")
_TRIAL = re.compile(r"[A-Z]{4,}[ -](?:\d{1,3}|[A-Z]{2,})(?:,? \(?(?:19|20)\d\d\)?)?")
_BEHIND_A_DASH = re.compile(
    r"(?:(?<=[^\s|>*_])(?P<all>[ \t]*[–—→][ \t]|[ \t](?:--|=>)[ \t])|^[ \t>*_]{0,8}[–—][ \t]?)"
    r"(?P<name>[*_“\"]{0,3}[A-Z][^\n|–—→]{8,180}(?:\d–\d[^\n|–—→]{0,40})?)$",
    re.MULTILINE,
)
_AT_THE_HEAD = re.compile(
    rf"^[ \t>]*(?:[-*+•][ \t]+)?(?:[A-Z][\w -]{{2,30}}:[ \t])?(?P<name>{PARTICLES}{NAME}(?:\s[A-Z]{{1,3}}\b)?"
    rf"(?:,?\s{ET_AL})?[.,]?\s[^\n:;]{{3,60}}\s(?:19|20)\d\d"
    r";\d{1,4}(?:\s?\(\d{1,3}\))?:[A-Za-z]?\d{1,6}(?:[-–]\d{1,6})?):[ \t]+(?=\S)",
    re.MULTILINE,
)
_IN_PARENTHESES = re.compile(r"\s?\((?![^()]*\)\s?:)[^()\d][^()]{5,}\)")
_POINTS = re.compile(r"\]\(|\[\^?\d|[⁰¹²³⁴-⁹]")
_LOOSE_ENDS = re.compile(
    r"(?:[\s.,;:*_]|\(\s*(?:PMID|doi)?:?\s*\)|\[\s*(?:PMID|doi)?:?\s*\]|\b(?:PMID|doi):?)+\Z"
)


def cell_of_sources(reader: LabelReader, start: int, end: int) -> Marker | None:
    """Read a cell of names of sources, of authors with years, `Shine 2015`, or of both: `NICE CG185; Nolen 2019`.

    Of trials, too, `UKPDS 34`; None where the cell holds anything else.
    """
    words = reader.text[start:end]
    start, end = start + len(words) - len(words.lstrip()), start + len(words.rstrip())
    whole = reader.text[start:end].strip("*_")
    if _TRIAL.fullmatch(whole) or names_sources(whole):
        low_high = pieces(reader.text, start, end)
        return Marker(start, end, "named", tuple(_work(reader.text, low, high) for low, high in low_high))
    targets = _in_a_row(reader, start, end)
    return Marker(start, end, "author_year", tuple(targets)) if targets else None


def dashed_works(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find the works that a dash or an arrow leads to at the end of a line: `… — Di Forti M, Lancet Psychiatry 2019.`.

    Where identifiers stand beside the name, `— Sanders KM, JAMA 2010 (PMID 20460620)`, they say which work it is.
    """
    text = reader.text
    for found in _BEHIND_A_DASH.finditer(text, start, end):
        if _POINTS.search(found["name"]):
            continue
        at = found.start("name")
        name = found["name"].rstrip(" .*_")
        targets: list[Target] = []
        if named := atoms(name):
            bare = name
            for atom in reversed(named):
                bare = bare[: atom.start] + bare[atom.end :]
            if _is_a_work(_LOOSE_ENDS.sub("", bare)):
                targets = [
                    Target(name[a.start : a.end], a.source_id, None, at + a.start, at + a.end) for a in named
                ]
        elif not has_finite_verb(name):
            quoted = ">" in text[text.rfind("\n", 0, at) + 1 : at]
            if _is_a_work(name) or quoted and names_sources(name):
                targets = [work_target(name, at, at + len(name))]
            elif ";" in name:
                targets = _in_a_row(reader, at, at + len(name)) or []
        if targets:
            first = found.start("all") if found["all"] else at
            yield Marker(first, at + len(name), "named", tuple(targets))


def headed_works(text: str, start: int, end: int) -> Iterator[Marker]:
    """Find the work that a line begins with and tells of: `Rodriguez PJ et al., JAMA 2024;184:1056: HR 1.76`."""
    for found in _AT_THE_HEAD.finditer(text, start, end):
        name = found["name"]
        if names_a_work(name) and not atoms(name):
            at = found.start("name")
            yield Marker(at, found.end(), "named", (work_target(name, at, at + len(name)),))


def _is_a_work(name: str) -> bool:
    """Tell whether a name is that of a work by itself, not by what stands in parentheses behind a statement."""
    bare = _IN_PARENTHESES.sub(" ", name)
    return not has_finite_verb(name) and (names_a_work(bare) or is_only_a_journal(bare))


def _work(text: str, start: int, end: int) -> Target:
    return work_target(text[start:end].strip(), start, end)


def _in_a_row(reader: LabelReader, start: int, end: int) -> list[Target] | None:
    """Read `NICE CG185; Nolen 2019`; None where one of it is no source."""
    targets: list[Target] = []
    for low, high in _cut(_BETWEEN, reader.text, start, end):
        read = _one(reader, low, high)
        if read is None:
            apart = [_one(reader, *piece) for piece in _cut(_BEHIND_A_YEAR, reader.text, low, high)]
            read = None if None in apart else [target for piece in apart for target in piece or ()]
        if read is None:
            return None
        targets += read
    return targets


def _one(reader: LabelReader, start: int, end: int) -> list[Target] | None:
    """Read `UKPDS 34`, `**FDA label**`, `Smith et al. (2019)` and, among sources, `Shine 2015`."""
    written = reader.text[start:end].strip(" *_")
    at = reader.text.index(written, start)
    plain = _YEAR_APART.sub(" ", written).rstrip(")")
    if is_author_and_year(plain) and (label := label_of_authors(plain)):
        return [Target(written, None, label, at, at + len(written))]
    if journal := _JOURNAL_BEHIND.search(written):
        plain = written[: journal.start()]
        if is_author_and_year(plain) and is_only_a_journal(f"{journal['journal']} 2000"):
            label = label_of_authors(plain)
            known = label in reader.labels
            return [Target(written, None, label if known else WORK + written, at, at + len(written))]
    if work := work_beside(reader.text, at, at + len(written)):
        return [work]
    is_one = _TRIAL.fullmatch(written) or is_only_a_journal(written) or names_sources(written)
    return [work_target(written, at, at + len(written))] if is_one else None


def _cut(between: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in between.finditer(text, start, end):
        yield start, stop.start()
        start = stop.end()
    yield start, end
