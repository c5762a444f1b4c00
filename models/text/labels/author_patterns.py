"""How authors and a year are written in a bracket, and the looser ways that only a list can vouch for."""

import re
from collections.abc import Iterator

from medassay.models.text.labels.author_names import ET_AL, JOINED, NAME, PARTICLES, first_author
from medassay.models.text.labels.surnames import author_label

EMPHASIS = re.compile(
    r"[*_]{1,3}|</?(?:i|em|b|strong)>|\s?\[[A-Z][A-Za-z-]{1,9}(?:\s[A-Z][A-Za-z]{1,9}){0,3}\]", re.IGNORECASE
)
JOURNAL_NAME = r"(?:[A-Z][\w&/-]*\.?)(?:\s(?:[A-Z][\w&/-]*\.?|of|and|the|in|&)){0,6}"
# "2005;352(13):1293-304", "BMJ 346:f3646": the volume and the page, and the day if it is there.
VOLUME = (
    r"(?:(?:\s[A-Z][a-z]{2}\.?(?:\s\d{1,2})?)?\s?;\s?|[,:]?\s)\d{1,4}(?:\s?\([^()\n]{1,15}\))?"
    r"(?:\s?[:,]\s?(?:pp?\.?\s?)?[A-Za-z]{0,6}\d[\w.–-]{0,20})?"
)
_LEAD = (
    r"(?i:(?:see|also|but|and|e\.g\.|i\.e\.|for example|cf\."
    r"|(?:as\s)?(?:reviewed|cited|reported|shown|described|adapted)\s(?:in|by|from)|as in|source:"
    r"|data from|review:?|for an? (?:overview|review)"
    r"|siehe|auch|s\.(?:\s?a\.)?|vgl\.?|vergleiche|z\.\s?B\.|nach|cfr\.?|véase|véanse|también|ver|vea|p\.\s?ej\."
    r"|voir|aussi|par ex\.|p\.\s?ex\.|vedi|anche|ad es\.|veja|também|zie|ook|bijv\.)[,:]?\s+){0,4}"
)
_BEFORE = r"(?:[A-Z]\.[\s-]?){0,3}"
_AFTER = r"(?:,?\s(?:[A-Z]{1,3}\b|(?:[A-Z]\.[\s-]?){1,3})(?=[\s,]))?"
_MORE = (
    rf"(?:,\s{PARTICLES}{NAME}){{0,6}},?\s{JOINED}\s{PARTICLES}{NAME}(?:\s{NAME}){{0,2}}"
    rf"|(?:,\s{PARTICLES}{NAME}){{0,12}},?\s{ET_AL}(?:’s|'s)?|\sand\scolleagues"
)
_MERELY_LISTED = rf"(?:,\s{PARTICLES}{NAME}){{1,12}}"
_PLACE = (
    r"(?:[,:]?\s?(?i:(?:pp?|pages?|(?:supplementa(?:ry|l)\s)?(?:tables?|fig(?:ure)?s?)|sect?(?:ions?)?|chapters?|rec(?:ommendation)?s?|practice\spoints?"
    r"|statements?|box|appendix|suppl(?:ement)?|secci[óo]n|cap[íi]tulo|abschnitt|kapitel|seiten?|chapitre|tabla|tableau|tabelle)\b\.?\s?|§{1,2}\s?)?[A-Z#e]?\d{1,5}(?:\.\d{1,3}){0,3}[a-zA-Z]?(?:[-–]\d{1,5})?){0,4}"
)
_ASIDE = (
    r"(?:,?\s(?:for\s[\w\s]{3,40}|and references therein|preprint|unpublished|inter alia|among others"
    r"|(?:(?:online|supplementary|data)\s)?(?:appendix|supplement)))?"
)


def _authors_and_year(more: str) -> re.Pattern[str]:
    return re.compile(
        rf"\s*{_LEAD}{_BEFORE}(?:(?:U\.\s?S\.|U\.\s?K\.|(?:US|UK|EU)(?=\s[A-Z][\w-]+[,\s]))\s)?"
        rf"(?P<names>{PARTICLES}{NAME}(?:\s(?:de\s|of\s|for\s|on\s|in\s|van\s|e\s|y\s)?{NAME}){{0,6}}{_AFTER}(?P<more>{more})?)"
        r"(?P<comma>\s?,)?\s?\[?(?P<year>(?:19|20)\d\d[a-h]?|n\.d\.|in press)\]?"
        rf"(?P<years>(?:[,/]\s?(?:(?:19|20)\d\d)?[a-h]?)*){_PLACE}{_ASIDE}\s*\Z"
    )


