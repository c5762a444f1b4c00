"""Reference lists that are tables: a row an entry, its PubMed id alone in a cell."""

import re
from collections.abc import Collection, Sequence

from medassay.models.text.labels.surnames import surname_of
from medassay.models.text.references.entries.authors import authors_and_year, is_only_authors
from medassay.models.text.references.entries.lines import Line, is_rule

_CELL = re.compile(r"(?<!\\)\|")
_OF_PUBMED = re.compile(r"(?:pmids?|pub\s?med(?:\s?ids?)?)", re.IGNORECASE)
_PMID = re.compile(r"\d{4,8}")
_LONG_PMID = re.compile(r"\d{7,8}")
_YEAR = re.compile(r"\(?(?:19|20)\d\d[a-h]?\)?")
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’-]+")
_SURNAMES = re.compile(rf"{_NAME.pattern}(?:\s(?:and|&)\s{_NAME.pattern})?")
_FAR_ABOVE = 20_000
_WIDEST = 60
_LABEL = re.compile(r"\|[\s*_]*[\[(]?\^?(?P<label>\w{1,10})[\])]?[.:]?[\s*_]*\|")
_NUMBERS = r"(?:#|nos?\.?|nr\.?|numbers?|refs?\.?|references?|citations?|sources?|ids?|labels?|keys?)?"
_HEAD_OF_LABELS = re.compile(rf"{_NUMBERS}(?:\s(?:#|no\.?|number|id))?", re.IGNORECASE)
_HEAD_OF_WORKS = re.compile(
    r"(?:(?:full\s)?(?:refs?|references?|citations?|sources?|titles?|authors?|(?:first|lead)\sauthor|journals?|years?|dates?"
    r"|pmids?|pmcids?|dois?|urls?|links?|pub\s?med(?:\s?ids?)?|identifiers?|publications?|articles?|papers?|types?"
    r"|stud(?:y|ies)|trials?|publishers?)(?:\s?[/,&]\s?|\sand\s|\s)?){1,3}",
    re.IGNORECASE,
)


def cells_of(raw: str) -> list[str]:
    """Cut a row `| 1 | Adams A. A trial. | 31234567 |` into its cells, without emphasis."""
    inside = raw.strip().removeprefix("|").removesuffix("|")
    return [cell.strip(" \t*_") for cell in _CELL.split(inside)]


def pubmed_column(head: str) -> int | None:
    """Return the number of the column that a table's head calls *PMID*; None if it calls none so."""
    return next((at for at, cell in enumerate(cells_of(head)) if _OF_PUBMED.fullmatch(cell)), None)


def pmid_of(raw: str, column: int | None) -> str | None:
    """Return the PubMed id that stands alone in a cell: in the column called so, else one of seven or eight digits."""
    cells = cells_of(raw)
    if column is not None:
        found = _PMID.fullmatch(cells[column]) if column < len(cells) else None
        return found[0] if found else None
    return next((found[0] for found in map(_LONG_PMID.fullmatch, cells) if found), None)


def row_label(raw: str, cited: Collection[str]) -> re.Match[str] | None:
    """Read the label in the first cell of a row: a number, or what is cited."""
    found = _LABEL.match(raw)
    return found if found and (found["label"].isdecimal() or found["label"].casefold() in cited) else None


def heads_a_table(text: str, lines: Sequence[Line], at: int, cited: Collection[str]) -> bool:
    """Tell whether lines[at] is the head of a table of cited works: `| # | Reference | PMID |`."""
    rows = [text[line.start : line.end] for line in lines[at : at + 3]]
    if len(rows) < 3 or not rows[0].startswith("|") or not (is_rule(rows[1]) and "|" in rows[1]):
        return False
    heads = cells_of(rows[0])
    if len(heads) < 2 or not all(_HEAD_OF_WORKS.fullmatch(head) for head in heads[1:]):
        return False
    if not _HEAD_OF_LABELS.fullmatch(heads[0]):
        return _HEAD_OF_WORKS.fullmatch(heads[0]) is not None and _is_spoken_of(
            rows[2], text, lines[at].start
        )
    label = row_label(rows[2], cited)
    return label is not None and label["label"].casefold() in cited


def authors_of_row(raw: str) -> str | None:
    """Return `Smith J, et al. (2020).` where a row has the authors alone in one cell and the year in another."""
    cells = cells_of(raw)
    year = next((cell for cell in cells if _YEAR.fullmatch(cell)), None)
    names = next((cell for cell in cells if is_only_authors(cell) or _SURNAMES.fullmatch(cell)), None)
    return f"{names.rstrip('. ')} ({year.strip('()')})." if names and year else None


def _is_spoken_of(row: str, text: str, start: int) -> bool:
    """Tell whether the text above a table cites the authors and the year of its row."""
    surnames, year = authors_and_year(authors_of_row(row) or "")
    if not surnames or year is None:
        return False
    above = text[max(0, start - _FAR_ABOVE) : start]
    return any(
        surname_of(found[0]) == surnames[0] and year in above[found.end() : found.end() + _WIDEST]
        for found in _NAME.finditer(above)
    )
