"""Authors and years in the sentence itself, which keeps them: `Smith et al. (2020)`, `Smith and colleagues in 2020`."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from medassay.models.records import Span
from medassay.models.text.labels.author_names import (
    ET_AL,
    JOINED,
    NAME,
    PARTICLES,
    first_author,
    joins_beyond_doubt,
)
from medassay.models.text.labels.author_patterns import (
    EMPHASIS,
    JOURNAL_NAME,
    NOT_AUTHORS,
    VOLUME,
    without_plain_initials,
)
from medassay.models.text.labels.forms import WORK
from medassay.models.text.labels.places import NOT_SURNAMES
from medassay.models.text.labels.surnames import author_label, surname_of
from medassay.models.text.language.reporting import REPORTS
from medassay.models.text.markers.authors_of_text import tells_when
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.names_before import start_of_names
from medassay.models.text.markers.work_labels import YEARS, work_label, years_of
from medassay.models.text.references.works import is_a_body

_NARRATIVE = re.compile(
    rf"(?<!\w)(?P<names>{NAME}(?:\s[A-Z]{{1,3}}(?=,?\s{ET_AL}))?(?P<more>(?:,\s{NAME}){{0,5}},?\s{JOINED}\s{NAME}"
    rf"|,?\s{ET_AL}(?:’s|'s)?|\sand\scolleagues)?)"
    rf"\s[(\[]{YEARS}(?:[,:]\s?(?:pp?\.?\s?)?\d{{1,5}}(?:[-–]\d{{1,5}})?)?[)\]]"
)
# "Cipriani et al. (Lancet 2018;391:1357)": the journal is no source besides the one that a list knows.
_IN_JOURNAL = re.compile(
    rf"(?<!\w)(?P<names>{PARTICLES}{NAME}(?:(?:,\s{NAME}){{0,5}},?\s{JOINED}\s{NAME}|,?\s{ET_AL}(?:’s|'s)?"
    rf"|\sand\scolleagues)?)\s[(\[]{JOURNAL_NAME},?\s{YEARS}(?:{VOLUME})?[)\]]"
)
# "Jones's meta-analysis (2018)": only a list can say that Jones is an author.
_WORK_OF = re.compile(
    r"(?<![\w'’-])(?P<names>[A-ZÀ-ÖØ-Þ](?:[^\W\d_]|['’-]){1,40}['’]s?)(?:\s[A-Za-z][\w-]{2,20}){1,3}"
    rf"\s[(\[]{YEARS}[)\]]"
)
# Without brackets: `Smith et al. showed`, `Smith and colleagues in 2020`; only a list can say which paper is meant.
_SPOKEN = re.compile(
    rf"(?<!\w)(?P<names>{PARTICLES}{NAME}(?:(?:\s[A-Z]{{1,3}})?,?\s{ET_AL}(?:’s|'s)?|\sand\s(?:colleagues|co-?workers|others)\b(?:’|')?))"
    rf"(?!\s?[(\[]?\s?(?:19|20)\d\d[a-h]?[)\]]|\s[(\[]{JOURNAL_NAME},?\s(?:19|20)\d\d[a-h]?[)\];])"
    r"(?:[^.;\n]{0,24}?\s(?:in|of)\s(?P<year>(?:19|20)\d\d)\b)?"
)
_POSSESSIVE = re.compile(
    r"(?<![\w'’-])(?P<names>[A-ZÀ-ÖØ-Þ](?:[^\W\d_]|['’-]){1,40}['’]s?)\s(?P<year>(?:19|20)\d\d[a-h]?)(?=\s[a-z])"
)
# "The UKPDS Group (1998)", "World Health Organization (2022)": no more than a list knows.
_BODY = re.compile(
    rf"(?<!\w)(?!The\s)(?P<names>{NAME}(?:\s(?:(?:of|for|on|and|the|in|&)\s){{0,2}}{NAME}){{1,6}})"
    rf"\s[(\[]{YEARS}[)\]]"
)
_OPENS_A_SENTENCE = re.compile(
    r"(?:[A-Z][a-z]+\s(?:[a-z]+\s)?the\s|(?:As|In|By|For|From|When|While|And|But|If|Since)\s)"
)
_ACCORDING_TO = re.compile(
    r"\b(?:according to|as (?:stated|recommended|reported) by)\s(?:the\s)?\Z", re.IGNORECASE
)
_LEAD = 40
_NO_GROUP = re.compile(
    r"(?:Working|Study|Research|Writing|Expert|Control|Treatment|Intervention|Placebo|Comparison|Steering)\s\w+"
)
_IS_A_GROUP = re.compile(
    r"\s(?:Group|Investigators|Collaborat(?:ors|ion)|Trialists|Consortium|Steering Committee|Study Team)\Z"
)
_IS_AN_ORGANISATION = re.compile(
    r"(?:\A|\s)(?:Organi[sz]ation|Association|Society|College|Academy|Institutes?|Administration|Agency"
    r"|Council|Foundation|Federation|Commission|Task Force|Excellence)(?:\s(?:of|for|on)\s.+)?\Z"
)
# "**Smith 2019 (n=204):** HbA1c fell": a study's name at the head of its line; only a list can say that it is one.
_AT_THE_HEAD = re.compile(
    rf"(?m)^[ \t>]*(?:[-*+•][ \t]+)?\*{{0,3}}(?P<names>{PARTICLES}{NAME}(?:,?\s{ET_AL}|\s(?:and|&)\s{NAME})?),?\s"
    rf"{YEARS}(?:\s\([^()\n]{{1,60}}\))?\*{{0,3}}:"
)
# "Berlin und Hamburg (2019)": of two names amid a sentence only a list can say that they are authors.
_APPROVES = frozenset(("FDA", "EMA", "MHRA", "BfArM", "PMDA", "WHO", "CDC", "NIH"))
_HOWEVER = re.compile(r",\s(?:however|(?:by|in) contrast|in turn|too|meanwhile|similarly|likewise|instead),")
_JOINED_IN_PROSE = re.compile(rf"\s(?!{ET_AL})(?:und|et)\s")


def narratives(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `Smith et al. (2020)` and `Smith and Jones (2019, 2021)`; the names stay in the sentence.

    What a list knows, or a bracket of the text spells out, needs fewer words.
    """
    works = {} if reader.labels else reader.named_authors.spelled_out
    for marker in _by_label(reader.text, start, end, reader.labels | works.keys()):
        targets = tuple(
            replace(target, label=WORK + works[label]) if (label := target.label) in works else target
            for target in marker.targets
        )
        yield replace(marker, targets=targets)


