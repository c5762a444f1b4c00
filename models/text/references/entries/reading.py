"""One entry of a reference list: its label, the identifiers in it, authors, year and title in whatever style."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from medassay.models.records import Reference, Span
from medassay.models.text.identifiers.reading import atoms, pmid_id
from medassay.models.text.labels.author_names import short_names
from medassay.models.text.references.entries.author_choice import first_initial, shortens_authors
from medassay.models.text.references.entries.authors import authors_and_year, other_spellings
from medassay.models.text.references.entries.evidence import domain_alone, says_more, without_named
from medassay.models.text.references.entries.rows import authors_of_row, cells_of
from medassay.models.text.references.entries.study_names import study_names
from medassay.models.text.references.entries.titles import title_of

_BROKEN_ADDRESS = re.compile(
    r"((?:https?://|\b10\.\d{4,9}/)\S*[_-]|\b10\.\d{4,9}/|https?://(?:dx\.)?doi\.org/|\bpubmed\.ncbi\.nlm\.nih\.gov/)"
    r"[ \t]*\n[ \t]*(?=[\w(])|(\b10\.\d{4,9}/)[ \t]+(?=[\w(])"
)
_LINK = re.compile(r"\[(?P<title>[^\[\]\n]{1,300})\]\((?:https?://|www\.|/)[^\s()]{1,1000}\)")
_OWN_LABEL = re.compile(r"\s*(?:\[(\d{1,3})\][.:]?\s*|(\d{1,3})[.)]\s+)(?=\S)")
_PMID_ALONE = re.compile(r"[\s*_\[]*(?:pmid\W{0,4})?(\d{4,8})[\s.,;\]*_]*", re.IGNORECASE)
_PMID = re.compile(r"(\d{5,8})")
_ONLY_NUMBERS = re.compile(r"[\s>*•·-]*\[?\d{4,8}\]?(?:[\s,;]+\[?\d{4,8}\]?)*[\s.]*")


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """An entry as it stands in a text: all of it, its label, and where what the label names begins.

    Of the row of a table, `pmid` is what stands alone in the cell for it.
    """

    start: int
    end: int
    label: str | None
    body: int
    is_row: bool = False
    pmid: str | None = None


@dataclass(frozen=True, slots=True)
class ListedReference:
    """An entry of a reference list with what author-year markers look for."""

    reference: Reference
    surnames: tuple[str, ...] = ()
    year: str | None = None
    span: Span | None = None
    short_names: tuple[str, ...] = ()
    shortened: bool = False
    """Whether authors are left out."""
    initial: str = ""
    """That of the first author."""


def read_entries(text: str, written: WrittenEntry) -> list[ListedReference]:
    """Read a piece of a list: one entry as a rule, several where it holds nothing but identifiers or links."""
    span = Span(written.start, written.end)
    body = re.sub(r"\A[\s>*•·◦▪–—#=:-]+", "", text[written.body : written.end])
    if written.label is None and (several := _several(body)):
        return [ListedReference(reference, span=span) for reference in several]
    body = _BROKEN_ADDRESS.sub(r"\1\2", body)
    reference = _identified(written.label, body)
    if reference.url is None and (domain := domain_alone(body)):
        reference = replace(reference, url=domain)
    if written.pmid:
        reference = replace(reference, pmid=reference.pmid or written.pmid)
    authored = authors_of_row(body) if written.is_row else None
    if written.is_row:
        body = max(cells_of(body), key=lambda cell: len(_words_of(cell)))
    surnames, year = authors_and_year(authored or body)
    title = None if _PMID_ALONE.fullmatch(body) else title_of(body, atoms(body))
    if title is None and reference == Reference(marker=written.label):
        return []
    names = tuple(dict.fromkeys((*other_spellings(body, surnames), *short_names(body), *study_names(body))))
    shortened, initial = shortens_authors(authored or body), first_initial(authored or body)
    return [ListedReference(replace(reference, title=title), surnames, year, span, names, shortened, initial)]


def _identified(label: str | None, body: str) -> Reference:
    """Read what identifies an entry: its identifiers, digits alone, or PubMed's digits for a label."""
    named = atoms(body)
    digits = _PMID_ALONE.fullmatch(body) or (None if named else _PMID.fullmatch(label or ""))
    return with_ids(Reference(marker=label, pmid=digits[1] if digits else None), [a.source_id for a in named])


def _words_of(cell: str) -> str:
    return without_named(cell, atoms(cell))


def _several(body: str) -> list[Reference]:
    """Read `PMID 1, PMID 2`, `1234567, 2345678` and `[Mayo Clinic](…), [NHS](…)`, which no label tells apart."""
    if _ONLY_NUMBERS.fullmatch(body):
        return [Reference(marker=n, pmid=n) for n in re.findall(r"\d{4,8}", body)]
    links = list(_LINK.finditer(body))
    if len(links) > 1 and not re.search(r"[^\W_]", _LINK.sub("", body).replace("and", "")):
        read = [(link["title"].strip(" *_"), atoms(link[0])) for link in links]
        return [
            replace(with_ids(Reference(), [a.source_id for a in ids]), title=title) for title, ids in read
        ]
    named = atoms(body)
    if len(named) < 2 or says_more(body, named):
        return []
    bare = re.findall(r"(?<![\d./])\d{5,8}(?![\d/])", without_named(body, named))
    listed = [a.source_id for a in named] + [pmid_id(n) for n in bare if named[0].scheme == "pmid"]
    return [with_ids(Reference(), [source_id]) for source_id in listed]


def entry_as_written(text: str, marker: str) -> Reference:
    """Read an entry that was given as one text: what identifies it, and all of it as the title if it says more.

    A number that it begins with is its label: of a list cut down to what is cited the third may be `[7] Smith J. …`.
    """
    if re.fullmatch(r"\d{1,8}", text):
        return Reference(marker=marker, pmid=text)
    if own := _OWN_LABEL.match(text):
        marker, text = own[1] or own[2], text[own.end() :]
    named = atoms(text)
    reference = with_ids(Reference(marker=marker), [atom.source_id for atom in named])
    return replace(reference, title=text) if not named or says_more(text, named) else reference


def with_ids(reference: Reference, source_ids: Iterable[str]) -> Reference:
    """Give a reference the identifiers that it lacks; of two of one kind the first counts."""
    for source_id in source_ids:
        scheme, _, value = source_id.partition(":")
        if scheme in ("pmid", "pmcid", "doi", "nct", "url") and getattr(reference, scheme) is None:
            reference = replace(reference, **{scheme: value})
    return reference