AUTHOR_YEAR = _authors_and_year(_MORE)
_ALL_LISTED = _authors_and_year(_MERELY_LISTED)
NOT_AUTHORS = re.compile(
    r"^(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|"
    r"Nov|Dec|Spring|Summer|Fall|Autumn|Winter|Table|Figure|Fig|Version|Since|Until|In|From"
    r"|Year|Phase|COVID|Updated|Approved|Published|"
    r"Accessed|Reviewed|Revised|Retrieved|Corrected|Cited|Edited|Internet|Online|Copyright|New York"
    r"|Edition|Volume|USA?|UK|EU|China|India|Japan|Germany|France|Paris|London|Chicago)\b"
)
# "Smith, J., Doe, A., & Roe, K., 2020", as lists write it
_INITIALS = re.compile(r",?\s(?:[A-Z]\.[\s-]?){1,3}(?=[,\s]|\Z)")
# "Brophy GM, Bell R, et al. 2012"
_PLAIN_INITIALS = re.compile(
    rf"(?<=[^\W\d_][a-zß-ÿ])\s[A-Z]{{1,3}}(?=,|\.?\s(?:{ET_AL}|{JOINED}\s)|\.?\s?(?:19|20)\d\d)"
)
_OF_ITS_KIND = r"(?:\s(?:guidelines?|statement|consensus|review|trial|study|cohort|meta-analysis))?"
# "(Smith J et al. Lancet 2020)": what stands between the names and the year is the journal.
_JOURNAL = re.compile(
    rf"(?P<end>\bet\sal\b|\w)(?P<stop>[.,]{{1,2}}\s|\s){JOURNAL_NAME}{_OF_ITS_KIND}(?=[.,]?\s(?:19|20)\d\d[a-h]?\W*\Z)"
)
_VOLUME_BEHIND = re.compile(rf"{VOLUME}[\s.*_]*\Z")
_JOURNAL_BEHIND = re.compile(
    rf"(?<=\d\d\d)(?P<year>\d[a-h]?)\)?[.,;:]?\s(?P<journal>{JOURNAL_NAME})[\s.*_]*\Z"
)
_LONGEST_PIECE = 200
GRADE = (
    r"(?:[12][A-D]\b|(?i:strong|weak|conditional|(?:very )?low|moderate|high|best practice|grade|class|COR|LOE|level)"
    r"\b)"
)
"""How strongly something is recommended, as it stands behind a year: "weak, low quality", "Class I, LOE A"."""


def without_initials(plain: str) -> str:
    """Cut the initials of `Smith, J., Doe, A., & Roe, K., 2020`."""
    return _INITIALS.sub("", plain)


def without_plain_initials(plain: str) -> str:
    """Cut the initials of `Xie Z et al.`."""
    return _PLAIN_INITIALS.sub("", plain)


def looser_readings(plain: str) -> Iterator[re.Match[str]]:
    """Yield what a piece says once its journal, its volume and all initials are cut, the likeliest first.

    `Smith, Lancet 2020;395:1-9`, `Rice 2001, Pain 94:215` and `Perez J, Ruiz A, 2019` are read so.
    """
    for words in _without_journal(plain[:_LONGEST_PIECE]):
        bare = without_plain_initials(without_initials(words))
        for pattern, written in ((AUTHOR_YEAR, words), (AUTHOR_YEAR, bare), (_ALL_LISTED, bare)):
            if found := pattern.fullmatch(written):
                yield found


def _without_journal(plain: str) -> Iterator[str]:
    yield plain
    short = _VOLUME_BEHIND.sub("", plain)
    for words in dict.fromkeys((plain, short)):
        for journal in _JOURNAL.finditer(words):
            yield words[: journal.end("end")] + "," + words[journal.end() :].lstrip(".,")
    if short != plain:
        yield short
    for words in dict.fromkeys((short, plain)):
        behind = _JOURNAL_BEHIND.search(words)
        if behind and not NOT_AUTHORS.match(behind["journal"]):
            yield words[: behind.end("year")]


def label_of_authors(written: str) -> str | None:
    """Return the label that `Ridker et al., 2005` is looked up by; None where it is no citation."""
    found = AUTHOR_YEAR.fullmatch(EMPHASIS.sub("", written).strip("()[] "))
    return author_label(first_author(found["names"]), found["year"]) if found else None


def is_author_and_year(written: str) -> bool:
    """Tell whether words may be an author and a year, `Smith 2020`; what stands beside them must say if they cite."""
    found = AUTHOR_YEAR.fullmatch(EMPHASIS.sub("", written))
    return found is not None and not NOT_AUTHORS.match(found["names"])
