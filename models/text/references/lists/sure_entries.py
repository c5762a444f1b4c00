"""Labelled lines that are entries even where no heading says so: each by itself, or all of a run together."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.files import files_in
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.references.entries.authors import begins_with_authors
from medassay.models.text.references.entries.evidence import (
    BIBLIOGRAPHIC,
    IN_PARENTHESES,
    PUBLISHER_WORD,
    Evidence,
    evidence_of,
    is_titled_address,
    without_named,
)
from medassay.models.text.references.entries.labels import form_of, label_of, number_of, written_label
from medassay.models.text.references.entries.lines import Line, is_rule
from medassay.models.text.references.entries.titles import segments
from medassay.models.text.references.entries.years import YEAR
from medassay.models.text.references.lists.headings import heads_a_list
from medassay.models.text.references.works import names_a_work

_FORMS = (
    "square",
    "linked",
    "wide",
    "plain",
    "numbered",
    "bare",
    "round",
    "raised",
    "sup",
    "caret",
    "braced",
    "spelled",
    "letter",
)
_CITES = re.compile(
    r"(?:[^\W_][).,*_]{0,3}\s?\[\d{1,3}(?:[\s,;–-]+\d{1,3})*\](?!\()|[a-z)][.]?[⁰¹²³⁴-⁹]+(?!\w))[.\s*_]*"
)
_DEFINES = re.compile(r"[ \t]*\[\^?\d{1,3}\]:\s")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SPELLED_OUT = re.compile(r"[^\W\d_]{3}")  # "Source 1" rather than "T1", which may be a tumour's stage
_INITIALS = re.compile(r"\b[A-Z]{2,}\b")  # "HAS" is a body, and no verb
# "SPILF. Systemic antibiotics. 2019. https://…"
_ENDS_DATED = re.compile(r"[.,;]\s\(?(?:19|20)\d\d\)?[.,;]?(?:\s+<?https?://\S+)?[\s.]*\Z")
_LONGEST = 1500
_LONGEST_PUBLISHER = 5  # words
# "[1] Bolland 2018; [2] LeBoff 2022 (VITAL)", the whole of a line behind its first label.
_AUTHOR_AND_YEAR = (
    r"[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s(?:et\sal\.?|(?:and|&)\s[A-Z][\w'’-]+))?"
    r",?\s(?:19|20)\d\d[a-h]?(?:\s\([^()\n]{1,40}\))?"
)
_AUTHORS_AND_YEARS = re.compile(
    rf"\s*{_AUTHOR_AND_YEAR}(?:[;,.]\s*\[\d{{1,3}}\]\s*{_AUTHOR_AND_YEAR}){{0,60}}[\W_]*"
)
_LONGEST_RUN = 500
_MOST_CAPITALS = 0.75


@dataclass(frozen=True)
class _Numbered:
    """A line with a number, and what is written behind the number on it and the lines below."""

    raw: str
    body: str

    def is_cited(self, cited: Collection[str]) -> bool:
        label = label_of(self.raw)
        return label is not None and _is_cited(label, cited)

    def is_cited_in_words(self, cited: Collection[str]) -> bool:
        label = label_of(self.raw)
        if label is None or form_of(label) != "spelled" or not _SPELLED_OUT.match(written_label(label)):
            return False
        return written_label(label).casefold() in cited

    @property
    def is_bibliographic(self) -> bool:
        return BIBLIOGRAPHIC.search(self.body) is not None and evidence_of(self.body) >= Evidence.LIKELY

    @property
    def is_defined(self) -> bool:
        """Whether it is written as Markdown defines a link, `[1]: Lincoff 2023, NEJM`, and dated."""
        dated = YEAR.search(self.body) is not None and evidence_of(self.body) >= Evidence.LIKELY
        return _DEFINES.match(self.raw) is not None and dated and not _CITES.search(self.body)

    @cached_property
    def is_sure(self) -> bool:
        label = label_of(self.raw)
        return label is not None and is_sure_entry(self.raw, label) and not cites_in_parentheses(self.body)


def _place_of(label: re.Match[str]) -> int | None:
    """Return a label's number, or the place in the alphabet of `[A]`."""
    letter = written_label(label)
    lettered = form_of(label) == "square" or form_of(label) == "letter" and letter.islower()
    if lettered and len(letter) == 1 and letter.isascii() and letter.isalpha():
        return ord(letter.upper()) - ord("A") + 1
    return number_of(label)


def _is_cited(label: re.Match[str], cited: Collection[str]) -> bool:
    return normalise_label(written_label(label)) in cited


def is_sure_entry(raw: str, label: re.Match[str]) -> bool:
    """Tell whether a labelled line is an entry even where no heading says so: it has to name a publication."""
    body = raw[label.end() :]
    form = form_of(label)
    if form == "square" and raw.lstrip(" >*-").startswith("[^") and ":" in raw[label.end() - 3 : label.end()]:
        return True
    if form == "square" and _AUTHORS_AND_YEARS.fullmatch(body):
        return True
    told = evidence_of(body)
    if told < Evidence.LIKELY or form in ("letter", "small"):
        return False
    named = atoms(body)
    if named and sum(a.end - a.start for a in named) > 0.6 * len(body.rstrip()) or is_titled_address(body):
        return True
    if form in ("square", "spelled", "raised") and (
        files_in(body.strip()) or names_a_work(body.strip(" *_"))
    ):
        return True
    if named and YEAR.search(body) and not body[named[-1].end :].strip(" .)]>*_"):
        if len(segments(body)) > 1 and not has_finite_verb(without_named(body, named)):
            return True  # "1. Safety of warfarin. JAMA, 2018. https://…"
    authored = form in ("square", "braced", "linked", "bib", "spelled") or begins_with_authors(
        body.strip(" *_")
    )
    return BIBLIOGRAPHIC.search(body) is not None or authored and bool(named)


