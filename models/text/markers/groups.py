"""Bracketed citations: what stands between brackets, read as a list of sources or left as prose."""

import re
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.markers.authors import author_citations
from medassay.models.text.markers.footnote_tags import cited_again, footnote_name
from medassay.models.text.markers.intervals import is_interval, numbers_a_name, numbers_its_line
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.labels_with_names import label_and_name
from medassay.models.text.markers.lookalikes import is_superscript_of_its_word
from medassay.models.text.markers.marks import Marker, MarkerKind, Target
from medassay.models.text.markers.mixed_brackets import mixed_targets, sources_apart
from medassay.models.text.markers.named_files import named_files
from medassay.models.text.markers.named_sources import named_works, reference_work
from medassay.models.text.markers.numbers_behind_words import numbers_behind_words, numbers_beside_a_grade
from medassay.models.text.markers.parenthesised import bare_pmids, numbers_in_parentheses
from medassay.models.text.markers.supplied_documents import with_places
from medassay.models.text.references.entries.evidence import PUBLISHER_WORD, domain_alone

_BRACKETS = re.compile(
    r"[()\[\]【】（）［］〔〕〖〗⟦⟧{}\n]|&(?:#91|#93|#40|#41|[lr]sqb|[lr]brack|[lr]par);|</?(?:sup|cite|citation|ref|source)(?:\s[^<>\n]{0,100})?>|\^",
    re.IGNORECASE,
)
_OPENERS = {")": "(", "]": "[", "】": "【", "}": "{", "</sup>": "<sup>", "</cite>": "<cite>"}
_PLAIN = {"（": "(", "）": ")", "［": "[", "］": "]", "〔": "[", "〕": "]", "〖": "[", "〗": "]"}
_PLAIN |= {"⟦": "[", "⟧": "]"}
_PLAIN |= {"&#91;": "[", "&lsqb;": "[", "&lbrack;": "[", "&#93;": "]", "&rsqb;": "]", "&rbrack;": "]"}
_PLAIN |= {"&#40;": "(", "&lpar;": "(", "&#41;": ")", "&rpar;": ")"}
_PLAIN |= {f"<{end}{tag}>": f"<{end}cite>" for tag in ("citation", "ref", "source") for end in ("", "/")}
_NEW_BLOCK = re.compile(r"[ \t]*(?:\r?\n|\Z|[-*+•#|>]\s|\|)")
_RAISED_RUN = re.compile(r"\[?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,60}\]?")
_LONGEST_GROUP = 600
_DEEPEST = 4
_LONGEST_RAISED = 40
_NUMBERS_NAMED = re.compile(
    r"\s*(?:(?:see|siehe|s\.|vgl\.|voir|véase|ver|vedi|zie|cf\.)\s+)?"
    r"(?:refs?\b\.?|references?|citations?|sources?|nr\b\.?|nos?\b\.|réfs?\b\.?|références?|rif\b\.?|referencias?)\s*[:：]?\s*(?=\d)",
    re.IGNORECASE,
)
# "(Evidence: 3, 5)" cites only what the list has; "(studies: 5)" counts them.
_NUMBERS_OF_THE_LIST = re.compile(
    r"\s*(?:evidence|documents|evidenz|belege?|pruebas|preuves)\s?[:：]\s?(?=\d)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\s+for\s+(?:(?:an?|the|more|further|full|other)\s)?(?:details?|more|reviews?|reading|overview|discussion)\Z"
)
_ASKS_FOR_A_SOURCE = re.compile(
    r"\s*(?:citations?|sources?|references?|verification|clarification)\s(?:is\s|are\s)?(?:needed|required|missing)\s*"
    r"|\s*(?:needs?|add|insert)\s(?:an?\s)?(?:citations?|sources?|references?)(?:\shere)?\s*|\s*who\?\s*",
    re.IGNORECASE,
)
# Which file of which turn of a chat: nothing that a reference list could number.
_PLACE_IN_A_TURN = re.compile(r"(\d{1,3}:\d{1,3})†[^】\n]{0,80}")
_NAMED_SOURCE = re.compile(
    r"\s*(?:sources?|ref(?:erence)?s?|quelle|source of information)\s*:\s*(?P<name>[^\n]{2,200}?)\s*\Z",
    re.IGNORECASE,
)
_SOURCE_PREFIX = re.compile(r"\s*(?:sources?|ref(?:erence)?s?)\s*:\s*", re.IGNORECASE)
_REGISTERS = frozenset(("clinicaltrials.gov", "pubmed.gov", "doi.org"))
_APART = re.compile(r"[^;,]+")
_TEMPLATE = re.compile(r"\s*(?:cite|citation|ref|source)\s?[:|=]\s?", re.IGNORECASE)
_KEY = re.compile(r"[A-Za-z][\w:.-]{2,60}")


