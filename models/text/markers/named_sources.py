"""Sources cited by name alone: `(UKPDS 34, Lancet 1998;352:854-65)`, and `Source: NICE NG28 guideline, 2022.`."""

import re
from collections.abc import Iterator, Sequence

from medassay.models.records import Span
from medassay.models.text.identifiers.reading import Atom, atoms
from medassay.models.text.labels.author_names import NAME, PARTICLES
from medassay.models.text.labels.author_patterns import is_author_and_year, looser_readings
from medassay.models.text.labels.forms import PLAIN_DIGITS, WORK
from medassay.models.text.labels.places import NOT_SURNAMES
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.named_files import file_targets
from medassay.models.text.references.entries.labels import is_only_labels
from medassay.models.text.references.works import (
    BETWEEN,
    is_a_body,
    names_a_work,
    names_sources,
    names_who_published,
    without_lead,
)

_LINE = re.compile(
    r"(?:(?<=[.!?)\]:;\"”])[ \t]{1,4}|^[ \t>*•–-]{0,12})"
    r"(?P<all>[*_]{0,3}(?:sources?(?:\s(?:documents?|files?))?|ref(?:erence)?s?|quelle|evidence|citations?)[*_]{0,3}"
    r"\s?(?::|[–—-](?=\s))[ \t*_]{0,6}"
    r"(?P<name>[^\n]{3,400}))",
    re.IGNORECASE | re.MULTILINE,
)
_POINTS = re.compile(r"\]\(|\[\^?\d|[⁰¹²³⁴-⁹]")
_OF_LABELS = re.compile(
    r"(?:(?<=[.!?)\]:;\"”])[ \t]{1,4}|^[ \t>*•–-]{0,12})"
    r"(?P<all>[*_]{0,3}(?:sources?|ref(?:erence)?s?|citations?|quellen?)[*_]{0,3}\s?:[ \t*_]{0,6}"
    r"(?:\n[ \t]{0,8}(?=\[\d))?(?P<rest>[^\n]{1,200}))$",
    re.IGNORECASE | re.MULTILINE,
)
_NAME_WITH_LABEL = re.compile(r"(?P<name>[^\[\]\n]{2,120})\[(?P<labels>[\d\s,;–-]{1,40})\][\s.*_]*")
_BRACKETED = re.compile(r"(?:\[\d[\d\s,;–-]{0,40}\][\s,;.*_]*)+")
_NUMBER = re.compile(r"(?P<low>\d{1,3})(?:\]?\s?[-–—]\s?\[?(?P<high>\d{1,3}))?")
# All sections of a drug's label are one source.
_SECTION = re.compile(
    r"(?<=\w)[,:]?\s(?:§{1,2}|[Ss]ec(?:t(?:ions?)?)?\b\.?|Abschnitte?|[Rr]ubriques?|[Ss]ecci[óo]n)\s?\d[\d.]*(?:\s?[,–-]\s?[\d.]+)*\Z"
)
# "Gray SL, JAMA 2015;175:401-7; aHR 1.54": what it found is no part of its name.
_RESULT = re.compile(r";\s(?:adj\w*\s)?(?:a?[HOR]R|IRR|SMD|MD|NN[TH]|[np])\b\W{0,3}\d[^\n]*\Z")
_OF_A_BODY = re.compile(
    r"\s*(?P<name>(?P<body>[A-Z][A-Za-z]{2,9}(?:/[A-Z]{2,9})*),?\s"
    r"(?!(?i:grades?|stages?|class|groups?|types?|category|levels?|scores?|criteria|performance|PS|functional|step)\b)"
    r"(?=[^\[\]\n]*(?:(?:19|20)\d\d|\bch(?:apter|\.)?\s?\d|\b[Ss]ec(?:t(?:ion)?)?\.?\s\d))"
    r"(?![^\[\]\n]*\b(?:approv|authori[sz]|licen[cs]|trust|cohort))[^\[\]\n;=<>%]{3,60}?)(?:,\s(?:pp?\.|pages?)\s?\d[\d.–-]{0,9})?\s*"
)
# "Sepsis Protocol v3, §2.1"
_PART_OF_A_DOCUMENT = re.compile(
    r"\s*(?P<name>(?!(?:Tables?|Fig(?:ure)?s?|Box|Sections?|Chapters?|Appendix|Annex|Part|Step|Box)\b)"
    r"[A-Z][\w&/.-]*(?:\s[\w&/.-]+){1,8}),\s(?:§{1,2}\s?|pp?\.\s?|pages?\s|[Ss]ect(?:ion)?\.?\s)(?!0)\d[\d.–-]*\s*"
)
_SAID_TO_BE = re.compile(r"\s*(?:sources?|refs?|references?)\s?:\s", re.IGNORECASE)
_CLOSES = re.compile(r"\s?(?:[.,;!?\[\n]|\Z)")
_REFERENCE_WORK = re.compile(
    r"\s*(?P<name>(?:DailyMed|UpToDate|DynaMed|LactMed|StatPearls|MedlinePlus|Medscape|Micromedex|Lexi-?[Cc]omp|GeneReviews"
    r"|Orphanet|Drugs\.com|BMJ Best Practice|Merck Manuals?)(?:[,:]\s[^\[\]\n;]{2,60})?"
    r"|(?!(?i:open|off|double|single|black|private|white|generic|current|clinical|new)\b)(?:[A-Z][\w/-]*\s)(?:[A-Za-z][\w/-]*\s){0,2}(?:[Ll]abel(?:ling|ing)?"
    r"|[Pp]rescribing [Ii]nformation|[Pp]ackage (?:[Ii]nsert|[Ll]eaflet)"
    r"|PI|SmPC|REMS|[Gg]uidelines?|[Gg]uidance|[Dd]rug [Ss]afety [Cc]ommunication))"
    r"(?:,\s(?:pp?\.|pages?|sect(?:ion|\.)|§)\s?\d[\d.–-]{0,9})?\s*"
)
# "PMID 29527974 (CARES)", without the number.
_TRIAL_BESIDE = re.compile(r"[\s,;]*\([A-Z][\w -]{2,30}\)[\s.*_]*")
_QUOTED = re.compile(r"\s*[*_]{0,3}[\"“„«][^\"”“»\n]+")
_LOOSE_ENDS = re.compile(r"(?:[\s.,;:*_]|\(\s*\)|\[\s*\])+\Z")
_COMMA = re.compile(r",\s(?:(?:and|und|et|y)\s)?|\s(?:and|und|et|y)\s(?=[A-Z]{2})")
# "Janssens 2008, Lancet 371:1854–60 and Rainer 2016, Ann Intern Med 164:464–71"
_AND_A_WORK = re.compile(
    r"(?<=\d)\s(?:and|&)\s(?=[A-Z][\w’'-]+(?:\s[A-Z]{1,3})?,?\s(?:et al\.?,?\s)?(?:19|20)\d\d\b)"
)
# "Waugh 2013 HTA 17(55)" among works
_NAME_YEAR_PLACE = re.compile(
    rf"{PARTICLES}{NAME},?\s(?:19|20)\d\d,?\s[A-Z][\w. ]{{1,40}}\s"
    r"\d{1,4}(?:\(\d{1,4}\))?(?::[A-Za-z]?\d{1,6}(?:[-–]\d{1,6})?)?"
)
_NEXT_SENTENCE = re.compile(r"\.\s+(?=[*_]{0,3}[A-Z])")
_LABELLED = re.compile(r"[*_]{0,3}[A-Z][\w ]{2,30}[*_]{0,3}:")


