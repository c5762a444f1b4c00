"""What stands in an entry of a reference list where there is no reference: `N/A`, `[insert link]`, `#`, `Source 1`."""

import re
from dataclasses import replace

from medassay.models.records import Reference
from medassay.models.text.identifiers.reading import url_source_id

_NOTHING = re.compile(
    r"n[./ ]?a|none|nil|null|nan|undefined|unknown|unavailable|missing|pending|placeholder|lorem ipsum|x{2,}|todo"
    r"|tb[acd]|to be (?:added|announced|confirmed|determined|done)|(?:citation|reference|source) needed"
    r"|(?:not|none) (?:available|given|found|applicable|provided|specified|known|supplied|stated)"
    r"|no (?:title|source|reference|citation|link|url|doi|pmid)s?(?: (?:available|given|found|provided|needed))?"
    r"|(?:insert|add|enter|paste|your) (?:\w+ ){0,3}(?:here|title|source|reference|citation|link|url|doi|pmid)s?",
    re.IGNORECASE,
)
_WORD_OF_ANY_ENTRY = re.compile(
    r"sources?|ref(?:erence)?s?|citations?|cit(?:e|ed|ing)|links?|url|title|untitled|articles?|documents?|docs?"
    r"|papers?|stud(?:y|ies)|web|websites?|webpages?|pages?|sites?|online|internet|items?|entry"
    r"|footnotes?|numbers?|no"
    r"|authors?|journals?|years?|volumes?|issues?|publishers?|dates?|names?|editions?|et|al|last|first|initials?|yyyy"
    r"|search|results?|answers?|responses?|summary|here|the|an?|of|from|by|on|in|and|general|my|own|internal|common"
    r"|medical|clinical|model|ai|expert|background|professional|training|data|knowledge|experience|expertise"
    r"|opinions?|literature|database|nih ?ai|pubmed|medline|embase|scopus|perplexity|chatgpt|openai|copilot|bing"
    r"|google|scholar|gemini|\d+|[a-z]",
    re.IGNORECASE,
)
"""Words that can stand in front of any reference, and names of collections and search engines: which record of
them is meant they do not say."""
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp):)?//[^\s/?#]*\w\.\w[^\s/?#]*(?:[/?#].*)?"
    r"|https?://[\w-]+(?::\d+)?/.*\w.*"
    r"|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#].*)?"
    r"|/.*\w.*",
    re.IGNORECASE | re.DOTALL,
)

_PARTS = re.compile(
    r"(?:[a-z]+:)?/*(?P<host>[^/?#:]+)(?::\d+)?(?P<path>[^?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
# Reserved by RFC 2606, and what people write for a domain of their own.
_RESERVED = re.compile(
    r"(?:.*\.)?(?:example\.(?:com|org|net|edu)|example|invalid|test"
    r"|(?:my|your|the|some)?-?(?:domain|website|site|link|url|source|journal|placeholder)(?:name)?\.(?:com|org|net))"
)
_TEMPLATE = re.compile(
    r"(?:[/._-]|articles?|links?|pages?|paths?|papers?|stud(?:y|ies)|sources?|ref(?:erence)?s?"
    r"|urls?|titles?|journals?"
    r"|to|the|your|here|some|full|text|html?|pdf|index|example|guidelines?|\d{0,3})*"
)
_SEARCHED = re.compile(
    r"(?:(?:pubmed\.|pmc\.)?ncbi\.nlm\.nih\.gov|pubmed\.(?:gov|com)|europepmc\.org"
    r"|clinicaltrials\.gov|(?:dx\.)?doi\.org"
    r"|(?:scholar\.)?google(?:\.com?)?\.[a-z]{2,3}|bing\.com|duckduckgo\.com|(?:search\.)?yahoo\.com|baidu\.com"
    r"|semanticscholar\.org|researchgate\.net|scopus\.com|webofscience\.com|embase\.com|cochranelibrary\.com"
    r"|(?:[a-z]{2}\.)?wikipedia\.org|consensus\.app|elicit\.(?:com|org)|scispace\.com|typeset\.io|openevidence\.com)"
)
_FRONT = re.compile(r"/?(?:pubmed|pmc|search|scholar|home|index\.\w+|webhp)?/?")
_NO_RECORD = re.compile(
    r"(?:https?://)?(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:pubmed/|pmc/articles/pmc)|pubmed\.gov/"
    r"|pmc\.ncbi\.nlm\.nih\.gov/articles/pmc|europepmc\.org/(?:article|abstract)/(?:med/|pmc/pmc)|clinicaltrials\.gov/"
    r"(?:ct2/show/|study/|show/)?nct)\d",
    re.IGNORECASE,
)
"""A page of one record, by a number that is none: `pubmed.ncbi.nlm.nih.gov/1.8E+07`."""
_CHATS = re.compile(
    r"(?:perplexity\.ai|chatgpt\.com|(?:chat\.)?openai\.com|copilot\.microsoft\.com"
    r"|gemini\.google\.com|bard\.google\.com"
    r"|claude\.ai|you\.com|phind\.com|poe\.com)"
)


def without_placeholders(reference: Reference) -> Reference:
    """Return an entry with None for what leads nowhere.

    That is: words that stand for a missing value, an address without a host or record, the number 0, a content of
    one word, and a title or source that no record can be found by.
    """
    return replace(
        reference,
        url=reference.url if _leads_somewhere(reference.url) else None,
        title=None if _names_no_record(reference.title) else reference.title,
        source=None if _names_no_record(reference.source) else reference.source,
        content=None
        if _says_nothing(reference.content) or _is_a_word(reference.content)
        else reference.content,
        **{name: _number(getattr(reference, name)) for name in ("pmid", "pmcid", "nct")},
    )


def _number(written: str | None) -> str | None:
    """Return what holds a number other than 0."""
    return written if written and re.search(r"[1-9]", written) else None


def _leads_somewhere(address: str | None) -> bool:
    return bool(
        address
        and not _says_nothing(address)
        and _ADDRESS.fullmatch(address.strip())
        and not leads_nowhere(address)
    )


def _says_nothing(written: str | None) -> bool:
    words = re.sub(r"[^\w/.]+", " ", written or "").strip(" ._/")
    return not words or bool(_NOTHING.fullmatch(words))


def _is_a_word(written: str | None) -> bool:
    """Tell a single word, such as `Yes`, from a passage; what is written without spaces may be one."""
    return bool(written and re.fullmatch(r"\W*[A-Za-zÀ-ɏͰ-ӿ'’-]*\W*", written))


def _names_no_record(written: str | None) -> bool:
    words = re.findall(r"[^\W_]+", written or "")
    return _says_nothing(written) or all(_WORD_OF_ANY_ENTRY.fullmatch(word) for word in words)


def leads_nowhere(address: str) -> bool:
    """Tell whether an address shows no record: a template's, that of a search or a chat itself, a broken number's."""
    if not url_source_id(address).startswith("url:"):
        return False
    if _NO_RECORD.match(address.strip()):
        return True
    parts = _split(address)
    if parts is None:
        return False
    host, path = parts
    if _RESERVED.fullmatch(host):
        return _TEMPLATE.fullmatch(path) is not None
    return bool(_CHATS.fullmatch(host) or (_SEARCHED.fullmatch(host) and _FRONT.fullmatch(path)))


def _split(address: str) -> tuple[str, str] | None:
    """Return the host without `www.` and the path, in lower case; None where there is no host."""
    found = _PARTS.match(address.strip().lower())
    if found is None or address.lstrip().startswith("/"):
        return None
    return found["host"].removeprefix("www."), found["path"]