def bracket_markers(reader: LabelReader, parts: Sequence[Marker], start: int, end: int) -> list[Marker]:
    """Read every bracket pair of text[start:end], innermost first; one that holds only citations is a marker.

    `parts` are the identifiers and links found already, in order.
    """
    text = reader.text
    groups: list[Marker] = []
    inner: list[Marker] = []  # markers in the open brackets, in order
    stack: list[tuple[str, int, int]] = []
    footnotes: dict[str, tuple[Target, ...]] = {}
    again: list[tuple[str, Span]] = []
    part = 0
    for match in _BRACKETS.finditer(text, start, end):
        at, raw = match.start(), match[0].lower()
        if raw[-2:] == "/>":
            if name := footnote_name(match[0]):
                again.append((name, Span(*match.span())))
            continue
        plain = re.sub(r"\s[^>]*", "", raw) or raw
        sign = _PLAIN.get(plain, plain)
        while part < len(parts) and parts[part].start <= at:
            if parts[part].end > at and parts[part].start == at and sign != "[":
                break
            inner.append(parts[part])
            part += 1
        if inner and inner[-1].start <= at < inner[-1].end:
            continue
        if sign == "\n":
            if _NEW_BLOCK.match(text, match.end()):
                stack.clear()
                inner.clear()
            else:  # a line that was wrapped inside a bracket
                del stack[:-_DEEPEST]
        elif sign == "^" and not (stack and stack[-1][0] == "^" and _closes_raised(stack[-1][1], at, inner)):
            if text[at + 1 : at + 2].isdigit() or text[at + 1 : at + 2] == "[":
                if text[at - 1 : at] != "[":
                    stack.append(("^", at, at + 1))
        elif sign in ("(", "[", "【", "{", "<sup>", "<cite>"):
            stack.append((sign, at, match.end()))
            if len(stack) > 64:
                del stack[:32]
        else:
            opener = "^" if sign == "^" else _OPENERS[sign]
            while stack and stack[-1][0] != opener and stack[-1][0] == "^":
                stack.pop()
            if not stack or stack[-1][0] != opener:
                continue
            _, first, content = stack.pop()
            if match.end() - first > _LONGEST_GROUP or len(stack) > _DEEPEST:
                continue
            count = 0
            while count < len(inner) and inner[-1 - count].start >= first:
                count += 1
            own = inner[len(inner) - count :]
            if read := _read_group(reader, opener, first, content, at, match.end(), own):
                groups += read
                if name := footnote_name(text[first:content]):
                    footnotes[name] = tuple(target for marker in read for target in marker.targets)
                del inner[len(inner) - count :]
                inner += read
    return [*groups, *cited_again(text, again, footnotes)]


def _closes_raised(opened: int, at: int, inner: Sequence[Marker]) -> bool:
    """Tell whether a second caret closes what the first raised: a few numbers, or one link."""
    return at - opened < _LONGEST_RAISED or bool(
        inner and inner[-1].start == opened + 1 and inner[-1].end == at
    )


