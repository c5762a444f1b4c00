"""Addresses behind which no record stands: reserved domains, front pages of search engines, a chat's own pages."""

import re

from medassay.models.text.identifiers.reading import url_source_id

_PARTS = re.compile(
    r"(?:[a-z]+:)?/*(?P<host>[^/?#:]+)(?::\d+)?(?P<path>[^?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
# Reserved by RFC 2606, and what people write for a domain of their own.
_RESERVED = re.compile(
    r"(?:.*\.)?(?:example\.(?:com|org|net|edu)|example|invalid|test"
    r"|(?:my|your|the|some)?-?(?:domain|website|site|link|url|source|journal|placeholder)(?:name)?\.(?:com|org|net))"
)
_TEMPLATE = re.compile(
    r"(?:[/._-]|articles?|links?|pages?|paths?|papers?|stud(?:y|ies)|sources?|ref(?:erence)?s?|urls?|titles?|journals?"
    r"|to|the|your|here|some|full|text|html?|pdf|index|example|guidelines?|\d{0,3})*"
)
_SEARCHED = re.compile(
    r"(?:(?:pubmed\.|pmc\.)?ncbi\.nlm\.nih\.gov|pubmed\.(?:gov|com)|europepmc\.org|clinicaltrials\.gov|(?:dx\.)?doi\.org"
    r"|(?:scholar\.)?google(?:\.com?)?\.[a-z]{2,3}|bing\.com|duckduckgo\.com|(?:search\.)?yahoo\.com|baidu\.com"
    r"|semanticscholar\.org|researchgate\.net|scopus\.com|webofscience\.com|embase\.com|cochranelibrary\.com"
    r"|(?:[a-z]{2}\.)?wikipedia\.org|consensus\.app|elicit\.(?:com|org)|scispace\.com|typeset\.io|openevidence\.com)"
)
_FRONT = re.compile(r"/?(?:pubmed|pmc|search|scholar|home|index\.\w+|webhp)?/?")
_CHATS = re.compile(
    r"(?:perplexity\.ai|chatgpt\.com|(?:chat\.)?openai\.com|copilot\.microsoft\.com|gemini\.google\.com|bard\.google\.com"
    r"|claude\.ai|you\.com|phind\.com|poe\.com)"
)
_OF_A_BODY = re.compile(
    r".*\.(?:gov|int|edu|org|mil)(?:\.[a-z]{2})?|.*\.(?:ac|nhs|go|gob|gouv|govt|gc)\.[a-z]{2}|(?:.*\.)?(?:nhs\.uk|europa\.eu|rki\.de)"
    r"|(?:.*\.)?(?:mayoclinic|webmd|uptodate|medscape|healthline|drugs|nejm|thelancet|bmj|jamanetwork|nature"
    r"|(?:merck|msd)manuals|medicalnewstoday|verywellhealth|dynamed|patient)\.(?:com|info)"
)


def leads_nowhere(address: str) -> bool:
    """Tell whether an address shows no record: a template's, or the page of a search or a chat itself."""
    if not url_source_id(address).startswith("url:"):
        return False
    parts = _split(address)
    if parts is None:
        return False
    host, path = parts
    if _RESERVED.fullmatch(host):
        return _TEMPLATE.fullmatch(path) is not None
    return bool(_CHATS.fullmatch(host) or (_SEARCHED.fullmatch(host) and _FRONT.fullmatch(path)))


def is_a_search(address: str) -> bool:
    """Tell whether an address is the page of a search itself: `https://pubmed.ncbi.nlm.nih.gov/?term=melatonin`."""
    parts = _split(address)
    return (
        parts is not None
        and url_source_id(address).startswith("url:")
        and _SEARCHED.fullmatch(parts[0]) is not None
        and _FRONT.fullmatch(parts[1]) is not None
    )


def is_a_front_page_of_nobody(address: str) -> bool:
    """Tell whether an address is a home page whose host is no public body or publisher: `www.myclinic.com`."""
    parts = _split(address)
    return parts is not None and not parts[1].strip("/") and not _OF_A_BODY.fullmatch(parts[0])


def is_a_front_page(address: str) -> bool:
    """Tell whether an address is a home page."""
    parts = _split(address)
    return parts is not None and not parts[1].strip("/")


def _split(address: str) -> tuple[str, str] | None:
    """Return the host without `www.` and the path, in lower case; None where there is no host."""
    found = _PARTS.match(address.strip().lower())
    if found is None or address.lstrip().startswith("/"):
        return None
    return found["host"].removeprefix("www."), found["path"]
