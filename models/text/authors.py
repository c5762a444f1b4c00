"""Labels of sources and of works by their authors: `[01]` is `1`, `Smith et al. (2020)` is `smith 2020`."""

import re
import unicodedata

_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_KIND = (
    r"(?:ref(?:erence)?|source|citation|cite|doc(?:ument)?|passage|context|snippet|abstract|chunk|excerpt|web|id"
    r"|search\s?result|(?:foot|end)?note)s?"
)
_NUMBERED = re.compile(rf"(?:{_KIND}(?:_ids?)?\.?[\s:_#=-]*)?#?(\d+)")
_LETTERED = re.compile(rf"{_KIND}\s([a-z])")
_LETTERS = str.maketrans("’‘ʼ´`‐‑øØłŁđĐı", "'" * 5 + "--oOlLdDi")
_POSSESSIVE = re.compile(r"(?<=\w)'s?\Z")
_PARTICLES = re.compile(
    r"^(?:(?:de|van|von|der|den|ter|ten|dos|da|du|di|del|della|la|le|al|el|zu|vom)\s)+(?=\w)"
)
_LONGEST_LABEL = 200

NAME = r"(?:(?:de|van|von|der|den|del|della|di|da|la|le|al|El|ter|ten)[\s-]){0,2}[A-ZÀ-ÖØ-Þ][\w'’-]+"
"""A surname, or the short name of a body."""
SECOND = r"[A-ZÀ-ÖØ-Þ][a-zà-ÿ'’-][\w'’-]*"
"""A second word of a name, which is no initials."""
INITIALS = r"(?:[A-Z]{1,3}\b(?:\.?-?[A-Z]\b)*\.?)"
YEAR = r"(?:19|20)\d\d"
DATED = rf"{YEAR}[a-h]?"
MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
ET_AL = r",?\s(?:et\s?al\.?|and (?:colleagues|co-?workers|others)|u\.\s?a\.)"
AND = r"(?:,?\s(?:and|&|und)\s|,\s)"
_FIRST = re.compile(rf"[\W_]*(?P<first>{NAME}(?:\s{SECOND})?)(?:,?\s{INITIALS})?(?=[,.;\s(&]|\Z)")
_INITIALS_BEHIND = re.compile(rf"\s{INITIALS}\Z")
_YEAR_OF_ISSUE = re.compile(rf"(?:(?<=\()|(?<!\d))({DATED})(?=\)|\s?(?:[A-Z][a-z]{{2}}[^.;:]{{0,8}})?;\s?\d)")
_YEAR = re.compile(rf"(?<!\d)({DATED})(?!\d)")


def normalise_label(raw: str) -> str:
    """Bring a label of a reference list to one form: `[01]`, `1.`, `¹` and `ref 1` are all `1`, `Source A` is `a`."""
    label = raw.translate(_DIGITS).strip(" \t\r\n[](){}【】.:†^").casefold()
    if len(label) > _LONGEST_LABEL:
        return label
    if numbered := _NUMBERED.fullmatch(label):
        return str(int(numbered[1]))
    lettered = _LETTERED.fullmatch(label)
    return lettered[1] if lettered else label


def surname_of(name: str) -> str:
    """Bring a surname to the form that all are compared in: no case, accents, particles or possessive `'s`."""
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS)).casefold()
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = _POSSESSIVE.sub("", plain.strip(" .,"))
    return _PARTICLES.sub("", plain) or plain


def author_label(names: str, year: str) -> str:
    """Name an entry of a reference list by its first author's surname and year: `smith 2020`."""
    first = re.split(r",|\s(?:and|&|et|und|u\.)\s", names.strip(), maxsplit=1)[0]
    return f"{surname_of(_INITIALS_BEHIND.sub('', first))} {year.casefold()}"


def first_author_and_year(words: str) -> tuple[str, str]:
    """Read whose work an entry is and of when: the first author's surname and the year, each empty where none is."""
    year = _YEAR_OF_ISSUE.search(words) or _YEAR.search(words)
    first = _FIRST.match(words[:200])
    return (surname_of(first["first"]) if first else "", year[1].casefold() if year else "")
