"""Where an identifier or an address ends that something is glued to: a bracket, a marker, the next identifier."""

import re

DASHES = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
"""What typesetting makes of the hyphen of an identifier, none of which is part of one."""
UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Places where a line may or may not be broken."""
_PLAIN_HYPHENS = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys(UNSEEN))
_TRAILING = f".,;:!?'’*_~…—―\\{DASHES}{UNSEEN}"
_CLOSERS = {")": "(", "]": "[", ">": "<", "}": "{"}
_BRACKET = re.compile(r"[()\[\]]")
_NEXT_ATOM = re.compile(r"[,;](?=10\.\d{4}|https?://|doi:|pmid|pmc\d)", re.IGNORECASE)
_GLUED_TO_A_DOI = re.compile(
    r"(?<=[\w)\]])(?:[.,;/|–—]?(?=PM(?:C\s?)?IDs?(?:[:#]|\d{4}|\Z)|PMC\d{5}|doi:|https?://)|[.](?=doi\Z)"
    r"|[.,;](?=(?:Epub|Accessed|Retrieved|Published)\Z)|;(?=\d{1,4}(?:\(\w{1,9}\))?:\w?\d))",
    re.IGNORECASE,
)
"""The last two: `.Epub 2018`, and a volume with pages behind the DOI of a paper ahead of print."""
# "… 10.1016/j.jacc.2019.03.010.It is safe.": the next sentence without a blank before it.
_FIRST_WORD = re.compile(r"(?<=[\d)])\.(?=[A-Z][a-z]+\Z)")
_GOES_ON = re.compile(r"\s[^\W\d_]")
# A DOI may have brackets in it, as in 10.1641/0006-3568(2005)055[0573:TF]2.0.CO;2, but no marker or link.
_MARKER = re.compile(
    r"[⁰¹²³⁴-⁹…]|&(?:nbsp|ensp|emsp|thinsp|#160|sup[123]|quot|#39);|&lt;(?!\d)"
    r"|\[(?=\^?\d{1,3}(?:[,;–-]\d{1,3}){0,20}\](?![\w=])|\[|\^|(?:PubMed|CrossRef|Google|PMC|Free"
    r"|Full|Abstract|PMID|doi)\b)",
    re.IGNORECASE,
)


def identifier_in(raw: str, *, is_doi: bool, before: str = "") -> str:
    """Cut what is glued behind a DOI or an address: `10.1136/bmj.l4898)[1]` is `10.1136/bmj.l4898`.

    `before` is what the text goes on with.
    """
    first = raw.lower().find("10." if is_doi else "://") + 3
    cuts = [_NEXT_ATOM.search(raw, first), _MARKER.search(raw, first)]
    if is_doi:
        cuts.append(_GLUED_TO_A_DOI.search(raw, first))
        if _GOES_ON.match(before):
            cuts.append(_FIRST_WORD.search(raw, first))
    end = min((cut.start() for cut in cuts if cut), default=len(raw))
    return trim_tail(raw[: _closing_bracket(raw, end)])


def plain_hyphens(raw: str) -> str:
    """Return an identifier with plain hyphens, and without what only says where a line may be broken."""
    return raw.translate(_PLAIN_HYPHENS)


def trim_tail(raw: str) -> str:
    """Cut what follows an identifier but is not part of it: a full stop, an unopened bracket, emphasis."""
    while raw:
        last = raw[-1]
        opener = _CLOSERS.get(last)
        if last in _TRAILING or (opener is not None and raw.count(last) > raw.count(opener)):
            raw = raw[:-1]
        else:
            break
    return raw


def _closing_bracket(raw: str, end: int) -> int:
    """Find the first bracket that closes one opened before the identifier; the end if there is none."""
    opened = {"(": 0, "[": 0}
    for bracket in _BRACKET.finditer(raw, 0, end):
        sign = bracket[0]
        if sign in opened:
            opened[sign] += 1
            continue
        opener = _CLOSERS[sign]
        if not opened[opener]:
            return bracket.start()
        opened[opener] -= 1
    return end