def named_works(text: str, first: int, start: int, end: int, last: int) -> list[Marker]:
    """Read the works that text[start:end] names, the inside of a bracket; words beside them stay in the claim."""
    bounds = pieces(text, start, end)
    led = _SAID_TO_BE.match(text, start, end) is not None
    named = [
        (low, high)
        for low, high in bounds
        if names_a_work(text[low:high]) or _is_said_to_be(text[low:high], led)
    ]
    if not named:
        return []
    beside = [(low, high) for low, high in bounds if _NAME_YEAR_PLACE.fullmatch(text[low:high].strip())]
    named = sorted({*named, *beside})
    targets = tuple(work_target(text[low:high].strip(), low, high) for low, high in named)
    if len(named) == len(bounds):
        return [Marker(first, last, "named", targets)]
    apart = len(bounds) - len(named)
    if bounds[apart:] == named:  # "(aHR 1.54; Gray SL, JAMA 2015;175:401-7)"
        return [Marker(bounds[apart - 1][1], end, "named", targets)]
    if bounds[: len(named)] == named:
        return [Marker(start, bounds[len(named)][0], "named", targets)]
    return [Marker(first, last, "named", targets, Span(first, last))]


def _is_said_to_be(words: str, led: bool) -> bool:
    """Tell whether a source is said to be one and dated: `Source: Cortese 2018 Lancet Psychiatry`; `led`: all are."""
    said = _SAID_TO_BE.match(words)
    rest = words[said.end() :] if said else words if led else ""
    return bool(rest) and (is_author_and_year(rest) or any(looser_readings(rest)))


def reference_work(text: str, first: int, start: int, end: int, last: int) -> Marker | None:
    """Read `[DailyMed]` and `[Xarelto prescribing information]` at the end of a sentence, in square brackets."""
    if text[first] != "[" or not _CLOSES.match(text, last):
        return None
    named = (
        _REFERENCE_WORK.fullmatch(text, start, end)
        or _paper_of_a_body(text, start, end)
        or _PART_OF_A_DOCUMENT.fullmatch(text, start, end)
    )
    if named is None:
        return None
    target = Target(text[first:last], None, f"named:{named['name'].strip()}", first, last)
    return Marker(first, last, "named", (target,))


def _paper_of_a_body(text: str, start: int, end: int) -> re.Match[str] | None:
    """Read `JCVI 2023-06-07`, `UKHSA Green Book ch22` and `EMA EPAR 2022, p. 41`; not `WHO grade 2`."""
    named = _OF_A_BODY.fullmatch(text, start, end)
    if named is None or not is_a_body(named["body"]) or has_finite_verb(named["name"]):
        return None
    words = re.findall(r"[^\W\d_]+", named["name"])[1:]
    return None if words and NOT_SURNAMES.issuperset(words) else named  # "WHO, Geneva 2019"


