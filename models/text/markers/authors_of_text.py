"""What a text tells of the authors that it cites: `(Seely 1996)` is `(Seely EW, NEJM 1996;335:1)`."""

import re
from functools import cached_property

from medassay.models.text.labels.author_names import ET_AL, NAME, PARTICLES
from medassay.models.text.labels.author_patterns import GRADE, JOURNAL_NAME
from medassay.models.text.labels.surnames import author_label
from medassay.models.text.references.entries.years import year_of
from medassay.models.text.references.works import BETWEEN, names_a_work, without_lead

_GROUP = re.compile(r"[(\[](?P<inside>[^()\[\]\n]{12,300}(?:\([^()\n]{1,20}\)[^()\[\]\n]{0,60})?)[)\]]")
_AUTHOR = re.compile(
    rf"(?P<name>{PARTICLES}{NAME})(?:\s[A-Z]{{1,3}}\b|,?\s{ET_AL}|\s(?:&|and)\s{NAME}|,\s[A-Z]\.|,(?=\s)|\s(?=(?:19|20)\d\d,\s[A-Z]))"
)

_WITHOUT_COMMA = re.compile(
    r"[(;]\s?[^\W\d_][\w'’-]{1,40}\set\sal\.?\s(?:19|20)\d\d[a-h]?(?:[;)]|,?\s(?:and\s|&\s)?[A-Z12])"
)
# "approved later (Crestor 2003; Zetia 2002)": when something happened.
_HAPPENED = re.compile(
    r"\b(?:approv\w+|launch\w*|outbreaks?|epidemics?|pandemics?|licen[sc]\w+|introduc\w+|market\w+|withdrawn|editions?"
    r"|versions?|waves?|variants?|meetings?|conferences?|congress\w*|countries|cities|brands?|updated|revised"
    r"|updates?)\b[^.;\n]{0,40}\Z",
    re.IGNORECASE,
)
_WIDEST_LEAD = 60

# "Goldenberg 2017, Cochrane"
_JOURNAL_LAST = re.compile(rf"\d\d\d\d,\s(?!{GRADE}|(?i:section|table|chapter|figure)\b){JOURNAL_NAME}\Z")


def tells_when(text: str, at: int) -> bool:
    """Tell whether what stands before a bracket makes its years those of events and not of papers."""
    return _HAPPENED.search(text[max(0, at - _WIDEST_LEAD) : at]) is not None


class AuthorsOfText:
    """The works that brackets of a text spell out, by the labels that shorten them."""

    def __init__(self, text: str, start: int, end: int) -> None:
        """Read in text[start:end]."""
        self._text, self._start, self._end = text, start, end

    @cached_property
    def go_without_comma(self) -> bool:
        """Whether a bracket says `Smith et al. 2020`, so that one author's name has no comma behind it either."""
        return _WITHOUT_COMMA.search(self._text, self._start, self._end) is not None

    @cached_property
    def spelled_out(self) -> dict[str, str]:
        """Each work whose author, journal and year a bracket names, by `surname year`; none where two may be meant."""
        works: dict[str, set[str]] = {}
        for group in _GROUP.finditer(self._text, self._start, self._end):
            for piece in BETWEEN.split(group["inside"]):
                work = without_lead(re.sub(r"[*_]+", "", piece)).strip()
                author, year = _AUTHOR.match(work), year_of(work)
                if author and year and (names_a_work(work) or _JOURNAL_LAST.search(work)):
                    works.setdefault(author_label(author["name"], year), set()).add(work)
        return {label: named.pop() for label, named in works.items() if len(named) == 1}
