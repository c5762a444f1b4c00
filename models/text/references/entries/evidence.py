"""Whether a line under a heading such as *Sources* names a publication, or states something after all."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from medassay.models.text.identifiers.reading import Atom, atoms
from medassay.models.text.labels.files import files_in
from medassay.models.text.language.kinds import non_claim_reason
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.references.entries.authors import begins_with_authors
from medassay.models.text.references.entries.titles import segments
from medassay.models.text.references.entries.years import YEAR

BIBLIOGRAPHIC = re.compile(
    r"(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}\b[^.;]{0,10})?;\s?(?:\d+|\(\d{1,3}\):)|\bet al\b"
    r"|\b\d{1,4}\(\d{1,4}\)\s?[:,]\s?\w?\d|\((?:19|20)\d\d[a-h]?(?:, [A-Z][a-z]+(?: \d{1,2})?)?\)\."
    r"|\bCochrane\b[^\n]{0,40}\bCD\d{6}\b|\bJournal\b|\bLancet\b|\bN Engl J\b"
)
_REPORTS = re.compile(
    r"\A\W*(?:[A-ZÀ-ÖØ-Þ]\S+\s){1,4}(?:et\sal\b\.?|and\scolleagues)(?:'s"
    r"|’s)?(?:\s?[(\[][^()\[\]\n]{0,40}[)\]])?\s(?!and\b|in\b|eds?\b)[a-zà-ÿ]+"
)
_OPENS_WITH_A_LINK = re.compile(r"\W*(?:\[[^\[\]\n]{2,300}\]\(|[“\"„][^”\"“\n]{8,300}[”\"“])")
_PUBLISHER = re.compile(
    r"(?:clinic|nhs|who|cdc|nih|fda|ema|nice|cochrane|medline(?:plus)?|pubmed|webmd|uptodate|statpearls"
    r"|wikipedia|nejm|jama|bmj"
    r"|lancet|journal|university|hospital|institutes?|society|association|academy|college|foundation|federation|agency"
    r"|ministry|organi[sz]ation|guidelines?|handbook|textbook|encyclop[a]?edia|press|package insert"
    r"|prescribing information"
    r"|label|leitlinie|fachinformation|website|database|registry)",
    re.IGNORECASE,
)
PUBLISHER_WORD = re.compile(rf"\b{_PUBLISHER.pattern}\b", re.IGNORECASE)
# "…, accessed May 1, 2025": not a verb of the title.
_LOOKED_UP = re.compile(
    r"[,.;]?\s*[(\[]?\b(?:date\s)?(?:last\s)?(?:accessed|retrieved|viewed|visited|cited|abgerufen)\b"
    r"(?:\s(?:on|am|at))?[:,]?\s(?:\d{1,2}\.?\s)?(?:[A-Z][a-zä]{2,8}\.?\s)?(?:\d{1,2},?\s)?\d{4}(?:-\d\d){0,2}[)\]]?",
    re.IGNORECASE,
)
# "(2021, May 3)": no verb either.
_DAY = re.compile(r"(?<=\d\d\d\d), (?:[A-Z][a-z]{2,8}\.?(?: \d{1,2})?)(?=\))")
_IDENTIFIERS = re.compile(
    r"(?:pmids?|pubmed(?: ids?)?|doi|pmcid|pmc|url|links?|and|et|und|available(?: (?:at|from))?|[\W_])+",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\s\[\]•*-]*\d{4,8}(?:[\s,;\[\]]+\d{4,8})*[\s.,;\]|]*")
IN_PARENTHESES = re.compile(r"\([^()\n]{0,300}\)|\[[^\[\]\n]{0,300}\](?!\()")
_ENDS_WITH_A_MARKER = re.compile(
    r"(?:\[\^?\d{1,3}(?:[\s,;–-]+\d{1,3})*\]|[⁰¹²³⁴-⁹]+)[.\s*_)]*\Z|[.!?]\[\d{1,3}\]"
)
# "In summary, statins come first": what it says next is the answer's own.
_SUMS_UP = re.compile(
    r"\W*(?:in (?:summary|conclusion|short|brief|practice)|overall|taken together|to sum(?:marize|marise| up)?"
    r"|summary|conclusions?|caveats?|limitations?|advice|recommendations?"
    r"|(?:key|take-?home) (?:points?|takeaways?|messages?)"
    r"|therefore|thus|hence|however|note(?: that)?|please note|bottom line|zusammenfassend|insgesamt)\b[\s*_]*[,:]",
    re.IGNORECASE,
)
_TITLED_ADDRESS = re.compile(
    r"[\s:]*(?:<https?://[^\s<>]{4,1000}>|https?://[^\s<>]{4,1000})\s+"
    r"(?:\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|'[^\n]{1,300}'|\([^\n]{1,300}\)|[-–—|]\s+[^\n]{1,300})\s*"
)
_DOMAIN = re.compile(
    r"[\s*_>•·–-]*(?P<domain>(?:[a-z\d-]{1,60}\.){1,4}"
    r"(?:com|org|net|gov|edu|int|info|eu|uk|ie|de|at|ch|fr|nl|be|es|it|au|nz|ca))[\s.,;*_]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\A[\s>*•·◦▪–—_`#-]+")
_LONGEST = 1500


class Evidence(IntEnum):
    """What a line looks like."""

    STATEMENT = -1
    NOTHING = 0
    LIKELY = 1
    SURE = 2


def is_titled_address(body: str) -> bool:
    """Tell whether a line is an address and, set apart from it, the title of what is there."""
    return _TITLED_ADDRESS.fullmatch(body) is not None


def says_more(body: str, named: Sequence[Atom]) -> bool:
    """Tell whether words stand beside the identifiers."""
    return _IDENTIFIERS.sub("", without_named(body, named)) != ""


def is_complete(entry: str) -> bool:
    """Tell whether an entry has what ends most: a year, a place in a journal, an identifier."""
    return YEAR.search(entry) is not None or BIBLIOGRAPHIC.search(entry) is not None or bool(atoms(entry))


def domain_alone(body: str) -> str | None:
    """Return the domain that is all of an entry: `nejm.org`."""
    found = _DOMAIN.fullmatch(body)
    return found["domain"].lower() if found else None


def without_named(body: str, named: Sequence[Atom]) -> str:
    """Return the words beside the identifiers."""
    for atom in reversed(named):
        body = body[: atom.start] + " " + body[atom.end :]
    return body


@lru_cache(maxsize=2048)
def evidence_of(body: str) -> Evidence:
    """Judge the words of a line without its label."""
    body = body[:_LONGEST]
    named = atoms(body)
    if named and not says_more(body, named) or _NUMBERS.fullmatch(body) or is_titled_address(body):
        return Evidence.SURE
    if domain_alone(body) or files_in(_BULLET.sub("", body)):
        return Evidence.SURE
    words = _DAY.sub("", _LOOKED_UP.sub(" ", without_named(body, named)))
    plain = re.sub(r"[*_`]+", "", words).strip()
    if _REPORTS.match(plain) or _SUMS_UP.match(plain):
        return Evidence.STATEMENT
    if begins_with_authors(plain) or _OPENS_WITH_A_LINK.match(body):
        return Evidence.SURE
    if non_claim_reason(plain) not in (None, "no words"):
        return Evidence.STATEMENT
    if not has_finite_verb(plain):
        return _of_a_phrase(body, plain, named)
    if _ENDS_WITH_A_MARKER.search(plain):
        return Evidence.STATEMENT
    return _behind_a_sentence(body)


def is_named(words: str) -> bool:
    """Tell whether all words but the small ones have capitals, as in `Mayo Clinic, World Health Organization`."""
    found = re.findall(r"[^\W\d_][\w'’-]*", words)
    small = {"of", "the", "and", "for", "on", "in", "de", "la", "et", "und", "für", "der"}
    return bool(found) and all(word[0].isupper() or word in small for word in found)


def _of_a_phrase(body: str, plain: str, named: Sequence[Atom]) -> Evidence:
    if BIBLIOGRAPHIC.search(plain):
        return Evidence.SURE
    outside = IN_PARENTHESES.sub(" ", body)
    if named:
        return Evidence.SURE if atoms(outside) else Evidence.LIKELY
    if YEAR.search(plain) or PUBLISHER_WORD.search(plain) or is_named(plain):
        return Evidence.LIKELY
    return Evidence.NOTHING


def _behind_a_sentence(body: str) -> Evidence:
    """Judge a title that states something by what stands behind it: where it was published, or an identifier."""
    stated = False
    for part in segments(IN_PARENTHESES.sub(" ", re.sub(r"[*_`]+", "", body))):
        named = atoms(part)
        if has_finite_verb(without_named(part, named)):
            stated = True
        elif stated and (BIBLIOGRAPHIC.search(part) or YEAR.search(part)):
            return Evidence.SURE
        elif stated and named:
            return Evidence.LIKELY
    outside = IN_PARENTHESES.sub(" ", body)
    return Evidence.SURE if re.search(r"(?:19|20)\d\d;\s?\d+[(:]", outside) else Evidence.STATEMENT