def _read_group(
    reader: LabelReader, opener: str, first: int, start: int, end: int, last: int, inner: Sequence[Marker]
) -> list[Marker]:
    """Read text[first:last], a pair of brackets with text[start:end] and its markers in it."""
    text = reader.text
    if opener in ("<sup>", "^"):
        return _raised(reader, opener, first, start, end, last, inner)
    if not inner and numbers_a_name(text, first, opener):
        return []
    if opener == "(" and not inner and (targets := numbers_in_parentheses(reader, first, start, end, last)):
        return [Marker(first, last, "bracket", tuple(targets))]
    if opener == "(" and not inner and (targets := bare_pmids(reader, first, start, end, last)):
        return [Marker(first, last, "identifier", tuple(targets))]
    if opener == "{":
        return _braced(reader, first, start, end, last, inner)
    if opener == "[" and first > 0 and text[first - 1] == text[end - 1] == "\\":
        first, end = first - 1, end - 1
    if opener == "[" and not inner and _ASKS_FOR_A_SOURCE.fullmatch(text, start, end):
        return [Marker(first, last, "bracket", ())]
    if opener == "[" and not inner and is_interval(reader, first, text[start:end]):
        return []
    if opener == "[" and not inner and numbers_its_line(reader, first, text[start:end]):
        return [Marker(first, last, "bracket", ())]
    if opener == "【" and not inner and (place := _PLACE_IN_A_TURN.fullmatch(text, start, end)):
        label = place[1] if place[1] in reader.labels else f"turn {place[1]}"
        return [Marker(first, last, "bracket", (Target(f"[{place[1]}]", None, label, start, end),))]
    first -= opener == "[" and text[first - 1 : first] == "^" and text[first - 2 : first - 1] != "["
    if text[end - 1] == "." and (opener == "(" and inner or opener == "[" and text[end - 2].isdigit()):
        end -= 1  # "(See [1].)" and "[See ref. 6.]"
    if opener == "[" and not inner and text[start] == "(" and text[end - 1] == ")":
        start, end = start + 1, end - 1  # "[(1)]"
    if opener == "(" and (told := numbers_behind_words(reader, start, end, inner)):
        return [told]
    read = reader.items(start, end, inner, opener)
    read = read if inner else with_places(reader, start, end, read)
    if read is None and not inner and (graded := numbers_beside_a_grade(reader, start, end)):
        return [graded]
    if read is None and not inner:
        if opener == "(" and (named := _NUMBERS_NAMED.match(text, start, end)):
            aside = _ASIDE.search(text, named.end(), end)
            read = reader.items(named.end(), aside.start() if aside else end, (), "[")
        if opener in "([" and (listed := _NUMBERS_OF_THE_LIST.match(text, start, end)):
            read = reader.items(listed.end(), end, (), "[")
            if read and not all(target.label in reader.labels for target in read[1]):
                read = None
        if read is None:
            return _of_authors_or_named(reader, first, start, end, last)
    if read is None and opener in "([" and inner:
        read = _mixed(reader, start, end, inner)
    if read is None and inner and text[first : first + 4].lower() == "<ref":
        read = "identifier", [target for marker in inner for target in marker.targets]  # a whole entry
    if read is None:
        return []
    whole = len(inner) == 1 and (inner[0].start, inner[0].end) == (start, end)
    linked = opener == "[" and whole and inner[0].kind == "link"
    return [Marker(first, last, "link" if linked else read[0], tuple(read[1]))]


def _raised(
    reader: LabelReader, opener: str, first: int, start: int, end: int, last: int, inner: Sequence[Marker]
) -> list[Marker]:
    """Read `<sup>1,2</sup>` and `^1,2^`, with or without parentheses in it."""
    text = reader.text
    raw = text[start:end]
    if not inner and raw.strip() in (",", ";"):
        return [Marker(first, last, "superscript", ())]
    if raw[:1] == "(" and raw[-1:] == ")":
        start, end, raw = start + 1, end - 1, raw[1:-1]
    if not inner and is_superscript_of_its_word(text, first, last, raw, reader.all_known(raw)):
        return []
    if opener == "^" and not inner and not _RAISED_RUN.fullmatch(raw):
        return []  # "R^3 and 10^4"
    read = reader.items(start, end, inner, opener)
    return [Marker(first, last, "superscript", tuple(read[1]))] if read else []