def follows_an_item(above: str, label: re.Match[str], cited: Collection[str]) -> bool:
    """Tell whether "2. …", which nothing cites, stands right below "1. …": the next item of the text's own list."""
    before = label_of(above)
    if (
        before is None
        or form_of(label) not in ("plain", "numbered", "bare", "round")
        or _is_cited(label, cited)
    ):
        return False
    number = number_of(label) or 0
    return number > 1 and form_of(before) == form_of(label) and number_of(before) == number - 1


def end_of_run(text: str, lines: Sequence[Line], at: int, cited: Collection[str]) -> tuple[int, bool]:
    """Follow labels of one form that count up or are cited from a line on; say whether a list has these entries.

    It does where the first is cited, and each other one is or plainly is an entry; one of them surely is an entry,
    and none states something. With brackets around their numbers, or where all end in a year and the answer with
    them, it is enough that all tell who published them, and of `Source 1:` that all are cited as `[Source 1]` and
    none states something.

    Returns:
        The number of the line after the last, and whether the run is a list.
    """
    first = label_of(text[lines[at].start : lines[at].end])
    if first is None or form_of(first) not in _FORMS or _place_of(first) is None:
        return at, False
    starts: list[tuple[int, int]] = []
    seen: set[int] = set()
    after, expected = at, _place_of(first)
    while after < len(lines) and len(starts) <= _LONGEST_RUN:
        line = lines[after]
        raw = text[line.start : line.end]
        label = label_of(raw)
        number = _place_of(label) if label and form_of(label) == form_of(first) else None
        new = number is not None and number not in seen
        if label and number is not None and new and (number == expected or _is_cited(label, cited)):
            starts.append((after, line.start + label.end()))
            seen.add(number)
            expected = number + 1
        elif label or line.after_blank or is_rule(raw) or heads_a_list(raw):
            break
        after += 1
    ends = [n for n, _ in starts[1:]] + [after]
    run = [
        _Numbered(text[lines[n].start : lines[n].end], text[start : lines[end - 1].end])
        for (n, start), end in zip(starts, ends, strict=True)
    ]
    if run and all(one.is_cited_in_words(cited) for one in run):
        return after, all(evidence_of(one.body) > Evidence.STATEMENT for one in run)
    if len(run) < 2 or not run[0].is_cited(cited):
        return after, False
    if form_of(first) == "letter":  # "a. Aspirin", "b. Ibuprofen" are as often what the text speaks of
        return after, all(one.is_cited(cited) and one.is_bibliographic for one in run)
    cites_all = all(one.is_cited(cited) or one.is_sure or _tells_who_published(one.body) for one in run)
    if not any(one.is_sure for one in run):
        bracketed = form_of(first) in ("square", "spelled", "raised")
        dated = after == len(lines) and all(_ENDS_DATED.search(one.body) for one in run)
        published = all(_tells_who_published(one.body) for one in run)
        defined = after == len(lines) and all(one.is_defined for one in run)
        return after, cites_all and ((bracketed or dated) and published or defined)
    return after, cites_all and all(_names_something(one.body) for one in run)


def cites_in_parentheses(body: str) -> bool:
    """Tell whether what a line names stands in parentheses behind its words, as a finding cites it."""
    if begins_with_authors(body.strip(" *_")) or is_titled_address(body):
        return False
    outside = IN_PARENTHESES.sub(" ", body)
    return not (atoms(outside) or BIBLIOGRAPHIC.search(outside))


def _tells_who_published(body: str) -> bool:
    """Tell whether a publisher or a year stands apart from a title that states nothing."""
    if evidence_of(body) < Evidence.LIKELY or _CITES.search(body):
        return False
    if has_finite_verb(_INITIALS.sub(" ", without_named(body, atoms(body)))):
        return False
    parts = segments(body[:_LONGEST])
    apart = (part for part in parts if len(part.split()) <= _LONGEST_PUBLISHER)
    return len(parts) > 1 and any(YEAR.search(part) or PUBLISHER_WORD.search(part) for part in apart)


def _is_dated_name(body: str) -> bool:
    """Tell whether nearly all words have capitals, beside a year: `ISMP Do Not Crush List (2024 ed.)`."""
    words = _WORD.findall(IN_PARENTHESES.sub(" ", body))
    capitals = sum(word[0].isupper() for word in words)
    return YEAR.search(body) is not None and len(words) > 2 and capitals >= _MOST_CAPITALS * len(words)


def _names_something(body: str) -> bool:
    """Tell whether an entry beside sure ones may name a publication: what only states something names none."""
    body = body[:_LONGEST]
    if not (_WORD.search(body) or atoms(body)) or _CITES.search(body):
        return False
    if evidence_of(body) > Evidence.STATEMENT or _is_dated_name(body):
        return True
    stated = False
    for part in segments(IN_PARENTHESES.sub(" ", re.sub(r"[*_`]+", "", body))):
        named = atoms(part)
        if has_finite_verb(without_named(part, named)):
            stated = True
        elif named or stated and (YEAR.search(part) or PUBLISHER_WORD.search(part)):
            return True
    return False
