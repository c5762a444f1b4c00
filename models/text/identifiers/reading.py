"""Names of sources as people write them, brought to one form: `scheme:value`.

`pmid:` digits without leading zeros, `pmcid:PMC123`, `doi:` lower case and percent-decoded, `nct:NCT01234567`,
`url:` without fragment and tracking parameters.
"""

import re
from dataclasses import dataclass
from html import unescape
from typing import Literal, cast
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from medassay.models.records import Span
from medassay.models.text.identifiers.ends import DASHES, UNSEEN, identifier_in, plain_hyphens, trim_tail
from medassay.models.text.identifiers.numbers import NumberScheme, is_ended, number_at
from medassay.models.text.identifiers.registries import REGISTERED, registered_page

AtomScheme = Literal["pmid", "pmcid", "doi", "nct", "url"]

_STOP = r"\s\"“”«»`|{}\\，。；、！？（）【】「」『』\x00-\x1f\u200b"
_ESCAPED = r"\\(?=[_()~&#*.+=%-])"
"""What Markdown puts a stroke before, as in `acg\\_guideline`; the stroke is no part of an address."""
_BREAK = r"(?<=[./-])\u200b(?=(?-i:[\da-z(]))|\u200b(?=[./-]\w)"
"""A place where a line of a DOI may be broken."""
_DOI_BODY = rf"10\.\d{{4,9}}(?:\.\d+)*(?:/|%2[fF])(?:[^{_STOP}<>—―]|<(?=\d)|>|{_BREAK}|{_ESCAPED}){{1,300}}"
_DASH = f"[-{DASHES}]"
_PMID_GAP = (
    rf"(?:\s(?:no|nr)\b\.?|\snumber\b|{_DASH}(?=\d)|\s?(?:{_DASH}|—)(?=\s\d{{6,8}}(?!\d))"
    r"|\.(?=\d{5})|[.;](?=\s?\d{7,8}(?!\d)))"
)
"""What may stand behind `PMID` beside colons and blanks: `PMID- 1` is how MEDLINE's own files write it."""
_HOSTS = r"(?:www\.)?(?:pubmed\.|pmc\.)?ncbi\.nlm\.nih\.gov|(?:www\.)?clinicaltrials\.gov|europepmc\.org"
_DOMAIN = (
    r"[a-z][a-z0-9-]{1,40}(?:\.[a-z0-9-]{2,40}){0,3}"
    r"\.(?:com|org|net|gov|edu|int|info|eu|uk|ie|de|ch|fr|nl|be|se|no|dk|es|it|at|au|nz|ca|jp|gov\.in)/(?=[\w%~@])"
)
"""An address without scheme; only a path tells it from words that were joined by a full stop."""
_FAQ_OBJECT = r"(?<![\w.])/search/nihai/objects/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"
"""An entry of the curated internal FAQ, which has no host of its own."""
ATOM = re.compile(
    rf"(?P<doi>(?:(?:https?://)?(?:www\.|dx\.)?doi\.org/(?:doi:)?"
    rf"|\bdoi\b[\s:*]{{0,5}})?(?<![\w.]){_DOI_BODY})"
    rf"|(?P<url>(?:https?://|(?<![\w@./])www\.|(?<![\w@./])(?:{_HOSTS}|doi\.org)/|(?<![\w@./-]){_DOMAIN})"
    rf"(?:[^{_STOP}<>^]|{_ESCAPED}){{1,2000}}|{_FAQ_OBJECT})"
    rf"|(?P<pmcid>(?:\bPMC[\s_]?IDs?(?:\b|(?=_))[\s:：#=*_{UNSEEN}{DASHES}-]{{0,6}}"
    rf"(?:PMC[\s:_{DASHES}-]{{0,2}})?"
    rf"|\bPMC(?:[\s:_]?|(?::\s|{_DASH})(?=\d{{5}}|\d{{1,3}}\D\d{{3}}(?!\d))))(?=\d))"
    rf"|(?P<nct>\bNCT[\s_:{DASHES}-]?(?=\d))"
    rf"|{REGISTERED}"
    rf"|(?P<pmid>(?:(?:\b|(?<=[\d⁰¹²³⁴-⁹])(?=PMID))(?:PM\s?I|PIM)Ds?(?:\b|(?=_)){_PMID_GAP}?|\bPMID(?=\d)"
    r"|\bPub\s?[Mm]ed(?:\s+IDs?\b|(?=\s*[:：]\s*\d))|\b(?:PubMed|MEDLINE)(?=[\s:：]{1,3}\d{7,8}\b))"
    rf"[\s:：#=*_{UNSEEN}]{{0,6}}(?<!\d)(?=\d))",
    re.IGNORECASE,
)
_NUMBERED = frozenset({"pmid", "pmcid", "nct", "isrctn", "drks", "umin", "nbk"})
_FEWEST_DIGITS = {"nct": 5}
"""Of what a register's name stands before: NCT5 is a gene."""
_CUT_OFF = re.compile(r"…|\.\.\.")
_UNFINISHED = re.compile(r"/(?:\D*|[a-z.]*\.(?:19|20)\d\d(?:\.\d\d)?)\Z", re.IGNORECASE)
"""A DOI without digits, or with a year for the only ones, as journals have none: `10.1016/j.jacc.2019`."""
_NEXT_PIECE = re.compile(r"[./_-]?[^\S\n](?!\d{1,3}[.)]\s)\d[\w.-]*\w?|[./_-]?\n\d{3}\w*")
_STROKE = re.compile(_ESCAPED)
_TRACKING = re.compile(r"^(utm_|gclid$|fbclid$|mc_[ce]id$|msclkid$|ref_src$|srsltid$)", re.IGNORECASE)
_DOI_TAIL = re.compile(
    r"(?:/(?:full/html|full|fulltext|abstract|abs|summary|e?pdf|html|xml|meta|references"
    r"|(?:tables|figures)(?:/\d{1,2})?)|\.(?:full|abstract|pdf|long|short|full\.pdf))/?$"
)
_VIEW = re.compile(r"(?<=\w)(?:/(?:full(?:/html|text)?|abstract|e?pdf)/?|\.full(?:\.pdf)?)\Z")
"""A way to show an article, copied from an address along with its DOI."""
# bioRxiv and medRxiv put the version behind the DOI in their addresses; it is no part of it.
_PREPRINT_VERSION = re.compile(r"^(10\.(?:1101|64898)/[\d.]+)v\d+(?:\.full.*|\.abstract)?$")
_DOI_IN_URL = re.compile(r"(?:^|[/=])(10\.\d{4,9}(?:\.\d+)*/[^?#&\s]+)")
# Journals on Silverchair put the number of the page behind the DOI: /article/doi/10.1093/ajcn/nqaa123/5838160.
_PAGE_BEHIND_DOI = re.compile(r"(?<=.)/\d{5,9}(?:/[^/]*)?\Z")
_OF_ARTICLE = re.compile(r"/[a-z-]*article[a-z-]*/doi/10\.\d{4,9}/[^/]+/")
_MOBILE = re.compile(r"^(?:www\.)?m\.(?=(?:\w+\.)?ncbi\.|europepmc\.|clinicaltrials\.)", re.IGNORECASE)
_URL_PMID = re.compile(
    r"^(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/"
    r"|(?:ncbi\.nlm\.nih\.gov/pmc|pmc\.ncbi\.nlm\.nih\.gov)/articles/pmid/"
    r"|europepmc\.org/(?:article|abstract)/med/|pubmed\.gov/)(?=\d)"
)
# A search for one record and nothing else.
_URL_SEARCHED_PMID = re.compile(
    r"^(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov/\?(?:[^#]*&)?term"
    r"|ncbi\.nlm\.nih\.gov/(?:pubmed/?\?|entrez/)(?:[^#]*[?&])?(?:term|list_uids)"
    r"|europepmc\.org/search/?\?(?:[^#]*&)?query)=(?:%22|ext_id(?::|%3a))*0{0,4}(\d{1,8})(?=[&%\[#+]|$)"
)
_URL_PMCID = re.compile(
    r"^(?:www\.)?(?:(?:ncbi\.nlm\.nih\.gov/(?:m/|labs/)?pmc|pmc\.ncbi\.nlm\.nih\.gov|europepmc\.org)"
    r"/articles?/(?:pmc/)?)(?:pmc)?(?=\d)"
)
_URL_NATURE = re.compile(
    r"^(?:www\.)?nature\.com/articles/((?:s\d{5}-|d\d{5}-|nature|nm|ncomms|srep|nrd|nrc)[\w.-]+)"
)
_URL_NCT = re.compile(r"^(?:www\.|beta\.|classic\.)?clinicaltrials\.gov/.*?(nct\d{8})(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Atom:
    """One identifier in a text: where it is, what it names."""

    start: int
    end: int
    scheme: AtomScheme
    source_id: str


def normalise_doi(raw: str) -> str:
    """Bring a DOI to lower case without prefix, percent-decoded: DOIs are case-insensitive (DOI Handbook 2.4).

    Its hyphens are plain whatever typesetting made of them, and the version of a preprint is no part of it.
    """
    doi = plain_hyphens(trim_tail(unescape(unquote(raw) if "%" in raw else raw)))
    start = re.search(r"10\.\d{4,9}", doi)
    return _PREPRINT_VERSION.sub(
        r"\1", _VIEW.sub("", trim_tail(doi[start.start() :] if start else doi).lower())
    )


def normalise_url(raw: str) -> str:
    """Drop what does not say which page it is: fragment, tracking parameters, a trailing slash, case of the host."""
    url = raw if "://" in raw or raw.startswith("/") else f"https://{raw}"
    try:
        parts = urlsplit(url)
        query = [
            pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.search(pair[0])
        ]
    except ValueError:  # such as an unclosed IPv6 bracket
        return raw
    path = parts.path.rstrip("/") if parts.path != "/" or not query else parts.path
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, urlencode(query, safe="/:,"), ""))