def _by_label(text: str, first: int, end: int, labels: Collection[str]) -> Iterator[Marker]:
    for match in _NARRATIVE.finditer(text, first, end):
        names = without_plain_initials(EMPHASIS.sub("", match["names"]))
        cited = [work_label(names, year, labels) for year in years_of(match)]
        sure = joins_beyond_doubt(match["more"]) and not _JOINED_IN_PROSE.search(match["more"])
        sure = sure or _is_what_reports(match) or _is_guidance(match)
        start, longer = start_of_names(text, match.start(), match["year"], labels)
        cited = [longer, *cited[1:]] if longer else cited
        sure = (
            sure or text[start + 1 : start + 2] == "." and match["names"] not in NOT_SURNAMES
        )  # "J. Smith (2020)"
        if (sure or cited[0] in labels) and not NOT_AUTHORS.match(match["names"]):
            yield _in_the_sentence(match, cited, max(start, first))
    yield from _groups(text, first, end, labels)
    for pattern in (_WORK_OF, _IN_JOURNAL, _AT_THE_HEAD):
        for match in pattern.finditer(text, first, end):
            cited = [work_label(EMPHASIS.sub("", match["names"]), year, labels) for year in years_of(match)]
            if all(label in labels for label in cited):
                yield _in_the_sentence(match, cited)
    for match in _POSSESSIVE.finditer(text, first, end):
        label = author_label(match["names"], match["year"])
        if label in labels:
            yield _in_the_sentence(match, [label])
    yield from _spoken_of(text, first, end, labels)


def _groups(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[Marker]:
    """Find `the SPRINT Research Group (2015)`, and organisations that a list knows or that report something."""
    for match in _BODY.finditer(text, start, end):
        opened = _OPENS_A_SENTENCE.match(match["names"])
        whole = [work_label(EMPHASIS.sub("", match["names"]), year, labels) for year in years_of(match)]
        cut = 0 if opened is None or whole[0] in labels else opened.end()
        names = EMPHASIS.sub("", match["names"][cut:])
        cited = [work_label(names, year, labels) for year in years_of(match)]
        is_group = _IS_A_GROUP.search(names) is not None and not _NO_GROUP.fullmatch(names)
        says = REPORTS.match(text, match.end()) or _ACCORDING_TO.search(
            text[max(0, match.start() + cut - _LEAD) : match.start() + cut]
        )
        reports = says and _IS_AN_ORGANISATION.search(names)
        if all(label in labels for label in cited) or is_group or reports:
            yield _in_the_sentence(match, cited, match.start() + cut)


def _is_what_reports(match: re.Match[str]) -> bool:
    """Tell whether a name alone is cited by what it says: `Kim (2019) reported …`, `WHO (2011): 75 mg`."""
    return (
        match["more"] is None
        and match["names"] not in NOT_SURNAMES
        and (
            REPORTS.match(match.string, _behind_aside(match)) is not None
            or is_a_body(match["names"].partition(" ")[0])
            and match.string.startswith(": ", match.end())
        )
    )


def _is_guidance(match: re.Match[str]) -> bool:
    """Tell whether a body of guidelines stands with their year: `the ESC (2020) and …`, not `the FDA (2015)`."""
    names = match["names"]
    return is_a_body(names) and names not in _APPROVES and not tells_when(match.string, match.start())


def _behind_aside(match: re.Match[str]) -> int:
    """Say where "showed" of "Kim (2019), however, showed" may stand."""
    aside = _HOWEVER.match(match.string, match.end())
    return aside.end() if aside else match.end()


def _in_the_sentence(match: re.Match[str], labels: Sequence[str], start: int | None = None) -> Marker:
    """Make a marker whose words the sentence keeps; they begin at `start` where names stand before the match."""
    span = Span(match.start() if start is None else start, match.end())
    written = match.string[span.start : span.end]
    targets = tuple(Target(written, None, label, span.start, span.end) for label in labels)
    return Marker(span.start, span.end, "author_year", targets, span)


def _spoken_of(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[Marker]:
    """Find `Smith et al.` without a year, where the list has one paper by a first author of that name."""
    years: dict[str, set[str]] = {}
    for label in labels:
        name, _, year = label.rpartition(" ")
        if re.fullmatch(r"(?:19|20)\d\d[a-h]?", year):
            years.setdefault(name, set()).add(year)
    if not years:
        return
    for match in _SPOKEN.finditer(text, start, end):
        names = first_author(match["names"])
        known = years.get(surname_of(names), set())
        wanted = {year for year in known if match["year"] in (None, year, year[:4])}
        if len({year[:4] for year in wanted}) == len(wanted) == 1:
            span = Span(match.start(), match.end("names"))
            target = Target(match["names"], None, f"{surname_of(names)} {wanted.pop()}", span.start, span.end)
            yield Marker(span.start, span.end, "author_year", (target,), span)
