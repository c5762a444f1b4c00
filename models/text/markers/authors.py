"""Author-year citations in brackets: `(Smith et al., 2020; Lee 2019)`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from medassay.models.text.labels.author_names import ET_AL, NAME, PARTICLES, first_author, joins_beyond_doubt
from medassay.models.text.labels.author_patterns import (
    AUTHOR_YEAR,
    EMPHASIS,
    GRADE,
    NOT_AUTHORS,
    looser_readings,
    without_initials,
)
from medassay.models.text.labels.forms import WORK
from medassay.models.text.labels.places import NOT_SURNAMES
from medassay.models.text.labels.surnames import author_label
from medassay.models.text.markers.authors_of_text import tells_when
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.work_labels import (
    behind_its_name,
    dated_by_month,
    for_a_body,
    work_label,
    years_of,
)
from medassay.models.text.references.works import is_a_body, is_only_a_journal, names_a_work

# In "2005;352:1293-304" a semicolon parts the year from the volume.
# "Smith 2020, Jones 2021", "Smith et al., 2020a and Jones & Roe, 2021", "NICE CG124, Smith et al., 2020"
_BEHIND_A_SOURCE = (
    r"(?:(?<=(?:19|20)\d\d)|(?<=(?:19|20)\d\d[a-h])|(?<=\d[a-h],[a-h])"
    r"|(?<=[CN]G\d)|(?<=[CN]G\d\d)|(?<=[CN]G\d\d\d)|(?<=TA\d\d\d))"
)
_NEXT_AUTHORS = (
    rf"{_BEHIND_A_SOURCE}(?:,\s|,?\s(?:and|und|et|&)\s)(?={PARTICLES}{NAME}(?:\s[A-Z]{{1,3}}\b)?"
    rf"(?:,?\s{ET_AL}|,?\s(?:and|&|und)\s{PARTICLES}{NAME})?,?\s\(?(?:19|20)\d\d[a-h]?"
    r"(?:\s?[;,)\]]|,?\s(?:and|und|et|&)\s|\s?\Z))"
)
NEXT_AUTHORS = re.compile(_NEXT_AUTHORS)
"""What parts an author with a year, or a work, from the next author with a year."""
_SEPARATOR = re.compile(
    rf"{_NEXT_AUTHORS}|"
    r";(?!(?<=\d;)\s?\d{1,4}(?:\s?\([^()\n]{1,15}\)(?=\s?[:;,.)\]])|(?=\s?:))"
    r"(?:\s?:\s?[A-Za-z]{0,2}\d[\w.–-]*)?\s?(?:[;,)\]]|\Z))|,\s(?=as cited in\s)"
    r"|(?<=(?:19|20)\d\d),\s(?=[A-Z]{2,8}(?:/[A-Z]{2,8}){0,3}\s(?:19|20)\d\d(?:[,;)\]]|\Z))"
    # "Sankar et al., 2015: OR 0.12": what it found
    r"|(?<=(?:19|20)\d\d):\s(?=[A-Z<>≥≤(]|[a-z]{2})"
    # "SSC 2021, weak, low quality", "AHA 2017, Class I, LOE A": how strongly it is recommended.
    rf"|(?<=(?:19|20)\d\d),\s(?={GRADE})"
    # "Avenell 2014, 53 trials", "Tardif 2019, n=4745": what was studied stays in the sentence.
    r"|(?<=(?:19|20)\d\d),\s(?=[nNk]\s?=\s?\d|\d[\d\s,]*(?:trials|studies|RCTs|patients|participants|women|men|adults|children)\b)"
)
# "Venekamp 2015 (Cochrane)", "Wood 2020 (SAMSON)": what it is called besides.
_STUDIES = r"[knN]\s?=\s?\d[\d,]*|\d[\d,]*\s(?:RCTs|trials|studies|cohorts)"
_OF_A_KIND = r"Cochrane(?:\s[Rr]eview)?|meta-analysis|systematic review|RCT|review"
_CALLED = r"(?=[\w-]*[A-Z][\w-]*[A-Z])[A-Z][A-Za-z\d-]{2,15}(?:,\s[a-z][a-z -]{2,30})?"
_ALSO_CALLED = re.compile(
    rf"(?<=\d)\s(?:\(|[–—-]\s)(?:(?P<kind>{_OF_A_KIND})|{_CALLED}|{_STUDIES})(?:,\s(?:{_STUDIES}))?\)?\s*\Z"
)
_GRADED = re.compile(rf",\s{GRADE}")
_SAYS_ET_AL = re.compile(ET_AL)
_BARE_YEAR = re.compile(r"(?:19|20)\d\d[a-h]?")
_FEW_NAMES = re.compile(rf"{PARTICLES}[^\W\d_][\w'’-]*[a-zß-öø-ÿ][\w'’-]*(?:\s{NAME})?")
_OPENED = re.compile(r"(?<!\d{5})(?<!\d{5}\s)[\[{][^\[\]{}()\n]*\Z")
_APPROVES = re.compile(r"(?:FDA|EMA|MHRA|BfArM|PMDA|Health Canada)")
_LONGEST_BRACKET = 200
_ENDS_HERE = re.compile(r"[*_]{0,2}\s*(?:[.,;:!?)\]\[]|\Z|\n)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """What stands between two semicolons; `targets` is None where it cites nobody."""

    start: int
    end: int
    targets: tuple[Target, ...] | None


def cited_authors(reader: LabelReader, start: int, end: int) -> list[Target] | None:
    """Read `Smith et al., 2020; Lee 2019` as targets; None where a piece of it is something else."""
    pieces = _pieces(reader, start, end)
    if any(piece.targets is None for piece in pieces):
        return None
    return [target for piece in pieces for target in piece.targets or ()]


def author_citations(reader: LabelReader, first: int, start: int, end: int, last: int) -> list[Marker]:
    """Read the inside of a bracket text[first:last]; of `HR 1.38; McNeil et al., 2018` the latter piece alone."""
    pieces = _pieces(reader, start, end)
    if all(piece.targets is not None for piece in pieces):
        return [Marker(first, last, "author_year", _joined(pieces))]
    found: list[Marker] = []
    run: list[_Piece] = []
    for piece in [*pieces, _Piece(end, end, None)]:
        if piece.targets is not None:
            run.append(piece)
        elif run:
            opens = run[0].start == start
            until = piece.start if opens else run[-1].end
            until += opens and reader.text[until : until + 1] == " "
            found.append(Marker(run[0].start - (not opens), until, "author_year", _joined(run)))
            run = []
    return found


def _joined(pieces: Sequence[_Piece]) -> tuple[Target, ...]:
    return tuple(target for piece in pieces for target in piece.targets or ())


def _pieces(reader: LabelReader, start: int, end: int) -> list[_Piece]:
    text = reader.text
    stops = [(s.start(), s.end()) for s in _SEPARATOR.finditer(text, start, end)]
    bounds = zip([start, *(behind for _, behind in stops)], [*(at for at, _ in stops), end], strict=True)
    pieces: list[_Piece] = []
    for low, high in bounds:
        targets = cited_piece(reader, low, high, end)
        if targets is None and pieces and pieces[-1].targets:
            targets = _of_the_same(reader, pieces[-1].targets[-1], low, high)
        pieces.append(_Piece(low, high, targets))
    return pieces


def _of_the_same(reader: LabelReader, last: Target, start: int, end: int) -> tuple[Target, ...] | None:
    """Read the latter piece of `Smith et al., 2020a; 2020b`, of which a list may leave out the letters."""
    year = reader.text[start:end].strip()
    if not _BARE_YEAR.fullmatch(year) or (last.label or WORK).startswith(WORK):
        return None
    label = f"{(last.label or '').rpartition(' ')[0]} {year}"
    if label not in reader.labels and label.rstrip("abcdefgh") in reader.labels:
        label = label.rstrip("abcdefgh")
    return (Target(f"{last.written}; {year}", None, label, start, end),)


def cited_piece(reader: LabelReader, start: int, end: int, close: int) -> tuple[Target, ...] | None:
    """Read one piece: an author and the years cited of them; None unless it is certain that it cites."""
    written = reader.text[start:end].strip()
    said = EMPHASIS.sub("", reader.text[start:end])
    called = _ALSO_CALLED.search(said)
    plain = said[: called.start()] if called else said
    of_a_study = behind_its_name(plain, reader.labels)
    match = (
        AUTHOR_YEAR.fullmatch(plain)
        or AUTHOR_YEAR.fullmatch(without_initials(plain))
        or _if_listed(plain, reader.labels)
        or of_a_study
        or for_a_body(plain)
        or dated_by_month(plain)
    )
    journal = None if match else _in_square_brackets(reader.text, plain, start, close)
    match = match or journal
    if match is None:
        return _listed(reader, written, start, end)
    names = first_author(match["names"])
    targets: list[Target] = []
    for year in years_of(match):
        label = work_label(match["names"], year, reader.labels)
        if label not in reader.labels and label.rstrip("abcdefgh") in reader.labels:
            label = label.rstrip("abcdefgh")
        known = label in reader.labels
        spelled_out = None if known else reader.named_authors.spelled_out.get(label)
        sure = (
            known
            or spelled_out is not None
            or joins_beyond_doubt(match["more"])
            or ((match is of_a_study or _says_what_it_is(reader.text, called, end)) and _is_a_surname(names))
            or (
                (match["comma"] or _is_clear(reader, names, start, close))
                and len(names) > 1
                and _cites(reader, names, start, close)
            )
        )
        if (NOT_AUTHORS.match(names) and not known) or not sure:
            return None
        # Where no list has it, a journal beside the year still says which paper is meant.
        unlisted = not known and (journal is not None or names_a_work(written) or is_only_a_journal(written))
        work = spelled_out or (EMPHASIS.sub("", written) if unlisted else None)
        targets.append(Target(written, None, WORK + work if work else label, start, end))
    return tuple(targets)


def _is_a_surname(names: str) -> bool:
    return _FEW_NAMES.fullmatch(names) is not None and names not in NOT_SURNAMES


def _says_what_it_is(text: str, called: re.Match[str] | None, end: int) -> bool:
    """Tell whether a kind of study, `(Roberge 2017 – meta-analysis)`, or a grade of advice stands beside the year."""
    return called is not None and called["kind"] is not None or _GRADED.match(text, end) is not None


def _is_clear(reader: LabelReader, names: str, start: int, close: int) -> bool:
    """Tell whether a name and a year cite without a comma: in square brackets, a body's, one of several surnames."""
    if _fills_a_bracket(reader.text, names, start, close) or _is_guidance(names):
        return True
    if is_a_body(names):
        return _in_a_square_bracket(reader.text, start, close)
    opened = reader.text.rfind("(", max(0, start - _LONGEST_BRACKET), start)
    if not _is_a_surname(names) or tells_when(reader.text, max(opened, 0)):
        return False
    alone = reader.text.find(";", opened, close) < 0
    unsaid = alone and not _ENDS_HERE.match(reader.text, close + 1)  # "held (Boston 2013) again"
    return reader.cites_by_surname or reader.named_authors.go_without_comma and not unsaid