def url_source_id(raw: str) -> str:
    """Name the source behind an address: the article it shows (PMID, PMCID, DOI, trial) or the page itself."""
    written = re.sub(r"^[a-z]+://", "", raw.strip(), flags=re.IGNORECASE)
    bare = _MOBILE.sub("", written)
    low = bare.lower()
    if (found := _URL_PMID.match(low)) and (digits := _number_in_path(low[found.end() :], "pmid")):
        return pmid_id(digits)
    if found := _URL_SEARCHED_PMID.match(low):
        return pmid_id(found[1])
    if (found := _URL_PMCID.match(low)) and (digits := _number_in_path(low[found.end() :], "pmcid")):
        return f"pmcid:PMC{int(digits)}"
    if found := _URL_NCT.match(low):
        return f"nct:{found[1].upper()}"
    if found := _URL_NATURE.match(low):  # its article ids are the suffixes of its DOIs
        return f"doi:10.1038/{_DOI_TAIL.sub('', found[1])}"
    if found := _DOI_IN_URL.search(unquote(bare) if "%" in bare else bare):
        in_address = _PAGE_BEHIND_DOI.sub("", found[1]) if _OF_ARTICLE.search(low) else found[1]
        doi = normalise_doi(in_address)
        return f"doi:{doi if re.match(r'(?:dx[.]|www[.])?doi[.]org/', low) else _DOI_TAIL.sub('', doi)}"
    return f"url:{normalise_url(raw.strip())}"


