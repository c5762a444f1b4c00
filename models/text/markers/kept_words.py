"""What of a marker must stay so that its sentence still reads: `according to [1] and [2], it helps`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from medassay.models.records import Span
from medassay.models.text.identifiers.registries import REGISTERED
from medassay.models.text.language.reporting import REPORTS
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.markers.marks import Marker
from medassay.models.text.markers.sharing import TAKEN_FROM

_GOVERNED = re.compile(
    r"(?:^|[\s(])(?:according to|in|by|from|per|of|on|at|with|under|via|see|also|the|an?|and|or|to"
    r"|as|visit|study|trial|trials?|article)\s\Z",
    re.IGNORECASE,
)
_SHORTENED = re.compile(
    r"\b(?:al|cf|vs|ca|esp|incl|excl|e\.g|i\.e|figs?|eqs?|tabs?|refs?|nos?|drs?|prof|approx|etc"
    r"|wks?|yrs?|mos?|hrs?|mins?|(?:[a-z]\.\s?){1,3}[a-z])\.\s\Z",
    re.IGNORECASE,
)
# What stands before a bracket that a sentence speaks of: "the authors of [3]", "compared with [1]", "both [1] and [2]".
_SPEAKS_OF = re.compile(
    r"(?:\b(?:according to|in|by|from|per|see|between|via|unlike|than|versus|vs\.?"
    r"|(?:compared|consistent|line|agreement|contrast|similar|contrary|identical)\s(?:with|to)"
    r"|(?:authors?|results?|findings?|conclusions?|data|protocols?|methods?|populations?|design|one|those|that)\sof"
    r"|(?:figs?\.?|figures?|tables?|sections?|chapters?)\s\w{1,4}\sof)"
    r"|(?P<both>\b(?:both|as))|(?:(?:^|[.!?;,:(]\s|\b(?:and|or|but|in|of|by|from|with|than|while|whereas|to)\s)"
    r"(?:study|trial|paper|article|report|doc(?:ument)?|review))"
    r"|(?P<named>\b(?:refs?\.?|references?|sources?|citations?)))\s\Z",
    re.IGNORECASE,
)
_SPEAKS = re.compile(rf"{REPORTS.pattern}|:\s\w")
_JOINED = re.compile(
    r"(?:[,;]\s|(?:^|[,;]?\s)(?:and|but|while|whereas|although|though|because|that|as)\s)\Z", re.IGNORECASE
)
_OPENS_ITS_LINE = re.compile(r"(?:\A|\n)[ \t>*_•–-]*\[?\Z")
_STOP_BEHIND = re.compile(r"[*_]*[.!](?:\s|\Z)")
_AND_ANOTHER = re.compile(r"\s(?:and|&)\s\[")
_AND = re.compile(r"\s?(?:,\s?)?(?:(?:and|or|&)\s)?")
_WIDEST_AND = 15
_SUBJECTS = re.compile(r"(?:,?\s\[\d{1,3}\]){0,20},?\s(?:and|or|&)\s\[\d{1,3}\]\s(?!(?:and|or)\b)[a-z]")
# "It helps. See [3]." says no more than "It helps [3]."; so does "Adapted from [3]." under a table.
_ONLY_SEE = re.compile(rf"(?:[.!?]\s|\n)[*_(]*(?:see|{TAKEN_FROM})\s\Z", re.IGNORECASE)
# "([1]: 30–50 %; [2]: 60 %)"
_OPENS_AN_ASIDE = re.compile(r"[(;]\s?\Z")
_SAYS_WHAT_IT_FOUND = re.compile(r":\s\S")
_STOPS = re.compile(r"[*_)]*\.?[*_)]*(?:\s|\Z)(?!\s?[a-z])")
# "Trials so far: NCT04368728 (BNT162b2), NCT04470427 (mRNA-1273)" is a list of them.
_LISTS = re.compile(r"[:,;]\s(?:and\s)?\Z")
_SAYS_WHICH = re.compile(r"\s\([A-Za-z]")
# Not with "mTOR" and "p53", which begin sentences as they are.
_GOES_ON = re.compile(r"\s?(?![a-z]{1,2}[A-Z]|p\d|[a-z]-[A-Z])[a-zà-ÿ]")
_UNFINISHED = re.compile(
    r"(?:[,;:]|\b(?:and|but|or|so|that|however|because|since|although|though|while|whereas))\s\Z",
    re.IGNORECASE,
)
# "The dose is [5 mg](…)", "Patients should [avoid alcohol](…)": nothing ends so.
_NEEDS_MORE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|can|could|may|might|should|must|will|would|not|to|the|an?|than"
    r"|includ(?:e|es|ed|ing)|causes?|reduces?|increases?|avoid|try)\s\Z",
    re.IGNORECASE,
)
_SENTENCE_BEFORE = re.compile(r"[.!?]\s|\n")
_LONGEST_CLAUSE = 200
_GOES_ON_AFTER_LINK = re.compile(
    r"\s(?!(?:and|or|but|while|whereas|so|which|although|because|if|when|as|with|in|for|to|by"
    r"|on|at|than|but|that)\b)[a-zà-ÿ]"
)


def with_kept_words(text: str, markers: Sequence[Marker]) -> list[Marker]:
    """Say of each marker, in order, which part of it must stay; a sentence that needs one of several needs them all."""
    found: list[Marker] = []
    for original in markers:
        marker = _with_words(text, original)
        before = found[-1] if found else None
        if before and _joins_linked_words(text, before, original) and marker.words is None:
            marker = original
        elif before and _joins_a_source(text, before, marker):
            marker = replace(marker, words=None)
        if (
            before
            and marker.words is None
            and before.words == Span(before.start, before.end)
            and text[before.start] == text[marker.start] == "["
            and _AND.fullmatch(text, before.end, min(marker.start, before.end + _WIDEST_AND))
            and marker.start - before.end < _WIDEST_AND
        ):
            marker = replace(marker, words=Span(marker.start, marker.end))
        found.append(marker)
    return found


def _joins_linked_words(text: str, before: Marker, marker: Marker) -> bool:
    """See the second link of "include [nausea](…) and [diarrhea](…)", whose first is a word of its sentence."""
    linked = before.kind == marker.kind == "link" and before.words is not None and marker.words is not None
    return (
        linked and _AND.fullmatch(text, before.end, min(marker.start, before.end + _WIDEST_AND)) is not None
    )


def _joins_a_source(text: str, before: Marker, marker: Marker) -> bool:
    """See the second link of "It helps [Smith 2020](…) and [Jones 2021](…)", whose first is no word of its sentence."""
    linked = before.kind == marker.kind == "link" and before.words is None and marker.words is not None
    if not linked or not _AND.fullmatch(text, before.end, min(marker.start, before.end + _WIDEST_AND)):
        return False
    assert marker.words is not None
    title = text[marker.words.start : marker.words.end]
    return title[:1].isupper() and not has_finite_verb(title)


def _with_words(text: str, marker: Marker) -> Marker:
    """Say which part of a marker must stay so that the sentence still reads."""
    before, after = text[max(0, marker.start - 24) : marker.start], text[marker.end : marker.end + 24]
    stopped = re.search(r"(?:[.!?:]\s|\n[\s>*•-]*)\Z", before) is not None
    opens = not before.strip() or (stopped and not _SHORTENED.search(before))
    if marker.kind in ("author_year", "named"):
        # "Yes. [Cochrane, 2019] found that it helps", "[NICE NG120]: give honey"
        speaks = opens and marker.words is None and text[marker.start] in "[(" and _SPEAKS.match(after)
        return replace(marker, words=Span(marker.start, marker.end)) if speaks else marker
    if marker.kind == "link":
        if marker.words is None:
            return _with_bare_title(text, marker, before)
        if not marker.targets:
            return marker
        governed = (
            _GOVERNED.search(before)
            or _GOES_ON_AFTER_LINK.match(after)
            or (opens and re.match(r"\s?[a-z:–—]", after))
            or _is_a_statement(text[marker.words.start : marker.words.end], before, after)
            or _finishes_a_clause(text, marker.words)
        )
        return marker if governed else replace(marker, words=None)
    bracketed = text[marker.start] in "([【"
    if (
        (opens or _JOINED.search(before))
        and text[marker.start] == "("
        and marker.kind in ("bracket", "document")
        and REPORTS.match(after)
    ):
        return replace(marker, words=Span(marker.start, marker.end))  # "(Document 1) states that …"
    if bracketed and text[marker.start] != "[" or marker.kind == "superscript":
        return marker
    if bracketed:
        subject = opens and bool(_GOES_ON.match(after) or _are_the_subject(text, marker))
        governor = _SPEAKS_OF.search(before)
        led_to = governor is not None and _leads(governor, after)
        joined = _JOINED.search(before) is not None and REPORTS.match(after) is not None
        only_sees = _ONLY_SEE.search(before) is not None and _STOPS.match(after) is not None
        explained = (
            _OPENS_AN_ASIDE.search(before) is not None and _SAYS_WHAT_IT_FOUND.match(after) is not None
        )
        stays = subject or joined or explained or (led_to and not only_sees)
    else:
        listed = _is_a_trial(marker) and _LISTS.search(before) and _SAYS_WHICH.match(after)
        stays = bool(_GOVERNED.search(before) or listed or (opens and _GOES_ON.match(after)))
    return replace(marker, words=Span(marker.start, marker.end)) if stays else marker


def _is_a_trial(marker: Marker) -> bool:
    """Tell whether a marker is the number of a trial in a register."""
    target = marker.targets[0] if marker.targets else None
    return target is not None and (
        (target.source_id or "").startswith("nct:") or re.match(REGISTERED, target.written) is not None
    )


def _with_bare_title(text: str, marker: Marker, before: str) -> Marker:
    """Keep the title of a link that says nothing by itself where a word leads to it: `in [PMID 1](https://…)`."""
    close = text.find("](", marker.start, marker.end)
    governor = _SPEAKS_OF.search(before)
    if text[marker.start] != "[" or close < 0 or governor is None or governor.lastgroup:
        return marker
    number = text[marker.start + 1 : close].isdecimal()
    return replace(marker, words=Span(marker.start + (not number), close + number))


def _leads(governor: re.Match[str], after: str) -> bool:
    """Tell whether a sentence needs the bracket behind "Ref." or "both", as it does behind "in" and "by"."""
    if governor["both"]:
        return _AND_ANOTHER.match(after) is not None
    return not (governor["named"] and _STOPS.match(after))


def _is_a_statement(title: str, before: str, after: str) -> bool:
    """Tell whether a link opens its line as a sentence and is no work's title: `[Statins lower LDL](https://…).`."""
    stopped = title.endswith((".", "!")) or _STOP_BEHIND.match(after) is not None
    return stopped and _OPENS_ITS_LINE.search(before) is not None and has_finite_verb(title)


def _finishes_a_clause(text: str, title: Span) -> bool:
    """Tell whether the words of a link are those that its sentence lacks: `In children, [stretching helps](…)`."""
    said = text[max(0, title.start - _LONGEST_CLAUSE) : title.start - 1]
    said = _SENTENCE_BEFORE.split(said)[-1]
    if _NEEDS_MORE.search(said):
        return True
    if not _UNFINISHED.search(said) or not has_finite_verb(text[title.start : title.end]):
        return False
    return text[title.start].islower() or not has_finite_verb(said)


def _are_the_subject(text: str, marker: Marker) -> bool:
    """Tell whether a sentence begins with several markers that do something: `[1], [2], and [3] found that`."""
    return _SUBJECTS.match(text, marker.end) is not None