def _of_authors_or_named(reader: LabelReader, first: int, start: int, end: int, last: int) -> list[Marker]:
    """Read a label with its name, authors with years, else a work by its name, else `Source: Mayo Clinic`."""
    if labelled := label_and_name(reader, first, start, end, last):
        return [labelled]
    authors = author_citations(reader, first, start, end, last)
    whole = len(authors) == 1 and (authors[0].start, authors[0].end) == (first, last)
    if whole:
        return authors
    prefix = _SOURCE_PREFIX.match(reader.text, start, end)
    counted = reader.text[first] == "[" and reader.text[start].isdecimal()
    every = sources_apart(reader, prefix.end() if prefix else start, end) if authors or counted else None
    known = any(target.label in reader.labels for marker in authors for target in marker.targets)
    if every and (not known or len(every) > sum(len(marker.targets) for marker in authors)):
        return [Marker(first, last, "author_year", tuple(every))]
    if known:
        return authors
    if found := named_works(reader.text, first, start, end, last) or authors:
        return found
    if files := named_files(reader.text, first, start, end, last):
        return [files]
    if reader.text[first] == "[" and (sites := _sites(reader.text, start, end)) is not None:
        return [Marker(first, last, "named", sites)]
    if work := reference_work(reader.text, first, start, end, last):
        return [work]
    named = _NAMED_SOURCE.fullmatch(reader.text, start, end)
    if named and not named["name"][0].isdigit() and not _names_no_source(named["name"]):
        target = Target(reader.text[first:last], None, f"named:{named['name']}", first, last)
        return [Marker(first, last, "named", (target,))]
    return []


def _sites(text: str, start: int, end: int) -> tuple[Target, ...] | None:
    """Read `nejm.org; uptodate.com`; a register by itself says nothing. None where anything else stands there."""
    sites = [(site, site[0].strip()) for site in _APART.finditer(text, start, end)]
    if not all(domain_alone(name) for _, name in sites):
        return None
    told = [(site, name) for site, name in sites if name.casefold() not in _REGISTERS]
    return tuple(Target(name, None, f"named:{name}", *site.span()) for site, name in told)


def _names_no_source(words: str) -> bool:
    """Tell whether words are what something comes from: `source: fish oil`."""
    return words == words.casefold() and not re.search(r"\d", words) and not PUBLISHER_WORD.search(words)


def _braced(
    reader: LabelReader, first: int, start: int, end: int, last: int, inner: Sequence[Marker]
) -> list[Marker]:
    """Read `{1, 3}` and `{{cite:1}}` where the list has every label, and `{Thursz, 2015 #12}` of reference managers.

    `{'source': 'label.pdf', 'page': 12}` is a file as programs note it.
    Behind a command or a raised sign it is none.
    """
    text = reader.text
    if text[first - 1 : first] == "{" and text[last : last + 1] == "}":
        if template := _TEMPLATE.match(text, start, end):
            first, start, last = first - 1, template.end(), last + 1
            if not inner and _KEY.fullmatch(text, start, end):
                target = reader.number(text[start:end], start, end, False)
                return [Marker(first, last, "bracket", (target,))]
    if re.search(r"[\\^_$@{][\w*]*\Z", text[max(0, first - 24) : first]):
        return []
    if not inner and (files := named_files(text, first, start, end, last)):
        return [files]
    read = reader.items(start, end, inner, "[")
    if read is None and not inner:
        cited = author_citations(reader, first, start, end, last) or named_works(
            text, first, start, end, last
        )
        return cited if len(cited) == 1 and (cited[0].start, cited[0].end) == (first, last) else []
    if read is None or not all(target.source_id or target.label in reader.labels for target in read[1]):
        return []
    return [Marker(first, last, "bracket", tuple(read[1]))]


def _mixed(
    reader: LabelReader, start: int, end: int, inner: Sequence[Marker]
) -> tuple[MarkerKind, list[Target]] | None:
    """Read `Smith et al., 2020; PMID: 123` and `Source: a name, PMID: 123`: the identifier says which is meant."""
    named = _NAMED_SOURCE.match(reader.text, start, inner[0].start)
    if named and not _names_no_source(named["name"]):
        return "identifier", [target for marker in inner for target in marker.targets]
    targets = mixed_targets(reader, start, end, inner)
    return None if targets is None else ("identifier", targets)
