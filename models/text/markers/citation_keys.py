r"""Keys of a bibliography and numbers that typesetters raise: `\cite{smith2020}`, `[@smith2020]`, `$^{1}$`."""

import re
from collections.abc import Iterator

from medassay.models.records import Span
from medassay.models.text.identifiers.reading import atoms, pmid_id
from medassay.models.text.labels.forms import NOTE_SYMBOL, normalise_label
from medassay.models.text.markers.label_reader import LabelReader
from medassay.models.text.markers.lookalikes import is_superscript_of_its_word
from medassay.models.text.markers.marks import Marker, Target

_LATEX = re.compile(
    r"~?\\(?:[a-zA-Z]{0,6}cite[a-z]{0,8}\*?|supercite)(?:\[[^\[\]\n]{0,80}\]){0,2}\{(?P<keys>[^{}\n]{1,400})\}"
)
_PANDOC = re.compile(r"\[(?P<items>[^\[\]\n]{0,80}?(?<![\w.])@[^\[\]\n]{1,400})\]")
_ITEM = re.compile(r"[^;]+")
_PANDOC_KEY = re.compile(r"(?<![\w.])-?@\{?(?P<key>[^\W_][\w:.#$%&+?<>~/-]*)\}?")
# "@smith2020 showed …", outside brackets: only a list can say that it is a key.
_SPOKEN_KEY = re.compile(r"(?<![\w.@/\[])@(?P<key>[^\W_][\w:-]*\w)(?![^\[\]\n]{0,200}\])")
_CARET = re.compile(r"(?<=[a-z)\]%.,;])\s?\^(?P<raw>\d{1,3}+(?:\s?[,–-]\s?\d{1,3}+){0,20}+)(?![\w^])")
_NOTE = re.compile(rf"(?<=[\w.,;:)\]%”\"]){NOTE_SYMBOL}(?!\w)")
_CIRCLED = re.compile(r"(?<=[^\W\d_.,;:)\]%]) ?[①-⑳]+|(?<=[.,;:)\]%]) ?[①-⑳]+(?=\s|\Z)")
_RAISED_IN_BRACKETS = re.compile(
    r"(?:(?<=\w\w)|(?<=[.,;:!?)\]%”\"]))(?:\\\(\s?\^\s?\{?|\^[({]\[?)\s?(?P<raw>\d[\d,\s–-]{0,60}?)\s?(?:\}?\s?\\\)|\]?[)}]\^?)"
)
_RAISED = re.compile(
    r"\$\s?\^\s?\{?\s?\[?(?P<dollar>\d[\d,\s–-]{0,60}?)\]?\s?\}?\s?\$|\\textsuperscript\{(?P<named>\d[\d,\s–-]{0,60})\}"
)


# What chat products put where their page shows a source; copied out, nothing stands behind it.
_TOOL = re.compile(
    r"\ue200[a-z_]*cite(?P<inner>(?:\ue202[^\ue200-\ue202\n]{1,80}){1,20})\ue201"
    r"|(?<![a-z])[a-z]{0,5}cite(?P<bare>(?:turn\d{1,3}[a-z]{1,8}\d{1,3}){1,20})(?!\w)"
    r"|[\[(【](?P<bracketed>turn\d{1,3}[a-z]{1,8}\d{1,3}(?:[\s,;†]{1,3}turn\d{1,3}[a-z]{1,8}\d{1,3}){0,20})[\])】]"
    r"|\[cite_start\]"
    r"|:contentReference\[oaicite:(?P<index>\d{1,4})\](?:\{index=\d{1,4}\})?"
)


_SITE = r"(?<=[\w%)\]”\"][.!?])[a-z][a-z\d-]{1,30}(?:\.[a-z\d-]{2,30}){0,4}"
_COUNTED = r"\+\d{1,2}(?=\s|\Z)"
_COUNTED_CHIP = re.compile(rf"{_SITE}{_COUNTED}")
_CHIP = re.compile(rf"{_SITE}(?:{_COUNTED}|(?=\s+[A-Z]|\s*\Z|\s*\n))")