def work_beside(text: str, start: int, end: int) -> Target | None:
    """Read `FDA label` and `ADA Standards of Care 2024` of a bracket that holds an identifier, too."""
    name = text[start:end].strip()
    if _REFERENCE_WORK.fullmatch(name):
        return Target(name, None, f"named:{name}", start, end)
    return work_target(name, start, end) if names_a_work(name) else None


def source_lines(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `Source: …` and `Reference: …` behind a sentence or on a line, where what follows names a source."""
    yield from _lines_of_labels(reader, start, end)
    text = reader.text
    for line in _LINE.finditer(text, start, end):
        if _POINTS.search(line["name"]):
            continue
        if files := file_targets(text, *line.span("name")):
            yield Marker(line.start("all"), line.end(), "named", files)
            continue
        if named := atoms(line["name"]):
            if (identified := _identified(line, named)) is not None:
                yield identified
            continue
        if name := _name_in(line["name"]):
            at = line.start("name")
            targets = tuple(
                work_target(name[low:high].rstrip(" .*_"), at + low, at + high)
                for low, high in pieces(name, 0, len(name))
            )
            yield Marker(line.start("all"), at + len(name), "named", targets)


def _identified(line: re.Match[str], named: Sequence[Atom]) -> Marker | None:
    """Read `Source: White WB, NEJM 2018;378:1200 (PMID 123)`: the identifiers say which source is meant."""
    stop = _NEXT_SENTENCE.search(line["name"], named[-1].end)
    name = line["name"][: stop.start() + 1 if stop else None].rstrip()
    bare = name
    for atom in reversed(named):
        bare = bare[: atom.start] + bare[atom.end :]
    if not (_TRIAL_BESIDE.fullmatch(bare) or names_sources(_LOOSE_ENDS.sub("", bare))):
        return None
    if (quoted := _QUOTED.match(bare)) and has_finite_verb(quoted[0]):
        return None  # what the source says
    at = line.start("name")
    targets = (Target(name[a.start : a.end], a.source_id, None, at + a.start, at + a.end) for a in named)
    return Marker(line.start("all"), at + len(name), "identifier", tuple(targets))


def _lines_of_labels(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `Sources: 1, 2` and `Source: Smith 2020 [1]`, where the reference list has all these numbers.

    Where there is no list, `Source: [1]` still cites.
    """
    for line in _OF_LABELS.finditer(reader.text, start, end):
        named = _NAME_WITH_LABEL.fullmatch(line["rest"])
        labels, at = line["rest"].translate(PLAIN_DIGITS), line.start("rest")
        if named and named["name"].strip()[:1].isupper() and not has_finite_verb(named["name"]):
            labels, at = named["labels"], at + named.start("labels")
        elif not is_only_labels(line["rest"]):
            continue
        targets = []
        for number in _NUMBER.finditer(labels):
            span = (at + number.start(), at + number.end())
            low, high = int(number["low"]), int(number["high"] or number["low"])
            targets += [reader.number(str(n), *span, False) for n in range(low, high + 1)]
        dangling = not reader.labels and _BRACKETED.fullmatch(line["rest"])
        if targets and (dangling or all(reader.known(target.label or "") for target in targets)):
            yield Marker(line.start("all"), line.end(), "bracket", tuple(targets))


def pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut what stands between two semicolons, where a capital follows, and bodies at their commas: `NHS, CDC`."""
    stops = [(stop.start(), stop.end()) for stop in BETWEEN.finditer(text, start, end)]
    stops = sorted(
        [*stops, *((joint.start(), joint.end()) for joint in _AND_A_WORK.finditer(text, start, end))]
    )
    found: list[tuple[int, int]] = []
    for low, high in zip(
        [start, *(after for _, after in stops)], [*(at for at, _ in stops), end], strict=True
    ):
        commas = [(comma.start(), comma.end()) for comma in _COMMA.finditer(text, low, high)]
        parts = list(zip([low, *(b for _, b in commas)], [*(a for a, _ in commas), high], strict=True))
        apart = all(names_who_published(text[first:last].strip(" .*_")) for first, last in parts)
        found += parts if apart else [(low, high)]
    return found


def work_target(name: str, start: int, end: int) -> Target:
    """Make a target of a work by its name; emphasis, a lead such as "see" and the section of a label are left out."""
    whole = _RESULT.sub("", without_lead(re.sub(r"[*_]+", "", name)))
    return Target(name, None, WORK + _SECTION.sub("", whole), start, end)


def _name_in(line: str) -> str | None:
    """Return the name that a line begins with, without the sentence behind it."""
    name = line.rstrip()
    for stop in _NEXT_SENTENCE.finditer(name):
        if has_finite_verb(name[stop.end() :]) or _LABELLED.match(name, stop.end()):
            if names_sources(name[: stop.start()]):
                return name[: stop.start() + 1]
            break
    return name if names_sources(name) else None
