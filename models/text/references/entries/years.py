"""When what an entry of a reference list names was published, in whatever style it is written."""

import re

YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d[a-h]?)(?![\d/-])")
_ADDRESS = re.compile(r"10\.\d{4,9}/\S+|https?://\S+")
_UNDATED = re.compile(r"\((n\.d\.|in press)\)", re.IGNORECASE)
# "Smith, J., & Doe, A. (2020)."
_BEHIND_NAMES = re.compile(
    r"\W*+(?:(?:[A-ZÀ-ÖØ-Þ][\w.'’-]*|&|and|und|et|al\.?|of|for|the|on|von|van|de|der),?\s){1,60}+\("
    + YEAR.pattern
)
# "2018;71:e127", "2010 Nov 13;376(9753):1670".
_WITH_VOLUME = re.compile(
    rf"{YEAR.pattern}(?:\s[A-Z][a-z]{{2}}(?:[ -][A-Za-z\d-]{{1,6}})?)?;\s?\d{{1,4}}\s?[(:]"
)
# Of "2018 AHA/ACC Guideline … Circulation 139, e1082 (2019)" the latter, of a title "from 1990 to 2015" neither.
_AMID_WORDS = re.compile(r"\s(?!(?:Jan|Feb|Mar|Apr|May|Ju[nl]|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\b)[A-Za-z]|–")
_LEADS_TO_A_YEAR = r"(?:in|to|of|by|from|until|since|after|and)"
_BEHIND_A_WORD = re.compile(rf"\b{_LEADS_TO_A_YEAR}\s\Z")
_APART = re.compile(
    rf"(?:\(|[,.;]\s|\b(?!{_LEADS_TO_A_YEAR}\s)[A-Za-z]{{1,20}}\s)"
    rf"{YEAR.pattern}(?=\W*\Z|[;,.)])"
)
_LOOKED_UP = re.compile(
    r"\b(?:accessed|retrieved|viewed|visited|updated|abgerufen|epub)\b[^;\n]{0,30}?(?:19|20)\d\d",
    re.IGNORECASE,
)


def year_of(body: str) -> str | None:
    """Read the year of publication, or `n.d.` or `in press` in its place.

    A year amid the words of a title counts only where no other stands by itself.
    """
    if undated := _UNDATED.search(body[:400]):
        return undated[1].casefold()
    plain = _ADDRESS.sub(" ", body)
    if found := _BEHIND_NAMES.match(plain) or _WITH_VOLUME.search(plain):
        return found["year"]
    first = YEAR.search(plain)
    if first and (
        _BEHIND_A_WORD.search(plain[max(0, first.start() - 8) : first.start()])
        or _AMID_WORDS.match(plain, first.end())
    ):
        apart = _APART.search(_LOOKED_UP.sub(" ", plain))
        return (apart or first)["year"]
    return first["year"] if first else None