def tool_tokens(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find tokens such as `:contentReference[oaicite:1]`: a label that a list may know, else a dangling one."""
    for found in _TOOL.finditer(reader.text, start, end):
        raw = found["inner"] or found["bare"] or found["bracketed"] or found["index"] or ""
        keys = re.findall(r"turn\d+[a-z]+\d+|[^\ue202\s,;†][^\ue202]*", raw)
        targets = [Target(f"[{key}]", None, normalise_label(key), *found.span()) for key in keys]
        yield Marker(found.start(), found.end(), "superscript", tuple(targets))


def site_chips(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    """Find `.nejm+1` behind a full stop, as a page of search results shows a source; copied out, nothing stands behind.

    Without a number, `.nejm`, only where another has one: what follows a full stop at once may be a slip.
    """
    if not _COUNTED_CHIP.search(reader.text, start, end):
        return
    for found in _CHIP.finditer(reader.text, start, end):
        target = Target(f"[{found[0]}]", None, normalise_label(found[0]), *found.span())
        yield Marker(*found.span(), "superscript", (target,))


def citation_keys(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    r"""Find `\cite{a,b}` and its kin, and Pandoc's `[see @a, p. 3; @b]` and `@a showed`."""
    for found in _LATEX.finditer(reader.text, start, end):
        at = found.start("keys")
        targets = []
        for key in re.finditer(r"[^,\s][^,]*", found["keys"]):
            targets.append(keyed_target(reader, key[0].strip(), at + key.start()))
        if targets:
            yield Marker(found.start(), found.end(), "bracket", tuple(targets))
    for found in _PANDOC.finditer(reader.text, start, end):
        items = [_keys_of(reader, item, found.start("items")) for item in _ITEM.finditer(found["items"])]
        if all(len(keys) == 1 for keys in items):
            targets = [keyed_target(reader, key, at) for [(key, at)] in items]
            yield Marker(found.start(), found.end(), "bracket", tuple(targets))
    yield from _spoken_keys(reader, start, end)


def _spoken_keys(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    for found in _SPOKEN_KEY.finditer(reader.text, start, end) if reader.labels else ():
        if reader.known(found["key"]):
            target = keyed_target(reader, found["key"], found.start("key"))
            yield Marker(*found.span(), "author_year", (target,), Span(*found.span()))


def _keys_of(reader: LabelReader, item: re.Match[str], at: int) -> list[tuple[str, int]]:
    """List the keys of one item and where they stand: `see @a, p. 3`; `b` alone where the list has it."""
    keys = [
        (key["key"].rstrip(".,:"), at + item.start() + key.start("key"))
        for key in _PANDOC_KEY.finditer(item[0])
    ]
    bare = item[0].strip()
    return keys or ([(bare, at + item.start() + item[0].index(bare))] if bare and reader.known(bare) else [])


def raised_numbers(reader: LabelReader, start: int, end: int) -> Iterator[Marker]:
    r"""Find `$^{1,2}$` and `\textsuperscript{1}` that are no exponents."""
    raised = [
        *_RAISED.finditer(reader.text, start, end),
        *_RAISED_IN_BRACKETS.finditer(reader.text, start, end),
    ]
    for found in raised:
        group = found.lastgroup or ""
        raw = found[group]
        if is_superscript_of_its_word(reader.text, found.start(), found.end(), raw, reader.known(raw)):
            continue
        if read := reader.items(*found.span(group), (), "["):
            yield Marker(found.start(), found.end(), "superscript", tuple(read[1]))
    for found in _NOTE.finditer(reader.text, start, end):
        label = normalise_label(found[0])
        if label in reader.labels:
            target = Target(label, None, label, *found.span())
            yield Marker(found.start(), found.end(), "superscript", (target,))
    for found in _CARET.finditer(reader.text, start, end):
        read = reader.items(*found.span("raw"), (), "[")
        of_its_word = is_superscript_of_its_word(reader.text, found.start(), found.end(), found["raw"], True)
        if read and not of_its_word and all(target.label in reader.labels for target in read[1]):
            yield Marker(found.start(), found.end(), "superscript", tuple(read[1]))
    for found in _CIRCLED.finditer(reader.text, start, end):
        if marker := _circled(reader, found):
            yield marker


def _circled(reader: LabelReader, found: re.Match[str]) -> Marker | None:
    """Read `①②` where the list has every number; before words they count what follows."""
    signs = [(found.start() + at, str(ord(sign) - 0x245F)) for at, sign in enumerate(found[0]) if sign != " "]
    if not all(label in reader.labels for _, label in signs):
        return None
    targets = [Target(f"[{label}]", None, label, at, at + 1) for at, label in signs]
    return Marker(signs[0][0], found.end(), "superscript", tuple(targets))


def keyed_target(reader: LabelReader, key: str, at: int) -> Target:
    """Read a key: an entry's label, a supplied document, an identifier, else a label that nothing stands behind."""
    end, label = at + len(key), normalise_label(key)
    if label not in reader.labels:
        if name := reader.documents.find(key):
            return Target(f"[{key}]", f"document:{name}", None, at, end)
        if key in reader.named_pmids:
            return Target(f"[{key}]", pmid_id(key), None, at, end)
        if named := atoms(key):
            return Target(f"[{key}]", named[0].source_id, None, at, end)
    return Target(f"[{key}]", None, label, at, end)