def _number_in_path(rest: str, scheme: NumberScheme) -> str | None:
    """Return the digits of the number that a path goes on with, None where it is not whole."""
    step = unquote(re.split(r"[/?#&]", rest, maxsplit=1)[0])
    return number_at(step, 0, len(step), scheme, alone=True).digits


def unescaped(raw: str) -> str:
    """Drop the strokes that Markdown puts before signs with a meaning."""
    return _STROKE.sub("", raw) if "\\" in raw else raw


def pmid_id(digits: str) -> str:
    """Name a PubMed record."""
    return f"pmid:{int(digits)}"


def atoms(text: str, start: int = 0, end: int | None = None) -> list[Atom]:
    """Find every identifier and address in text[start:end], in order, not overlapping."""
    return identifiers_in(text, start, end)[0]


def identifiers_in(text: str, start: int = 0, end: int | None = None) -> tuple[list[Atom], list[Span]]:
    """Find every identifier and address in text[start:end], and what is one but cannot be read whole, in order."""
    found: list[Atom] = []
    unreadable: list[Span] = []
    position, stop = start, len(text) if end is None else end
    while match := ATOM.search(text, position, stop):
        scheme = match.lastgroup or ""
        if scheme in _NUMBERED:
            atom, last = _numbered(match, scheme, stop)
        else:
            atom, last = _named(match, scheme, stop)
        position = max(last, match.start() + 1)
        if atom and atom.source_id:
            found.append(atom)
        elif atom:
            unreadable.append(Span(atom.start, atom.end))
    return found, unreadable


