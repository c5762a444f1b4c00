"""The inside of a bracket, read as a list of sources item by item, or left as prose."""

import re
from collections.abc import Sequence
from functools import cached_property

from medassay.models.text.identifiers.reading import pmid_id
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.labels.places import NOT_SURNAMES
from medassay.models.text.labels.supplied_names import SuppliedNames
from medassay.models.text.markers.authors_of_text import AuthorsOfText
from medassay.models.text.markers.label_items import ITEM
from medassay.models.text.markers.marks import Marker, MarkerKind, Target, gaps
from medassay.models.text.markers.points import points

_OF_RETRIEVAL = re.compile(
    r"(?:documents?|docs?|sources?|(?-i:Context|Passage|Snippet|Excerpt)s?)[\s_:#.-]{0,3}\d{1,3}(?![\d/])",
    re.IGNORECASE,
)
"""What was retrieved is called: "(Document 1)" needs no list; "(Document 12/34)" is another kind of number."""
_COUNTED = re.compile(r"(?:studies|papers|articles|abstracts|results|entries)\s?:", re.IGNORECASE)
"""How many there are: "(studies: 5)"."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_DIALLED = re.compile(r"0\d{2,4}[ -][1-9]\d{2}[ -]?\d{2}")
"""A telephone number: "[0800 123456]"."""
_SHARES_IN_BRACKETS = re.compile(
    r"\[\s?(?:%|SDs?|SEM?|IQR|[Rr]ange|(?:9[059]\s?%\s?)?C[rI]I?)\s?\]|\[\s?standard (?:deviation|error)\s?\]"
)
_NAMED_PMID = re.compile(
    r"(?:\bPMIDs?\b[\s:#*_]{0,4}|pubmed\.ncbi\.nlm\.nih\.gov/|/pubmed/)(\d{5,8})(?!\d)", re.IGNORECASE
)
_ALONE_IN_BRACKETS = re.compile(r"[^\W\d_%][.!?,;:]?[ ]?\[(\d{1,3})\]")
_SQUARE_BRACKET = re.compile(r"\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,60}\]")
_NUMBERS = re.compile(r"(\d{1,3})(?:\s?[–-]\s?(\d{1,3}))?")
_LETTERED = re.compile(
    r"[\[,;]\s?([PSRDE](?=\d{1,2}\W)|(?:kb|faq|sop|node|item|src|art|pol(?:icy)?|gl|guideline|chunk|para|protocol)[-_])"
    r"(\d{1,6})(?=\s?[\],;])"
)
_MOST_OF_A_RANGE = 200
_HIGHEST_UNLISTED = 99
_WIDEST_UNLISTED = 30
"""Wider ranges, and those of higher numbers, are of values, unless a list has their labels."""
_IN_PARENTHESES = re.compile(r"\((\d{1,3})\)")
_CLOSES_ITS_SENTENCE = re.compile(r"[.;!?](?:\s|\Z)")
_BEYOND_DOUBT = re.compile(
    r"\bet\sal\b[.*_]{0,4},?\s?[(\[]?(?:19|20)\d\d"
    r"|[(;]\s?[A-Z][\w'’-]+\s(?:&|and)\s[A-Z][\w'’-]+,?\s(?:19|20)\d\d"
)
_SURNAME_AND_YEAR = re.compile(
    r"(?:[(;]|(?<=\d\d\d\d),|(?<=\d\d\d[a-h]),|(?<=\d\d\d\d)\s(?:and|&))\s?"
    r"(?:(?:van|von|de|der|den|di|la)\s){0,2}"
    r"([A-Z][a-zß-öø-ÿ]+[A-Z]?[a-zß-öø-ÿ]+(?:[-’'][A-Z][a-zß-öø-ÿ]+)?)"
    r"\s(?:19|20)\d\d[a-h]?(?:/(?:19|20)\d\d)?"
    r"(?=[;)]|,\s[A-Z]|,?\s(?:and|&)\s[A-Z]|\s\((?:[nN]\s?=|meta)|\s–\s[knN]\s?=)"
)


class LabelReader:
    """Reads the inside of a bracket as a list of targets, or says that it is prose."""

    def __init__(
        self,
        text: str,
        labels: frozenset[str],
        documents: SuppliedNames,
        start: int = 0,
        end: int | None = None,
    ) -> None:
        """Read in text[start:end], which holds no reference list, by the labels of the lists elsewhere."""
        self.text, self.labels, self.documents = text, labels, documents
        self.start, self.end = start, len(text) if end is None else end

    @cached_property
    def numbered(self) -> bool:
        """Whether the reference list has numbers for labels."""
        return any(label.isdecimal() for label in self.labels)

    @cached_property
    def authors_cited(self) -> bool:
        """Whether the text cites by author and year somewhere beyond doubt."""
        return _BEYOND_DOUBT.search(self.text) is not None

    @cached_property
    def cites_by_surname(self) -> bool:
        """Whether two or more surnames stand with years in parentheses, `(Finley 2016; Juurlink 2004)`."""
        names = set(_SURNAME_AND_YEAR.findall(self.text, self.start, self.end)) - NOT_SURNAMES
        return not self.numbered and len(names) > 1

    @cached_property
    def named_authors(self) -> AuthorsOfText:
        """What the text tells of the authors that it cites."""
        return AuthorsOfText(self.text, self.start, self.end)

    @cached_property
    def named_pmids(self) -> frozenset[str]:
        """The numbers that the text, its lists included, calls PubMed ids."""
        return frozenset(_NAMED_PMID.findall(self.text))

    @cached_property
    def has_shares_in_brackets(self) -> bool:
        """Whether a header says `n [%]` or `mean [SD]`, so that a bracket behind a number is no citation."""
        return _SHARES_IN_BRACKETS.search(self.text) is not None

    @cached_property
    def alone_in_brackets(self) -> frozenset[str]:
        """The numbers that a square bracket behind words holds alone: what the text cites beyond doubt."""
        return frozenset(_ALONE_IN_BRACKETS.findall(self.text, self.start, self.end))

    @cached_property
    def lettered(self) -> frozenset[str]:
        """Labels such as `[P1]` and `[kb-12; kb-88]`: two or more that begin alike, where there is no list."""
        if self.labels:
            return frozenset()
        found = set(_LETTERED.findall(self.text, self.start, self.end))
        letters = {letter for letter, n in found if any(other == letter and m != n for other, m in found)}
        return frozenset(letter + n for letter, n in found if letter in letters)

    @cached_property
    def in_square_brackets(self) -> frozenset[str]:
        """All numbers in square brackets that hold nothing else, ranges filled."""
        numbers: set[str] = set()
        for found in _SQUARE_BRACKET.finditer(self.text, self.start, self.end):
            for part in _NUMBERS.finditer(found[0]):
                low, high = int(part[1]), int(part[2] or part[1])
                numbers.update(str(n) for n in range(low, min(high, low + _MOST_OF_A_RANGE) + 1))
        return frozenset(numbers)

    @cached_property
    def cites_in_square_brackets(self) -> bool:
        """Whether the text has a number of the list in a square bracket behind words."""
        return any(number in self.labels for number in self.alone_in_brackets)

    @cached_property
    def points(self) -> frozenset[int]:
        """Where the parentheses open that hold points of a score."""
        return points(self.text, self.start, self.end, self.labels)

    @cached_property
    def cites_in_parentheses(self) -> bool:
        """Whether `(n)` ends a sentence behind words, or the numbers in parentheses are the list in its order."""
        for n in self._listed_in_parentheses:
            apart = self.text[n.start() - 1 : n.start()] == " " and self.text[n.start() - 2].isalpha()
            if apart and n.start() > 1 and _CLOSES_ITS_SENTENCE.match(self.text, n.end()):
                return True
        whole = {label for label in self.labels if label.isdecimal()}
        return self.counts_up_in_parentheses and whole == {n[1] for n in self._listed_in_parentheses}

    @cached_property
    def counts_up_in_parentheses(self) -> bool:
        """Whether the numbers in parentheses that the list has come first as 1, 2 and so on."""
        cited = list(dict.fromkeys(n[1] for n in self._listed_in_parentheses))
        return len(cited) > 1 and cited == [str(n) for n in range(1, len(cited) + 1)]

    @cached_property
    def _listed_in_parentheses(self) -> list[re.Match[str]]:
        return [
            n
            for n in _IN_PARENTHESES.finditer(self.text, self.start, self.end)
            if n.start() not in self.points and n[1] in self.labels
        ]

    def known(self, raw: str) -> bool:
        """Tell whether the reference list or the documents have this label."""
        return normalise_label(raw) in self.labels or self.documents.knows(raw)

    def all_known(self, raw: str) -> bool:
        """Tell whether the list has every label of `1,4,5`."""
        labels = [part for part in re.split(r"[\s,;]+", raw) if part]
        return bool(labels) and all(map(self.known, labels))

    def cited(self, raw: str) -> bool:
        """Tell whether a label is in the list, or, where there is none, has a bracket to itself in the text."""
        return self.known(raw) or (not self.labels and raw in self.alone_in_brackets)

    def number(self, raw: str, start: int, end: int, long_is_pmid: bool) -> Target:
        """Read a number: a label of the list, a document, a PubMed id (four digits or more), else a dangling label."""
        digits = raw.lstrip("^#")
        written = f"[{digits}]"
        if normalise_label(digits) in self.labels:
            return Target(written, None, normalise_label(digits), start, end)
        if name := self.documents.find(digits):
            return Target(written, f"document:{name}", None, start, end)
        if long_is_pmid and len(digits) >= 4 and len(digits) <= 8:
            return Target(written, pmid_id(digits), None, start, end)
        return Target(written, None, normalise_label(digits), start, end)

    def items(
        self, start: int, end: int, inner: Sequence[Marker], opener: str
    ) -> tuple[MarkerKind, list[Target]] | None:
        """Read text[start:end], of which `inner` are identifiers or markers already; None if anything is left over."""
        targets: list[Target] = []
        kind: MarkerKind = "identifier"
        numbers, named = 0, False
        raw = self.text[start:end]
        if not inner and self.documents.knows(raw) and normalise_label(raw) not in self.labels:
            return "document", [self.supplied(raw.strip(), start, end)]
        for gap_start, gap_end, marker in gaps(start, end, inner):
            position = gap_start
            while position < gap_end:
                item = ITEM.match(self.text, position, gap_end)
                if item is None or item.end() == position:
                    return None
                if _DIALLED.match(self.text, position, gap_end):
                    return None
                dates = item["number"] and _YEAR.fullmatch(item[0]) and not self.known(item[0])
                if dates and (inner or named or _is_a_name(targets)):
                    position = item.end()  # "(PMID: 36049498, 2022)", "[Doc 1, 2019]", "[NICE, 2022]"
                    continue
                read = self._item(item, opener, bool(targets) or bool(inner))
                if read is None:
                    return None
                if read and item.lastgroup != "n" or item["named"]:
                    kind = (
                        "document"
                        if read[0].source_id and read[0].source_id.startswith("document:")
                        else "bracket"
                    )
                    numbers += item[0][0] != "#" and (item["number"] or item["range"]) is not None
                targets += read
                named = named or item["named"] is not None
                position = item.end()
            if marker is not None:
                targets += marker.targets
        if not targets or (opener == "(" and numbers and not (inner or named)):
            return None
        if len(targets) == 1 and numbers and re.fullmatch(r"\[(?:19|20)\d\d\]", targets[0].written):
            return (kind, targets) if targets[0].label in self.labels else None
        return kind, targets

    def supplied(self, name: str, start: int, end: int) -> Target:
        """Point to a supplied document, or to nobody's where its name only looks like one's id."""
        document = self.documents.find(name)
        source_id = f"document:{document}" if document else None
        return Target(f"[{name}]", source_id, None if document else normalise_label(name), start, end)

    def _item(self, item: re.Match[str], opener: str, beside: bool) -> list[Target] | None:
        start, end = item.span()
        if item["range"]:
            low, high = int(item["low"]), int(item["high"])
            if low > high and self.known(item["low"]) and self.known(item["high"]):
                return [self.number(n, start, end, False) for n in (item["low"], item["high"])]
            if not low <= high <= low + 200:
                return None
            if not self.labels and (low > _HIGHEST_UNLISTED or high > low + _WIDEST_UNLISTED):
                return None  # "ferritin 8 µg/L (ref. 15–150)"
            run = [str(n) for n in range(low, high + 1)]
            if self.numbered:  # of a range that the list has in part, what it has and the two ends
                run = [n for n in run if n in (run[0], run[-1]) or n in self.labels]
            return [self.number(n, start, end, False) for n in run]
        if item["number"]:
            listed = item["number"][0] == "#" and self.known(item["number"][1:])  # "(#2)"
            if opener == "(" and not beside and not listed:
                return None
            return [self.number(item["number"], *item.span("number"), True)]
        if item["named"]:
            raw = item["named"]
            if name := self.documents.find(raw):
                return [Target(f"[{raw}]", f"document:{name}", None, start, end)]
            unnumbered = (
                re.match(
                    r"stud|paper|article|abstract|chunk|excerpt|result|entry|id|(?:foot|end)?note",
                    raw,
                    re.IGNORECASE,
                )
                is not None
            )
            if opener == "(" and _COUNTED.match(raw):
                return None
            loose = opener == "(" and (self.labels or not _OF_RETRIEVAL.match(self.text, start))
            if opener == "[" and raw in self.lettered:
                return [Target(f"[{raw}]", None, normalise_label(raw), start, end)]
            if (loose or unnumbered) and not self.known(item["n"] if unnumbered else raw):
                return None
            if unnumbered:
                return [self.number(item["n"], *item.span("n"), False)]
            return [Target(f"[{raw}]", None, normalise_label(raw), start, end)]
        if item["label"]:
            return self._labels(item["label"], start, opener)
        return []

    def _labels(self, raw: str, start: int, opener: str) -> list[Target] | None:
        trimmed = raw.strip(" .^")
        at = start + raw.find(trimmed)
        if name := self.documents.find(trimmed):
            return [Target(f"[{trimmed}]", f"document:{name}", None, at, at + len(trimmed))]
        if trimmed and (
            normalise_label(trimmed) in self.labels or (opener == "[" and trimmed in self.lettered)
        ):
            return [Target(f"[{trimmed}]", None, normalise_label(trimmed), at, at + len(trimmed))]
        if " " in trimmed:
            parts = [self._labels(part[0], start + part.start(), opener) for part in re.finditer(r"\S+", raw)]
            if all(parts):
                return [target for part in parts for target in part or []]
        return None


def _is_a_name(targets: Sequence[Target]) -> bool:
    """Tell whether what was read last is a label of the list that ends in no number: its year may follow."""
    return bool(targets) and targets[-1].label is not None and not targets[-1].label[-1:].isdecimal()
