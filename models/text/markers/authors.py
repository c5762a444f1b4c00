"""Author-year citations in brackets: `(Smith et al., 2020; Lee 2019)`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from models.text.labels.author_names import ET_AL, NAME, PARTICLES, first_author, joins_beyond_doubt
from models.text.labels.author_patterns import (
    AUTHOR_YEAR,
    EMPHASIS,
    NOT_AUTHORS,
    looser_readings,
    without_initials,
)
from models.text.labels.forms import WORK
from models.text.labels.places import NOT_SURNAMES
from models.text.labels.surnames import author_label
from models.text.markers.authors_of_text import tells_when
from models.text.markers.label_reader import LabelReader
from models.text.markers.marks import Marker, Target
from models.text.references.works import is_a_body, names_a_work

# In "2005;352:1293-304" a semicolon parts the year from the volume.
_SEPARATOR = re.compile(
    r";(?!(?<=\d;)\s?\d{1,4}(?:\s?\([^()\n]{1,15}\)(?=\s?[:;,.)\]])|(?=\s?:))"
    r"(?:\s?:\s?[A-Za-z]{0,2}\d[\w.–-]*)?\s?(?:[;,)\]]|\Z))|,\s(?=as cited in\s)"
    r"|(?<=(?:19|20)\d\d),\s(?=[A-Z]{2,8}(?:/[A-Z]{2,8}){0,3}\s(?:19|20)\d\d(?:[,;)\]]|\Z))"
    # "Sankar et al., 2015: OR 0.12": what it found
    r"|(?<=(?:19|20)\d\d):\s(?=[A-Z<>≥≤(]|[a-z]{2})"
    # "SSC 2021, weak, low quality": how strongly it is recommended.
    r"|(?<=(?:19|20)\d\d),\s(?=(?:strong|weak|conditional|very low|low|moderate|high|best practice|grade|class)\b)"
    # "Avenell 2014, 53 trials", "Tardif 2019, n=4745": what was studied stays in the sentence.
    r"|(?<=(?:19|20)\d\d),\s(?=[nNk]\s?=\s?\d|\d[\d\s,]*(?:trials|studies|RCTs|patients|participants|women|men|adults|children)\b)"
)
YEARS = r"(?P<year>(?:19|20)\d\d[a-h]?)(?P<years>(?:[,;]\s?(?:(?:19|20)\d\d[a-h]?|[a-h]))*)"
# "Venekamp 2015 (Cochrane)", "Wood 2020 (SAMSON)": what it is called besides.
_ALSO_CALLED = re.compile(
    r"(?<=\d)\s(?:\(|[–—-]\s)"
    r"(?:Cochrane(?:\s[Rr]eview)?|[A-Z][A-Z\d-]{2,15}|meta-analysis|systematic review|RCT|review"
    r"|[nN]\s?=\s?\d[\d,]*)\)?\s*\Z"
)
_SAYS_ET_AL = re.compile(ET_AL)
_BARE_YEAR = re.compile(r"(?:19|20)\d\d[a-h]?")
_FEW_NAMES = re.compile(rf"{PARTICLES}[^\W\d_][\w'’-]*[a-zß-öø-ÿ][\w'’-]*(?:\s{NAME})?")
_OPENED = re.compile(r"(?<!\d{5})(?<!\d{5}\s)[\[{][^\[\]{}()\n]*\Z")
_APPROVES = re.compile(r"(?:FDA|EMA|MHRA|BfArM|PMDA|Health Canada)")
_WHOSE = re.compile(r"\s*(?P<what>[^,;:.\n]{3,60})(?:,|\sby)\s(?P<whose>[^,;\n]{4,80})")
_A_WORK = re.compile(
    r"\b(?:position (?:stand|paper|statement)|statement|guidelines?|consensus|reviews?|trials?|stud(?:y|ies)"
    r"|meta-analys[ei]s|report|cohort|RCTs?)\s*\Z"
)
_NAME_OF_A_STUDY = re.compile(r"[A-Z][A-Z\d]{2,}(?:-[A-Z\d]{1,8}){0,2}")
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
    plain = _ALSO_CALLED.sub("", EMPHASIS.sub("", reader.text[start:end]))
    match = (
        AUTHOR_YEAR.fullmatch(plain)
        or AUTHOR_YEAR.fullmatch(without_initials(plain))
        or _if_listed(plain, reader.labels)
        or _behind_its_name(plain, reader.labels)
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
            or (
                (match["comma"] or _is_clear(reader, names, start, close))
                and len(names) > 2
                and _cites(reader, close)
            )
        )
        if (NOT_AUTHORS.match(names) and not known) or not sure:
            return None
        # Where no list has it, a journal beside the year still says which paper is meant.
        unlisted = not known and (journal is not None or names_a_work(written))
        work = spelled_out or (written if unlisted else None)
        targets.append(Target(written, None, WORK + work if work else label, start, end))
    return tuple(targets)


def _is_clear(reader: LabelReader, names: str, start: int, close: int) -> bool:
    """Tell whether a name and a year cite without a comma: in square brackets, a body's, one of several surnames."""
    if _fills_a_bracket(reader.text, names, start, close) or _is_guidance(names):
        return True
    if is_a_body(names):
        return _in_a_square_bracket(reader.text, start, close)
    opened = reader.text.rfind("(", max(0, start - _LONGEST_BRACKET), start)
    if names in NOT_SURNAMES or not _FEW_NAMES.fullmatch(names) or tells_when(reader.text, max(opened, 0)):
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


