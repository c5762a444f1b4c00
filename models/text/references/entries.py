"""One entry of a reference list: its label, the identifiers in it, first author, year and title."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from medassay.models.records import Reference, Span
from medassay.models.text.authors import DATED, ET_AL, INITIALS, NAME, first_author_and_year, surname_of
from medassay.models.text.identifiers.reading import Atom, atoms

_PMID_ALONE = re.compile(r"[\s*_\[]*(?:pmid\W{0,4})?(\d{4,8})[\s.,;\]*_]*", re.IGNORECASE)
_BROKEN_ADDRESS = re.compile(r"((?:https?://|\b10\.\d{4,9}/)\S*[/_-]|\b10\.\d{4,9}/)[ \t]*\n[ \t]*(?=[\w(])")
_LINK_WORDS = re.compile(r"\[([^\[\]\n]{3,300})\]\(")
_QUOTED = re.compile(r"[“\"„«]([^”\"“»\n]{8,300})[”\"“»]")
_EMPHASISED = re.compile(r"\W{0,3}(?:\*\*|__)(?P<title>[^*_\n]{8,300})(?:\*\*|__)")
_APA = re.compile(
    rf"^[^()\n]{{2,400}}\(\s?(?:{DATED}|n\.d\.)[^()\n]{{0,20}}\)[.,:]?\s+(?P<rest>\S.{{3,}})", re.DOTALL
)
_AUTHORS = re.compile(
    rf"^[\W_]*(?:{NAME}(?:\s{NAME})?,?\s{INITIALS}(?:[,;]?\s(?:(?:and|&)\s)?{NAME}"
    rf"(?:\s{NAME})?,?\s{INITIALS}){{0,40}}(?:{ET_AL})?|{NAME}{ET_AL})[.:,]?\s+"
    rf"(?:\(?{DATED}\)?[.:,]?\s+)?"
)
_SENTENCE = re.compile(r"(.{8,300}?[?!]|.{8,300}?)(?:\.(?=\s|\Z)|(?<=[?!])(?=\s|\Z))", re.DOTALL)
_NAMED = re.compile(
    r"\b(?:pmid|doi|pmcid|pmc|nct|url|link|available (?:at|from)|retrieved from|accessed"
    r"(?: on)?[^.\n]{0,25}\d{4}|https?)\b[*_]*:?",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:pubmed|pmc|doi|pdf|links?|full text|source|abstract|here|view|article|\W|\d)*", re.IGNORECASE
)
_ONLY_NUMBERS = re.compile(r"[\s>*•·-]*\[?\d{4,8}\]?(?:[\s,;]+\[?\d{4,8}\]?)*[\s.]*")
_FIRST_OF_SEVERAL = re.compile(rf"\b({NAME}){ET_AL}")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class ListedReference:
    """An entry of a reference list with its place in the text, and what author-year markers look for."""

    reference: Reference
    author: str = ""
    year: str = ""
    span: Span | None = None
    short_names: tuple[str, ...] = ()


def read_entries(text: str, span: Span, body: int, label: str | None) -> list[ListedReference]:
    """Read a piece of a list: one entry, or several where it holds nothing but identifiers without a label.

    Args:
        text: The answer.
        span: The piece, its label included.
        body: Where what the label names begins.
        label: The label, None where there is none.
    """
    said = _BROKEN_ADDRESS.sub(r"\1", text[body : span.end]).strip()
    named = atoms(said)
    if label is None and (_ONLY_NUMBERS.fullmatch(said) or (len(named) > 1 and not says_more(said, named))):
        ids = [atom.source_id for atom in named] or [f"pmid:{int(n)}" for n in re.findall(r"\d{4,8}", said)]
        return [ListedReference(with_ids(Reference(), [one]), span=span) for one in ids]
    digits = _PMID_ALONE.fullmatch(said)
    reference = Reference(
        marker=label, pmid=digits[1] if digits else None, title=None if digits else title_of(said, named)
    )
    reference = with_ids(reference, [atom.source_id for atom in named])
    if reference == Reference(marker=label):
        return []
    author, year = first_author_and_year(said)
    short = tuple(name.casefold() for name in re.findall(r"\(([A-Z]{2,8})\)", said[:150]))
    short += tuple(map(surname_of, _FIRST_OF_SEVERAL.findall(said[:_LONGEST])))
    return [ListedReference(reference, author, year, span, short)]


def title_of(body: str, named: Iterable[Atom]) -> str | None:
    """Read the title: a link's words, in quotes, in bold type, or the sentence behind the authors."""
    links = [words for words in _LINK_WORDS.findall(body) if not _BARE.fullmatch(words)]
    if quoted := _QUOTED.search(body):
        return str(quoted[1]).strip(" .,")
    if bold := _EMPHASISED.match(body):
        return str(bold["title"]).strip(" .:")
    plain = _NAMED.sub(" ", _without(body, named)).replace("*", "")
    if len(links) == 1 and len(plain.split()) < 4 + len(links[0].split()):
        return str(links[0]).strip(" *_.")
    plain = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", " ".join(plain.split())).strip(" .,;:–—-|[]()<>")
    rest = plain
    if apa := _APA.match(plain):
        rest = str(apa["rest"])
    elif authors := _AUTHORS.match(plain):
        rest = plain[authors.end() :]
    sentence = _SENTENCE.match(rest) if rest is not plain else None
    title = (str(sentence[1]) if sentence else rest).strip(" .,;:–—-|[]()")
    return title[:_LONGEST] if re.search(r"[^\W\d_]{3}", title) and not _BARE.fullmatch(title) else None


def _without(body: str, named: Iterable[Atom]) -> str:
    for atom in sorted(named, key=lambda a: -a.start):
        body = body[: atom.start] + " " + body[atom.end :]
    return body


def says_more(body: str, named: Iterable[Atom]) -> bool:
    """Tell whether an entry says more than its identifiers."""
    return (
        re.search(r"[^\W\d_]{3}", re.sub(r"(?i)\band\b|pubmed", "", _NAMED.sub("", _without(body, named))))
        is not None
    )


def with_ids(reference: Reference, source_ids: Iterable[str]) -> Reference:
    """Give a reference the identifiers that it lacks; of two of one kind the first counts."""
    for source_id in source_ids:
        scheme, _, value = source_id.partition(":")
        if scheme in ("pmid", "pmcid", "doi", "nct", "url") and getattr(reference, scheme) is None:
            reference = replace(reference, **{scheme: value})
    return reference