def _numbered(match: re.Match[str], scheme: str, stop: int) -> tuple[Atom | None, int]:
    """Read a label with the number behind it; what is surely meant as one and cannot be read has no source."""
    said, written = match.string, match[0]
    register = cast(NumberScheme, scheme)
    number = number_at(said, match.end(), stop, register, alone=scheme in ("pmcid", "nbk"))
    if number.digits is None:
        n_digits = sum(sign.isdecimal() for sign in said[match.end() : number.end])
        bare = written[:3].upper() in ("PUB", "MED")  # "PubMed: 1966–2020"
        is_meant = "ID" in written.upper() or (n_digits >= _FEWEST_DIGITS.get(scheme, 4) and not bare)
        return (Atom(match.start(), number.end, "url", "") if is_meant else None), number.end
    if scheme == "pmid":
        return Atom(match.start(), number.end, "pmid", pmid_id(number.digits)), number.end
    if scheme == "pmcid":
        return Atom(match.start(), number.end, "pmcid", f"pmcid:PMC{int(number.digits)}"), number.end
    if scheme == "nct":
        return Atom(match.start(), number.end, "nct", f"nct:NCT{number.digits}"), number.end
    page = registered_page(f"{scheme}{number.digits}")
    return Atom(match.start(), number.end, "url", f"url:{page}"), number.end


def _named(match: re.Match[str], scheme: str, stop: int) -> tuple[Atom | None, int]:
    """Read a DOI, an address, or a registered name that is more than a number."""
    said, start, raw = match.string, match.start(), match[0]
    if scheme == "cut":
        return Atom(start, start + len(trim_tail(raw)), "url", ""), match.end()
    if scheme in ("doi", "url"):
        raw = identifier_in(raw, is_doi=scheme == "doi", before=said[match.end() : match.end() + 2])
    atom = _atom(start, raw, scheme)
    end = start + max(len(raw), 1)
    if atom and (more := _rest_of(said, atom, raw, stop)):
        end += len(more)
        atom = Atom(start, end, "url", "")
    return atom, end


def _rest_of(text: str, atom: Atom, raw: str, stop: int) -> str:
    """Return what a DOI, or the number that ends an address, goes on with behind where it was read to end."""
    if atom.source_id.startswith(("pmid:", "pmcid:")):
        digits = re.search(r"\d+\Z", raw)
        if digits is None or is_ended(text, atom.end, stop, len(digits[0])):
            return ""
        return text[atom.end : stop][:40].split("\n")[0].split(")")[0].rstrip(" .")
    cut = atom.scheme == "doi" and (
        _CUT_OFF.match(text, atom.end, stop)
        or (_UNFINISHED.search(raw) and _NEXT_PIECE.match(text, atom.end, stop))
    )
    return cut[0] if cut else ""


def _atom(start: int, raw: str, scheme: str) -> Atom | None:
    end = start + len(raw)
    raw = unescaped(raw)
    if scheme == "doi":
        # Of an address, what follows ? or # is not the DOI, save the last sign of a SICI.
        address = "doi.org" in raw[:24].lower()
        doi = normalise_doi(re.split(r"\?|(?<!;2-)#", raw, maxsplit=1)[0] if address else raw)
        return Atom(start, end, "doi", f"doi:{doi}") if re.search(r"/[\w(]", doi) else None
    if scheme == "url":
        is_address = re.search(r"\w\.\w", raw) or raw.startswith("/")
        return Atom(start, end, "url", url_source_id(raw)) if is_address else None
    return Atom(start, end, "url", f"url:{registered_page(raw)}")