def _behind_its_name(plain: str, labels: Collection[str]) -> re.Match[str] | None:
    """Read `ISSN position stand, Kreider 2017`, what a work is and whose, where a list has it or it says `et al.`.

    Of `NEAD, Meador 2013`, a trial by its name alone, the brackets around have to vouch for the rest.
    """
    behind = _WHOSE.fullmatch(plain)
    if behind is None:
        return None
    found = AUTHOR_YEAR.fullmatch(behind["whose"])
    if found is None or not (_A_WORK.search(behind["what"]) or _NAME_OF_A_STUDY.fullmatch(behind["what"])):
        return None
    alone = _NAME_OF_A_STUDY.fullmatch(behind["what"]) is not None and not is_a_body(behind["what"])
    known = work_label(found["names"], found["year"], labels) in labels
    return found if known or alone or joins_beyond_doubt(found["more"]) else None


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


def work_label(names: str, year: str, labels: Collection[str]) -> str:
    """Name a work by its first author; by all of `Souza e Silva`, or by `Silva`, where the list has that alone."""
    first = author_label(first_author(names), year)
    last = names.rpartition(" e " if " e " in names else " y ")[2]
    others = (author_label(names, year), first, author_label(first_author(last), year))
    return next((label for label in others if label in labels), None) or _begun(first, labels) or first


def _begun(cited: str, labels: Collection[str]) -> str | None:
    """Find the one label that a shorter name begins: `esc 2021` is `esc guidelines 2021` where no other may be."""
    name, _, year = cited.rpartition(" ")
    longer = [
        label for label in labels if label.endswith(f" {year}") and label.startswith((f"{name} ", f"{name}/"))
    ]
    return longer[0] if len(longer) == 1 else None


def _cites(reader: LabelReader, close: int) -> bool:
    """Tell whether `(Boston, 2019)` may name an author: not in a text that cites by numbers, nor amid a sentence."""
    if reader.authors_cited:
        return True
    return not reader.numbered and _ENDS_HERE.match(reader.text, close + 1) is not None


def years_of(match: re.Match[str]) -> list[str]:
    """List the years of `2019, 2021` and `2020a, b`; a letter alone goes with the year before it."""
    years = [match["year"]]
    for year in re.findall(r"(?:(?:19|20)\d\d)?[a-h]?(?=[,;]|$)", match["years"].lstrip(",; ")):
        if year := year.strip():
            years.append(year if len(year) > 1 else years[-1][:4] + year)
    return years
