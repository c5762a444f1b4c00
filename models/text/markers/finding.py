"""Citation markers: every way in which an answer points to a source, by the table of shapes."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence

from medassay.models.records import Span
from medassay.models.text.authors import first_author_and_year, normalise_label
from medassay.models.text.identifiers.reading import Atom, identifiers_in, pmid_id
from medassay.models.text.markers.author_year import narrative, works_in
from medassay.models.text.markers.documents import documents_in, spoken_of
from medassay.models.text.markers.in_sentence import with_words
from medassay.models.text.markers.links import link, reference_link
from medassay.models.text.markers.marks import Marker, Target, outermost
from medassay.models.text.markers.named_sources import names_a_work
from medassay.models.text.markers.shapes import SHAPES, UNTRACEABLE, Read
from medassay.models.text.supplied_names import NOBODY, SuppliedNames
from medassay.models.text.verbs import has_finite_verb

_BRACKET = re.compile(
    r"\((?:[^()\n]|\([^()\n]{0,120}\)){2,400}\)|\[(?:[^\[\]\n]|\[[^\[\]\n]{0,120}\]){1,400}\](?!\()|【[^【】\n]{2,200}】"
)
_ITEM = re.compile(
    r"(?P<low>\d{1,8})(?:\s?[–—‐‑-]\s?(?P<high>\d{1,8}))?(?P<place>(?:,?\s(?:pp?\.|pages?"
    r"|sections?|chapters?|tables?|figs?\.?|figures?|§)\s?[\w.–-]+(?:(?:,\s|\sand\s)\d+)*|†.*)?)",
    re.IGNORECASE,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_WIDEST_RANGE = 200
_SHORTEST_PMID = 5
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_AN_INTERVAL = re.compile(
    r"(?:\bCI|\bIQR|\brange|\binterval|\bscale|\bscore|\bmean|\bmedian)[\s:,=]*\Z", re.IGNORECASE
)
_A_VALUE = re.compile(r"\d\s?[A-Za-zµ°%]{0,5}(?:/[A-Za-z²]{1,5})?\s\Z")
_WIDEST_UNLISTED = 9
_POWER = re.compile(r"(?:(?<!\d)10|(?<![A-Za-z])(?:[kcdmµ]?m|kg|s|in|ft|R|x|[A-Z]))\s?\Z")
_EXPONENT = re.compile(r"(?:\d|(?<![A-Za-z])[A-Za-zµ]{1,2})\s?\Z")
_NUMBERS_IN_SQUARES = re.compile(r"\[\^?\d{1,3}(?:[\s,;–-]+\d{1,3})*\]")
_KIND_BEFORE = re.compile(
    r"(?:\b(?:doi|pmids?|pmcid|pmc|pubmed|url|link|source)\s?[:：]|\bavailable\s(?:online\s)?(?:at"
    r"|from)\s?:?)\s{0,2}\Z",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\b(?:doi|pmids?|pmcid|pmc|pubmed|url|links?|sources?|refs?|references?|see|also|available|at"
    r"|from|and|e\.g|cf|id|trial|registered|registration|identifier|nct)\b|https?://|[\W\d_]+",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\A(?:sources?|see|ref(?:erence)?s?)\s?:?\s+", re.IGNORECASE)
_LABELS_IN_TAG = re.compile(r"\s*\[?(?:[\d,;\s–-]{1,40}|[A-Za-z][\w:.-]{0,20}\d)\]?\s*")
_ATTRIBUTE = re.compile(r"=\s*[\"']?([\w,;\s:.-]+?)[\"']?(?:\s\w+=|/?\Z|\s*\Z)")
_LONGEST_KEYS = 120
_MOST_WORDS_BESIDE = 25
_LISTED_PMIDS = re.compile(
    r"\bPMIDs?\b[\s:：#=*_]{0,6}(?P<numbers>\d{4,8}(?:\s?(?:[,;&]|,?\sand)\s?\d{5,8}(?![^\W_⁰¹²³⁴-⁹]|[.'’]\d)){1,60})",
    re.IGNORECASE,
)


def find_markers(
    text: str,
    labels: Collection[str] = (),
    documents: SuppliedNames = NOBODY,
    start: int = 0,
    end: int | None = None,
) -> list[Marker]:
    """Find all markers of text[start:end], in order, not overlapping; work is linear in the length of the text.

    Args:
        text: The answer.
        labels: Normalised labels of its reference list (`normalise_label`, and `surname year` for authors).
        documents: The names of supplied documents.
        start: Where to begin.
        end: Where to stop.
    """
    return _Finder(text, frozenset(labels), documents, start, len(text) if end is None else end).markers()


class _Finder:
    """Reads the matches of each shape as markers."""

    def __init__(
        self, text: str, labels: frozenset[str], documents: SuppliedNames, start: int, end: int
    ) -> None:
        self.text, self.labels, self.documents, self.start, self.end = text, labels, documents, start, end
        self.readers: dict[Read, Callable[[re.Match[str]], Marker | None]] = {
            "numbers": self._numbers,
            "raised": self._raised,
            "parenthesised": self._parenthesised,
            "tag": self._tag,
            "authors": self._authors,
            "narrative": lambda match: narrative(match, self.labels),
            "link": link,
            "reference_link": lambda match: reference_link(match, self.labels),
        }
        self.squares = _NUMBERS_IN_SQUARES.search(text, start, end) is not None

    def markers(self) -> list[Marker]:
        """Return the markers in order; of overlapping ones the outermost."""
        found = [
            marker
            for shape in SHAPES
            for match in shape.pattern.finditer(self.text, self.start, self.end)
            if (marker := self.readers[shape.read](match))
        ]
        linked = outermost([marker for marker in found if marker.kind == "link"])
        named, unreadable = identifiers_in(self.text, self.start, self.end)
        single = [self._identifier(atom) for atom in named if not _inside(linked, atom.start)]
        single += [self._unreadable(span) for span in unreadable if not _inside(linked, span.start)]
        found += single
        listed = [
            Marker(*several.span(), "identifier", tuple(self._labels(several, "numbers")))
            for several in _LISTED_PMIDS.finditer(self.text, self.start, self.end)
        ]
        found += listed
        for match in UNTRACEABLE.finditer(self.text, self.start, self.end):
            found.append(Marker(*match.span(), "identifier", (Target(match[0], None, None, *match.span()),)))
        numbers = outermost([marker for marker in found if marker.kind == "number" and marker.words is None])
        inner = outermost([*single, *listed, *linked, *numbers])
        brackets = [
            marker
            for bracket in _BRACKET.finditer(self.text, self.start, self.end)
            if (marker := self._bracket(bracket, inner))
        ]
        # What a supplied document's name is, is no number of a list: `[doc 7]`.
        documents = [marker for marker in brackets if marker.kind == "document"]
        found = [*documents, *found, *brackets, *spoken_of(self.text, self.start, self.end, self.documents)]
        return with_words(self.text, outermost(found))

    def _identifier(self, atom: Atom) -> Marker:
        written = Target(self.text[atom.start : atom.end], atom.source_id, None, atom.start, atom.end)
        wrapped = self.text[atom.start - 1 : atom.start] == "<" and self.text[atom.end : atom.end + 1] == ">"
        first = atom.start - wrapped
        kind = _KIND_BEFORE.search(self.text, max(self.start, first - 30), first)
        return Marker(kind.start() if kind else first, atom.end + wrapped, "identifier", (written,))

    def _unreadable(self, span: Span) -> Marker:
        """Mark an identifier that cannot be read whole: a citation that leads nowhere."""
        written = self.text[span.start : span.end]
        return Marker(
            span.start, span.end, "identifier", (Target(written, None, None, span.start, span.end),)
        )

    def _labels(self, match: re.Match[str], group: str) -> Iterator[Target]:
        """Read `1, 3–5` as targets: labels of entries, or PMIDs where the digits are as many and no label."""
        at = match.start(group)
        for item in _ITEM.finditer(match[group].translate(_RAISED)):
            low, high = int(item["low"]), int(item["high"] or item["low"])
            if not low <= high <= low + _WIDEST_RANGE:
                continue
            span = at + item.start(), at + item.end("high" if item["high"] else "low")
            for number in range(low, high + 1):
                is_pmid = len(item["low"]) >= _SHORTEST_PMID and str(number) not in self.labels
                yield Target(f"[{number}]", pmid_id(str(number)) if is_pmid else None, str(number), *span)

    def _numbers(self, match: re.Match[str]) -> Marker | None:
        group = "numbers" if match["numbers"] else "numbers2"
        targets = tuple(self._labels(match, group))
        if not targets or _AN_INTERVAL.search(self.text, max(0, match.start() - 12), match.start()):
            return None
        ranged = len(targets) > 1 and not any(t.label in self.labels or t.source_id for t in targets)
        if ranged and (
            len(targets) > _WIDEST_UNLISTED
            or _A_VALUE.search(self.text, max(0, match.start() - 16), match.start())
        ):
            return None
        if any(_YEAR.fullmatch(t.label or "") and t.label not in self.labels for t in targets):
            return None
        return Marker(*self._emphasised(match), "number", targets)

    def _emphasised(self, match: re.Match[str]) -> tuple[int, int]:
        """Take in signs of bold type around a bracket: `**[1]**`."""
        signs = re.search(r"(?<![\w*])\*{1,3}\Z", self.text[max(0, match.start() - 4) : match.start()])
        if signs and self.text.startswith(signs[0], match.end()):
            return match.start() - len(signs[0]), match.end() + len(signs[0])
        return match.span()

    def _raised(self, match: re.Match[str]) -> Marker | None:
        known = all(number in self.labels for number in re.findall(r"\d+", match[0].translate(_RAISED)))
        exponent = _POWER if known and self.labels else _EXPONENT
        if exponent.search(self.text, max(0, match.start() - 4), match.start()):
            return None
        if match["raised"] is None:
            return self._numbers(match)
        return Marker(*match.span(), "number", tuple(self._labels(match, "raised")))

    def _parenthesised(self, match: re.Match[str]) -> Marker | None:
        targets = tuple(self._labels(match, "parenthesised"))
        named = match.start("parenthesised") > match.start() + 1
        known = not self.squares and all(t.label in self.labels for t in targets)
        pmids = all(t.source_id and len(t.label or "") >= 7 for t in targets)
        opens = match.start() == 0 or self.text[match.start() - 1] == "\n"
        return (
            Marker(*match.span(), "number", targets)
            if targets and (named or pmids or (known and not opens))
            else None
        )

    def _tag(self, match: re.Match[str]) -> Marker:
        """Read what a tag names inside or in an attribute, or a command or token of a product in its braces."""
        inside = _LABELS_IN_TAG.fullmatch(match["inside"] or "")
        if inside and (targets := tuple(self._labels(match, "inside"))):
            return Marker(*match.span(), "number", targets)
        attribute = _ATTRIBUTE.search(match["attributes"] or "")
        said = match["keys"] or match["n"] or match["numbers"] or (attribute[1] if attribute else "")
        end = match.start("inside") if match["inside"] else match.end()
        keys = filter(None, re.split(r"[,;\s]+", said))
        targets = tuple(Target(key, None, self._known_key(key), match.start(), end) for key in keys)
        # An opening tag belongs to what it stands before; nothing of it is a word.
        opens = attribute and targets and not match[0].endswith("/>")
        return Marker(match.start(), end, "number", targets, Span(end, end) if opens else None)

    def _known_key(self, key: str) -> str:
        label = normalise_label(key)
        number = re.search(r"\d+\Z", label)
        return str(int(number[0])) if label not in self.labels and number else label

    def _authors(self, match: re.Match[str]) -> Marker | None:
        targets = works_in(match["works"], match.start("works"), self.labels)
        return Marker(*match.span(), "author_year", tuple(targets)) if targets else None

    def _bracket(self, match: re.Match[str], inner: Sequence[Marker]) -> Marker | None:
        """Read what else stands in brackets: supplied documents, identifiers with their names, works by name."""
        inside = match[0][1:-1]
        at = match.start() + 1
        if documents := documents_in(inside, at, self.documents):
            return Marker(*match.span(), "document", documents)
        if match[0][0] == "[" and self.labels and len(inside) <= _LONGEST_KEYS:
            keys = [key.strip().lstrip("@^") for key in re.split(r"[,;]", inside)]
            if all(normalise_label(key) in self.labels for key in keys):
                return Marker(
                    *match.span(),
                    "number",
                    tuple(Target(f"[{k}]", None, normalise_label(k), *match.span()) for k in keys),
                )
        first = bisect_right(inner, match.start(), key=lambda m: m.start)
        own = [marker for marker in inner[first : first + 60] if marker.end <= match.end()]
        if own and (own[0].start > match.start() or own[0].end < match.end()):
            left = (
                self.text[at : own[0].start]
                + "".join(self.text[a.end : b.start] for a, b in zip(own, own[1:], strict=False))
                + self.text[own[-1].end : match.end() - 1]
            )
            beside = _LEFT.sub(" ", left).split()
            if beside and (
                has_finite_verb(left)
                or len(beside) > _MOST_WORDS_BESIDE
                or not left.strip(" ;,—–-:.")[:1].isupper()
            ):
                return None
            return Marker(
                *match.span(), "identifier", tuple(target for marker in own for target in marker.targets)
            )
        pieces = [inside] if names_a_work(inside) else inside.split(";")
        if not all(names_a_work(p.strip()) or works_in(p, at, self.labels) for p in pieces):
            return None
        named = (
            Target(_CALLED.sub("", p.strip()), None, " ".join(first_author_and_year(p)), at, at + len(inside))
            for p in pieces
        )
        return Marker(*match.span(), "named", tuple(named))


def _inside(markers: Sequence[Marker], position: int) -> bool:
    at = bisect_right(markers, position, key=lambda m: m.start) - 1
    return at >= 0 and position < markers[at].end
