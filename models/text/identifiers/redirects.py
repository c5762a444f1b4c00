"""Addresses that lead on to another one: a search engine's forwarding page, the proxy of a library."""

import re
from urllib.parse import unquote

_FORWARDED = re.compile(
    r"(?:www\.)?(?:google\.[a-z.]{2,6}/url|duckduckgo\.com/l/?|l\.facebook\.com/l\.php)\?(?:[^#]*&)?(?:q|url|uddg|u)="
    r"(?P<target>https?(?::|%3a)[^&#]+)",
    re.IGNORECASE,
)
# "pubmed-ncbi-nlm-nih-gov.proxy.lib.edu/123": the host with hyphens for its full stops.
_PROXIED = re.compile(
    r"(?P<host>(?:[a-z\d]+-)+(?:gov|org|com|net))\.(?:[a-z\d-]+\.){1,5}[a-z]{2,6}(?P<path>/.*)?",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN_PROXY = re.compile(
    r"(?P<host>(?:[a-z\d-]+\.)+(?:gov|org|com|net))\.(?:[a-z\d-]*proxy[a-z\d-]*"
    r"|ezp[a-z\d-]*)\.[a-z\d.-]+(?P<path>/.*)?",
    re.IGNORECASE | re.DOTALL,
)
_OF_A_LIBRARY = re.compile(r"[^/]*(?:proxy|\.ezp|\.idm\.oclc)", re.IGNORECASE)


def behind(bare: str) -> str:
    """Return the address that one without scheme leads on to, itself where it leads on to none."""
    if forwarded := _FORWARDED.match(bare):
        return re.sub(r"^https?://", "", unquote(forwarded["target"]), flags=re.IGNORECASE)
    if not _OF_A_LIBRARY.match(bare):
        return bare
    proxied = _PLAIN_PROXY.fullmatch(bare) or _PROXIED.fullmatch(bare)
    return proxied["host"].replace("-", ".") + (proxied["path"] or "") if proxied else bare
