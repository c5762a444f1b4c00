"""Entries as reference managers export them, a tag a line: RIS (`TY  - JOUR` … `ER  -`) and PubMed's `PMID- 123`."""

import re

from medassay.models.records import Reference, Span
from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.surnames import surname_of
from medassay.models.text.references.entries.author_choice import first_initial
from medassay.models.text.references.entries.reading import ListedReference, with_ids

_OPENS = re.compile(r"[ \t]*(?:TY {1,2}- ?[A-Z]{3,8}[ \t]*$|PMID ?- ?\d{1,8}[ \t]*$)", re.MULTILINE)
_LINE = re.compile(
    r"[ \t]*(?P<tag>[A-Z][A-Z\d]{1,3}) {0,2}-(?: (?P<value>[^\n]*)|(?=[ \t]*(?:\n|\Z)))\r?(?:\n|\Z)"
)
_GOES_ON = re.compile(r"[ \t]{2,}(?P<value>\S[^\n]*)(?:\n|\Z)")
_TITLES = ("TI", "T1", "CT", "BT")
_DATES = ("PY", "Y1", "DP", "DA", "YR")
_AUTHORS = ("AU", "A1", "FAU", "CN")
_NAMED = ("DO", "DI", "LID", "AID", "UR", "L2", "LK", "N1", "C2")
_FEWEST_TAGS = 2
_MOST_LINES = 400


def ris_entry(text: str, start: int) -> ListedReference | None:
    """Read the entry that begins at text[start]; it ends at `ER  -`, or where the lines with tags do.

    Returns:
        The entry with its span; None where none begins.
    """
    if not _OPENS.match(text, start):
        return None
    fields: dict[str, list[str]] = {}
    at, tag = start, ""
    for _ in range(_MOST_LINES):
        line = _LINE.match(text, at)
        if line and (line["tag"] not in ("TY", "PMID") or not fields):
            tag = line["tag"]
            fields.setdefault(tag, []).append((line["value"] or "").strip())
            at = line.end()
        elif tag and (more := _GOES_ON.match(text, at)):
            fields[tag][-1] += " " + more["value"].strip()
            at = more.end()
        else:
            break
        if tag == "ER":
            break
    if len(fields) < _FEWEST_TAGS:
        return None
    return _entry(fields, Span(start, start + len(text[start:at].rstrip())))


def _entry(fields: dict[str, list[str]], span: Span) -> ListedReference | None:
    def first(tags: tuple[str, ...]) -> str:
        return next((fields[tag][0] for tag in tags if tag in fields), "")

    pmid = first(("PMID",)) or (first(("AN",)) if re.fullmatch(r"\d{7,8}", first(("AN",))) else "")
    named = [f"PMID: {pmid}"] if pmid else []
    named += [value for tag in ("PMC", "PMCID") for value in fields.get(tag, ())]
    named += [value for tag in _NAMED for value in fields.get(tag, ())]
    source_ids = [atom.source_id for one in named for atom in atoms(one)]
    title = first(_TITLES).rstrip(". ")
    if not source_ids and not title:
        return None
    year = re.search(r"(?:19|20)\d\d", first(_DATES))
    author = first(_AUTHORS)
    surname = author.split(",")[0] if "," in author else re.sub(r"\s[A-Z]{1,3}\Z", "", author)
    reference = Reference(marker=first(("ID", "LB")) or None, title=title or None)
    return ListedReference(
        with_ids(reference, source_ids),
        (surname_of(surname),) if surname else (),
        year[0] if year else None,
        span,
        initial=first_initial(author),
    )
