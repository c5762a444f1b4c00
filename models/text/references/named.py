"""Sources that an answer names in its text, without a marker or an identifier: a journal with its year, a guideline.

Only what says which record is meant counts: a volume and page, a year beside a journal or a body that publishes
guidelines, the number of a review, an edition, or an address with a path.
"""

import re

_YEAR = r"(?:19|20)\d\d"
_JOURNAL = (
    r"\b(?:NEJM|N(?:ew)?\.? Engl(?:and)?\.? J(?:ournal)?\.?|Lancet|JAMA|BMJ|PLoS|Cochrane"
    rf"|(?:Circulation|Gut|Chest|Thorax|Pediatrics|Stroke|Hepatology|Neurology|Nature|Blood|Pain)[.,]? (?={_YEAR})"
    r"|Eur(?:opean)? (?:Heart )?J(?:ournal)?|Ann(?:als)?\.? (?:of )?Intern|Diabetes Care"
    r"|J\.? (?:Am|Clin|Gen|Natl|Allergy|Infect)\b|Am\.? J\.? |Br\.? J\.? |Clin\.? Infect|Arch\.? Intern)"
)
_BODY = (
    r"\b(?:NICE|SIGN|USPSTF|ACOG|IDSA|KDIGO|GINA|GOLD|NCCN|ESC|AHA|ACC|FDA|EMA|CDC|WHO|NHS|ADA|EASD|ESMO|ASCO|UpToDate"
    r"|Association|Society|College|Academy|Organi[sz]ation|Institute|Centers|Task Force|Collaboration)\b"
)
_WORK = (
    r"\b(?:guidelines?|guidance|standards|statement|consensus|recommendations?|report|review|handbook|textbook|formulary|principles"
    r"|manual|fact ?sheet|monograph|criteria)\b"
)
_VOLUME = rf"\b{_YEAR}[^;()\n]{{0,12}};\s*\d+\s*(?:\(\w+\))?\s*:\s*e?\d+"
_BRACKET = re.compile(r"[(\[]((?:[^()\[\]\n]|\([^()\n]{1,20}\)){8,200})[)\]]")
_LABELLED = re.compile(
    r"(?:^|(?<=[.!?]\s)|(?<=\n))\W*(?:Source|Reference)s?:\s+([^\n]{8,250})", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"(?<![\w@/.])(?:[a-z0-9-]+\.)+(?:uk|org|gov|com|edu|int|net|eu|info|ca|au|de|ch|fr|nz)/[\w%~-]{3,}[\w%~./-]*",
    re.IGNORECASE,
)
_REVIEW = re.compile(r"\bCD\d{6}\b")
_BY_VOLUME = re.compile(_VOLUME)
_OF_A_JOURNAL = re.compile(rf"{_JOURNAL}.*\b{_YEAR}\b|\b{_YEAR}\b.*{_JOURNAL}")
_OF_A_BODY = re.compile(rf"{_BODY}.*{_WORK}.*\b{_YEAR}\b|{_WORK}.*{_BODY}.*\b{_YEAR}\b", re.IGNORECASE)
_EDITION = re.compile(r"\b\d+(?:st|nd|rd|th) ed(?:ition|\.)|\bed(?:ition)?\.? \d+\b", re.IGNORECASE)


def named_sources(text: str) -> list[tuple[str, int, int]]:
    """Find the sources that a text names, each with its place: (words, start, end)."""
    found = [
        (match[1].strip(" .;"), match.start(1), match.end(1))
        for pattern in (_BRACKET, _LABELLED)
        for match in pattern.finditer(text)
        if says_which(match[1])
    ]
    found += [(match[0].rstrip("./"), match.start(), match.end()) for match in _ADDRESS.finditer(text)]
    apart: list[tuple[str, int, int]] = []
    for words, start, end in sorted(found, key=lambda one: (one[1], -one[2])):
        if not apart or start >= apart[-1][2]:
            apart.append((words, start, end))
    return apart


def says_which(words: str) -> bool:
    """Say whether words name a source so that it can be found."""
    return any(
        pattern.search(words) for pattern in (_BY_VOLUME, _REVIEW, _OF_A_JOURNAL, _OF_A_BODY, _EDITION)
    )
