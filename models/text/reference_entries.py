"""One entry of a reference list: its label, the identifiers in it, authors, year and title in whatever style."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from models.records import Reference, Span
from models.text.authors import short_names
from models.text.identifiers import Atom, atoms, pmid_id
from models.text.marks import NOTE_SYMBOL, surname_of

LABEL = re.compile(
    r"[\s>*_-]*(?:\[\^?@?(?P<square>[\w.:-]{1,40})\](?!\()[:.]?"
    r"|\\bibitem(?:\[[^\]\n]{0,80}\])?\{(?P<bib>[^{}\s]{1,60})\}|(?P<plain>\d{1,3})[.)](?=\s)|\("
    r"(?P<round>\d{1,3})\)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|<sup>(?P<sup>\d{1,3})</sup>|\^"
    rf"(?P<caret>\d{{1,3}})\^?|(?P<symbol>{NOTE_SYMBOL})(?=\s*\w)"
    r"|(?P<bare>\d{1,3})(?=\s+[A-Z]))\s*"
)
YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d[a-h]?)(?![\d/-])")
BIBLIOGRAPHIC = re.compile(
    r"(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}\b[^.;]{0,10})?;\s?\d+|\bet al\b"
    r"|\b\d{1,4}\(\d{1,4}\)\s?[:,]\s?\w?\d|\((?:19|20)\d\d[a-h]?\)\.|\bJournal\b|\bLancet\b"
    r"|\bN Engl J\b"
)
SURNAME = re.compile(r"([A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]+)?),?\s(?:[A-Z]{1,3}\b|[A-Z]\.)")


@dataclass(frozen=True, slots=True)
class ListedReference:
    """An entry of a reference list with what author-year markers look for."""

    reference: Reference
    surnames: tuple[str, ...] = ()
    year: str | None = None
    span: Span | None = None
    short_names: tuple[str, ...] = ()


def read_entries(text: str, chunk: Span) -> list[ListedReference]:
    """Read a piece of a list: one entry as a rule, several where it holds nothing but identifiers."""
    raw = text[chunk.start : chunk.end]
    label = LABEL.match(raw)
    if label is None and re.fullmatch(r"[\s>*•·-]*\[?\d{4,8}\]?(?:[\s,;]+\[?\d{4,8}\]?)*[\s.]*", raw):
        return [ListedReference(Reference(marker=n, pmid=n), span=chunk) for n in re.findall(r"\d{4,8}", raw)]
    marker = next((g for g in label.groups() if g), None) if label else None
    body = raw[label.end() :] if label else re.sub(r"\A[\s>*•·–-]+", "", raw)
    named = atoms(body)
    if marker is None and len(named) > 1 and not _says_more(body, named):
        extra = (
            re.findall(r"(?<![\d./])\d{5,8}(?![\d/])", without_named(body, named))
            if named[0].scheme == "pmid"
            else []
        )
        listed = [a.source_id for a in named] + [pmid_id(n) for n in extra]
        return [ListedReference(_with_ids(Reference(), [source_id]), span=chunk) for source_id in listed]
    digits = re.fullmatch(r"\s*(?:pmid:?\s*)?(\d{4,8})[\s.]*", body, re.IGNORECASE)
    reference = _with_ids(
        Reference(marker=marker, pmid=digits[1] if digits else None), [a.source_id for a in named]
    )
    surnames, year = authors_and_year(body)
    title = _title(body, named)
    if not reference.pmid and not named and not title:
        return []
    return [ListedReference(replace(reference, title=title), surnames, year, chunk, short_names(body))]


def entry_as_written(text: str, marker: str) -> Reference:
    """Read an entry that was given as one text: what identifies it, and all of it as the title if it says more."""
    if re.fullmatch(r"\d{1,8}", text):
        return Reference(marker=marker, pmid=text)
    named = atoms(text)
    reference = _with_ids(Reference(marker=marker), [atom.source_id for atom in named])
    return replace(reference, title=text) if not named or _says_more(text, named) else reference


def _says_more(body: str, named: Sequence[Atom]) -> bool:
    """Tell whether words stand beside the identifiers."""
    return bool(
        re.sub(r"(?:pmids?|doi|pmcid|and|[\s,;:.()*])+", "", without_named(body, named), flags=re.IGNORECASE)
    )


def without_named(body: str, named: Sequence[Atom]) -> str:
    """Return the words beside the identifiers."""
    for atom in reversed(named):
        body = body[: atom.start] + " " + body[atom.end :]
    return body


def _with_ids(reference: Reference, source_ids: Iterable[str]) -> Reference:
    for source_id in source_ids:
        scheme, _, value = source_id.partition(":")
        if scheme in ("pmid", "pmcid", "doi", "nct", "url") and getattr(reference, scheme) is None:
            reference = replace(reference, **{scheme: value})
    return reference


def authors_and_year(body: str) -> tuple[tuple[str, ...], str | None]:
    """Read the authors' surnames and the year, wherever the style puts them."""
    year = YEAR.search(re.sub(r"10\.\d{4,9}/\S+|https?://\S+", " ", body))
    lead = (
        body[: body.find("(", 0, 400)]
        if re.search(r"\((?:19|20)\d\d", body[:400])
        else body[:300].split(". ", 1)[0]
    )
    surnames = [surname_of(name) for name in SURNAME.findall(lead)]
    if not surnames and (
        first := re.match(
            r"\W*([A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-Z][\w'’-]+){0,5}?)(?=\s(?:and|&|et)\b|,|\.|\s\()", lead + "."
        )
    ):
        surnames = [surname_of(first[1])]
    return tuple(surnames), year["year"] if year else None


def _title(body: str, named: Sequence[Atom]) -> str | None:
    """Read the title: quoted, a link's words, behind APA's (2020)., or Vancouver's second sentence."""
    if link := re.search(r"\[([^\]\n]{3,300})\]\(", body):
        return link[1].strip(" *_")
    if quoted := re.search(r"[“\"„]([^”\"“\n]{8,300})[”\"“]", body):
        return quoted[1].strip(" .,")
    prose = re.sub(
        r"\s+",
        " ",
        re.sub(
            r"\b(?:pmid|doi|pmcid|available (?:at|from)|retrieved from|url)\b:?",
            " ",
            without_named(body, named),
            flags=re.IGNORECASE,
        ),
    )
    prose = re.sub(r"[*_]{1,2}|[<>]", "", prose).strip(" .,;:-–—()[]")
    if apa := re.search(r"\((?:19|20)\d\d[^)]{0,20}\)[.,:]?\s+([^.?]{4,400}[.?]?)", prose):
        return apa[1].strip(" .")
    parts = [
        part.strip(" .")
        for part in re.split(
            r"(?<=[^.\s][^.\sA-Z])[.?](?:\s|$)|(?<=\b[A-Z]{2})\.\s|(?<=\b[A-Z])\.\s(?=[A-Z][a-z]+\s[a-z])",
            prose,
        )
        if part.strip(" .")
    ]
    if not parts:
        return None
    if len(parts) > 1 and (SURNAME.match(parts[0]) or re.search(r"\bet al\Z", parts[0])):
        return parts[1]
    return parts[0]