def _in_a_square_bracket(text: str, start: int, close: int) -> bool:
    opened = _OPENED.search(text, max(0, start - _LONGEST_BRACKET), start)
    return opened is not None and text[close : close + 1] in ("]", "}")


def _fills_a_bracket(text: str, names: str, start: int, close: int) -> bool:
    """Tell whether a piece of a square bracket is a surname, as in `[McGoldrick 2020; van der Berg 2019]`.

    A body's initials do not say which paper is meant, and a number before the bracket already has.
    """
    return _in_a_square_bracket(text, start, close) and _FEW_NAMES.fullmatch(names) is not None


def _is_guidance(names: str) -> bool:
    """Tell whether names are those of a body whose year is that of its guidance, and not of an approval."""
    return is_a_body(names) and not _APPROVES.fullmatch(names)


def _listed(reader: LabelReader, written: str, start: int, end: int) -> tuple[Target, ...] | None:
    """Read `4S, 1994`, whose name looks like none, where a list has it."""
    name, _, year = written.rpartition(" ")
    label = author_label(name.rstrip(" ,"), year)
    known = _BARE_YEAR.fullmatch(year) and label in reader.labels
    return (Target(written, None, label, start, end),) if known else None


def _if_listed(plain: str, labels: Collection[str]) -> re.Match[str] | None:
    """Read `Smith, Lancet 2020` as `Smith, 2020` where the list has it, or where more authors are spoken of."""
    for found in looser_readings(plain):
        if (
            _SAYS_ET_AL.search(found["more"] or "")
            or work_label(found["names"], found["year"], labels) in labels
        ):
            return found
    return None


def _in_square_brackets(text: str, plain: str, start: int, close: int) -> re.Match[str] | None:
    """Read `[Weaver 2002 NEJM]`, a surname, a year and a journal that fill a piece of a square bracket."""
    for found in looser_readings(plain):
        if _fills_a_bracket(text, first_author(found["names"]), start, close):
            return found
    return None


def _cites(reader: LabelReader, names: str, start: int, close: int) -> bool:
    """Tell whether `(Boston, 2019)` may name an author: not where numbers cite, nor alone amid a sentence."""
    if reader.authors_cited or reader.cites_by_surname:
        return True
    if reader.numbered:
        return False
    opened = reader.text.rfind("(", max(0, start - _LONGEST_BRACKET), start)
    if _is_guidance(names) and not tells_when(reader.text, max(opened, 0)):
        return True
    square = _in_a_square_bracket(reader.text, start, close)
    named = is_a_body(names) or (" " not in names and _is_a_surname(names))
    return (square and named) or _ENDS_HERE.match(reader.text, close + 1) is not None
