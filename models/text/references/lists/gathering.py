"""The lines under the heading of a reference list, put together to entries; where they end, the list ends."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from medassay.models.records import Span
from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.references.entries.authors import (
    begins_with_authors,
    is_only_authors,
    opens_with_authors,
)
from medassay.models.text.references.entries.bullets import without_bullet
from medassay.models.text.references.entries.evidence import Evidence, evidence_of, is_complete
from medassay.models.text.references.entries.labels import (
    form_of,
    label_of,
    labels_in_line,
    number_of,
    written_label,
)
from medassay.models.text.references.entries.lines import Line, is_rule
from medassay.models.text.references.entries.reading import WrittenEntry
from medassay.models.text.references.entries.rows import pmid_of, pubmed_column, row_label
from medassay.models.text.references.entries.worded_labels import NAMES, cited_label_of
from medassay.models.text.references.lists.headings import heads_a_list
from medassay.models.text.references.lists.remarks import goes_on_with_text, is_a_sentence, titles_a_section
from medassay.models.text.references.lists.sure_entries import cites_in_parentheses, is_sure_entry

_CLOSES = re.compile(r"```|~~~|</|\\end\{")
_WHOLE_BOLD = re.compile(r"(?:\*\*|__)[^*_]{1,120}(?:\*\*|__)\s*:?|<(b|strong)>[^<>]{1,120}</\1>\s*:?")
_GOES_ON = re.compile(
    r"[\s>*•·–_-]*(?:(?i:https?://|<https?:|\[?(?:doi|pmid|pmc(?:id)?|link|url|pubmed|full text)\b|www\.|10\.\d{4}"
    r"|available|retrieved|accessed|authors?:|journal:|year:|published|[(\[]?epub|et al\b)|[a-zà-ÿ(,;&])"
)
_GOES_ON_LOWER = re.compile(r"[\s>*•·–_-]*[a-zà-ÿ(,;&]")
_WIDEST_GAP = 20
_LONGEST_SUBHEADING = 120
_LOOK_AHEAD = 8
_WRAPPED_WIDTH = 60
_ENDS = ".)/0123456789"
_LEAD = 400


@dataclass
class EntryReader:
    """Reads entries from line to line."""

    text: str
    lines: Sequence[Line]
    cited: Collection[str]
    strict: bool = False
    proven: int = 0
    """The line up to which labelled ones are known to be entries."""
    entries: list[WrittenEntry] = field(default_factory=list)
    end: int = 0
    indent: int = 0
    number: int | None = None
    form: str = ""
    labelled: bool = False
    complete: bool = False
    above: Line | None = None
    pubmed: int | None = None
    opened_inline: bool = False

    def read(self, at: int, inline: Line | None = None) -> int:
        """Read entries from line `at` on, or `inline` in its place; return the number of the line after the last."""
        first = at
        self.opened_inline = inline is not None
        while at < len(self.lines):
            line = inline if inline is not None and at == first else self.lines[at]
            raw = self.text[line.start : line.end]
            if is_rule(raw):
                if self.entries and _CLOSES.match(raw):
                    self.end = line.end
            elif line is not inline and heads_a_list(raw) or not self._take(line, raw, at):
                break
            else:
                self.above = line
            at += 1
        return at

    def _take(self, line: Line, raw: str, at: int) -> bool:
        """Read one line; False if it does not belong to the list."""
        if raw.startswith("|"):
            return self._row(line, raw, at)
        if self.entries and self.entries[-1].is_row:
            return False
        label = self._label(line, raw)
        if self.entries and (self._is_a_finding(line, raw, label) or self._is_text(line, raw, label, at)):
            return False
        if label is None and self._is_subheading(line, raw) and at + 1 < len(self.lines):
            if self._opens(self.lines[at + 1]):
                self.number = None
                return True
            introduces = line.after_blank and raw.rstrip("*_ ").endswith((":", "："))
            if raw.startswith("#") or _WHOLE_BOLD.fullmatch(raw) or introduces and self.complete:
                return False
            if line.after_blank and self.complete and is_a_sentence(self._raw(at + 1)):
                return False
        if label is not None:
            return self._labelled(line, raw, label, at)
        if self.strict and not self.entries:
            return False
        return self._beside_labels(line, raw, at) if self.labelled else self._unlabelled(line, raw)

    def _is_a_finding(self, line: Line, raw: str, label: re.Match[str] | None) -> bool:
        """Tell whether a paragraph below `Sources: UpToDate` cites, as findings do, what it names."""
        below = self.opened_inline and not self.labelled and line.after_blank
        return below and cites_in_parentheses(_body_of(raw, label))

    def _is_text(self, line: Line, raw: str, label: re.Match[str] | None, at: int) -> bool:
        """Tell whether a numbered line apart from the list belongs to the text behind it."""
        if label is None or not line.after_blank or form_of(label) not in ("plain", "bare", "numbered"):
            return False
        first, below = self.entries[0], self._raw(at + 1) if at + 1 < len(self.lines) else ""
        return goes_on_with_text(raw, label, self.text[first.body : first.end], below)

    def _label(self, line: Line, raw: str) -> re.Match[str] | None:
        """Read a line's label if it fits those above it."""
        label = cited_label_of(raw, self.cited)
        if label is None:
            return None
        if self.entries and titles_a_section(
            raw, label, self.text[self.entries[0].start : self.entries[0].end]
        ):
            return None
        form, number = form_of(label), number_of(label)
        if form in ("letter", "small", "body", "named") and label[form].casefold() not in self.cited:
            return None
        if self.entries and line.indent > self.indent + 1 and form not in ("square", "linked", "bib"):
            return None
        if self.number is None or number is None or form in ("bib", "symbol", "letter", "small"):
            return label
        follows = self.number < number <= self.number + _WIDEST_GAP
        all_ones = number == self.number == 1 and form == self.form  # as Markdown counts
        return label if follows or all_ones or self._is_cited(raw, label) else None

    def _is_cited(self, raw: str, label: re.Match[str]) -> bool:
        """Tell whether a label out of order is one after all: the first again, or cited, as passages found are."""
        cited = normalise_label(written_label(label)) in self.cited
        told = evidence_of(raw[label.end() :]) > Evidence.NOTHING
        return cited and form_of(label) == "square" or told and (cited or number_of(label) == 1)

    def _labelled(self, line: Line, raw: str, label: re.Match[str], at: int) -> bool:
        form = form_of(label)
        if self.strict and at >= self.proven and not is_sure_entry(raw, label):
            return False
        if (
            self.entries
            and line.after_blank
            and self.number is None
            and form in ("plain", "bare", "numbered")
        ):
            if evidence_of(raw[label.end() :]) < Evidence.LIKELY:
                return False
        if not self.entries or not self.labelled:
            self.indent, self.labelled = line.indent, form not in NAMES
        cuts = self._cuts(line, label, at)
        for start, stop in zip([line.start, *cuts], [*cuts, line.end], strict=True):
            own = cited_label_of(self.text[start:stop], self.cited)
            if own is not None:
                self.number, self.form = number_of(own), form_of(own)
                self._open(start, stop, written_label(own), start + own.end())
        return True

    def _cuts(self, line: Line, label: re.Match[str], at: int) -> list[int]:
        cuts = list(labels_in_line(self.text, Span(line.start, line.end), label, self.cited))
        if not cuts or form_of(label) in ("square", "linked"):
            return cuts
        below = label_of(self._raw(at + 1)) if at + 1 < len(self.lines) else None
        told = evidence_of(self.text[line.start + label.end() : cuts[0]]) > Evidence.NOTHING
        return cuts if told and (below is None or number_of(below) != (number_of(label) or 0) + 1) else []

    def _row(self, line: Line, raw: str, at: int) -> bool:
        if self.entries and not self.entries[-1].is_row:
            return False
        if at + 1 < len(self.lines) and is_rule(self._raw(at + 1)) and "|" in self._raw(at + 1):
            self.pubmed = pubmed_column(raw)
            return True
        cell = row_label(raw, self.cited)
        self._open(line.start, line.end, cell and cell["label"], line.start + (cell.end() if cell else 1))
        self.entries[-1] = replace(self.entries[-1], is_row=True, pmid=pmid_of(raw, self.pubmed))
        return True

    def _beside_labels(self, line: Line, raw: str, at: int) -> bool:
        """Read a line without label in a list with labels: it goes on with the entry above, or the list ends."""
        told, complete = evidence_of(without_bullet(raw)), self.complete
        if line.after_blank and told < Evidence.LIKELY and not self._names_anything():
            return False
        if complete and told == Evidence.SURE and begins_with_authors(raw) and line.indent <= self.indent:
            return self._open_unlabelled(line)
        if line.indent > self.indent + 1 and not (line.after_blank and told < 0 and complete):
            return self._extend(line)
        if _GOES_ON.match(raw) and not (line.after_blank and (complete or told < 0)):
            if told >= 0 or not complete or _GOES_ON_LOWER.match(raw):
                return self._extend(line)
        if not line.after_blank and (not complete or told >= 0 or self._next_follows(at)):
            return self._extend(line)
        said = line.after_blank and complete and told < 0  # between the lists of two paragraphs
        if line.after_blank and told > 0 and not complete or not said and self._next_follows(at):
            return self._extend(line)
        if line.after_blank and told > 0 and not self.strict:
            return self._open_unlabelled(line)
        return False

    def _open_unlabelled(self, line: Line) -> bool:
        self._open(line.start, line.end, None, line.start)
        return True

    def _names_anything(self) -> bool:
        """Tell whether anything stands behind the last label."""
        last = self.entries[-1]
        return self.text[last.body : last.end].strip(" *_:.–-") != ""

    def _unlabelled(self, line: Line, raw: str) -> bool:
        """Read a line of a list without labels."""
        body = without_bullet(raw)
        bullet = body != raw
        if not self.entries:
            self.indent = line.indent
            return self._open_unlabelled(line)
        above = self.text[self.entries[-1].start : min(self.entries[-1].end, self.entries[-1].start + _LEAD)]
        told = evidence_of(body)
        if line.indent > self.indent + 1 and not (line.after_blank and told < 0):
            return self._extend(line)
        if (
            told < 0
            and (line.after_blank or not bullet)
            and not (not line.after_blank and is_only_authors(above))
        ):
            return False
        if not bullet and self._goes_on(line, raw, above):
            return self._extend(line)
        return self._open_unlabelled(line)

    def _goes_on(self, line: Line, raw: str, above: str) -> bool:
        if opens_with_authors(raw):
            return False
        if _GOES_ON.match(raw) and (
            _GOES_ON_LOWER.match(raw) or not re.match(r"\W*(?:pmid|doi|https?)", above, re.I)
        ):
            return not line.after_blank or not self.complete
        if line.after_blank or self.above is None:
            return False
        last = self.text[self.above.start : self.above.end]
        wrapped = (
            len(last) >= _WRAPPED_WIDTH
            and last[-1] not in _ENDS
            and not any(a.end == len(last) for a in atoms(last))
        )
        return wrapped or not self.complete and begins_with_authors(above)

    def _is_subheading(self, line: Line, raw: str) -> bool:
        if len(raw) > _LONGEST_SUBHEADING or self.opened_inline and not self.entries:
            return False
        if raw.startswith("#") or _WHOLE_BOLD.fullmatch(raw) or raw.rstrip("*_ ").endswith((":", "：")):
            return not atoms(raw)
        return (
            line.after_blank
            and len(raw.split()) <= 4
            and raw[:1].isupper()
            and not re.search(r"[\d.,;]", raw)
        )

    def _opens(self, line: Line) -> bool:
        """Tell whether a line below a subheading is an entry: what follows a list may have numbers and names, too."""
        raw = self.text[line.start : line.end]
        body = _body_of(raw, label_of(raw))
        return evidence_of(body) >= (Evidence.LIKELY if is_complete(body) else Evidence.SURE)

    def _next_follows(self, at: int) -> bool:
        """Tell whether the next entry comes soon below, and not in the next section's list."""
        for line in self.lines[at + 1 : at + 1 + _LOOK_AHEAD]:
            raw = self.text[line.start : line.end]
            if heads_a_list(raw):
                return False
            label = label_of(raw)
            number = number_of(label) if label and form_of(label) == self.form else None
            if number is not None and number - 1 == self.number:
                return line.indent <= self.indent + 1
        return False

    def _raw(self, at: int) -> str:
        return self.text[self.lines[at].start : self.lines[at].end]

    def _open(self, start: int, end: int, label: str | None, body: int) -> None:
        self.entries.append(WrittenEntry(start, end, label, body))
        self.end = end
        self.complete = is_complete(self.text[start:end])

    def _extend(self, line: Line) -> bool:
        last = self.entries[-1]
        self.entries[-1] = WrittenEntry(last.start, line.end, last.label, last.body)
        self.end = line.end
        self.complete = self.complete or is_complete(self.text[line.start : line.end])
        return True


def _body_of(raw: str, label: re.Match[str] | None) -> str:
    return raw[label.end() :] if label else without_bullet(raw)
