"""Claims in the making: the blocks of an answer walked over, its markers shared among the claims."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from medassay.models.records import Span
from medassay.models.text.claims.clauses import clauses
from medassay.models.text.claims.non_claims import non_claim_reason, without_label
from medassay.models.text.layout.blocks import Block, cells, in_columns
from medassay.models.text.markers.marks import Marker
from medassay.models.text.sentences.splitting import split_block
from medassay.models.text.sentences.wording import words_of
from medassay.models.text.verbs import has_finite_verb, lacks_subject

_ONLY_MARKERS = re.compile(
    r"[\W_]*(?:(?:sources?|references?|citations?|evidence|see(?: also)?|refs?|supporting evidence"
    r"|pmids?|(?:adapted|data) from)"
    r"(?:\s(?:for|of)\s(?:all|both|the|these|this)\b[\w\s-]{0,40})?)?[\W_]*",
    re.IGNORECASE,
)
"""What is left of a line that says no more than where something comes from."""
_OPEN = re.compile(
    r"(?:\b(?:if|when|unless|until|with|without|of|for|to|by|in|as|that|who|are|is|be|not|avoid"
    r"|should|must|can|may|include[sd]?|including)"
    r"|\b(?:if|when|unless|in|under|with|for|from|not|never|avoid|contraindicated)\b[^,;:]*\b"
    r"(?:the following|these)\b[^,;:]*)[\W_]*\Z",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"[\W_]*(?:if|unless|when|in case)\b[^,]*\Z|.*\b(?:not|never|avoid|contraindicated|n['’]t)\b[^,;]*\Z",
    re.IGNORECASE,
)
_DULL = re.compile(
    r"[\W\d_]*(?:summary|overview|introduction|background|conclusions?|(?:key |main )?(?:points"
    r"|takeaways|facts|findings)|details|answer|recommendations|notes?|important|remember"
    r"|(?:[^:.]{1,60}, )?(?:here(?:['’]s| is| are)|below (?:is|are))\b.*)[\W_]*",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:following|follows|below|here (?:is|are)|these (?:are|include)|includes?|including|such as)\b[^.]{0,60}\Z",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"[ \t]*(\*{1,3}|_{1,3})[^*_\n]{1,80}[.:]?\1[.:]?[ \t]*")
_LONGEST_LEAD = 300


@dataclass
class Draft:
    """A claim being made; `markers` are its own, `sentence` and `of_list` say whose markers it may share."""

    start: int
    end: int
    text: str
    reason: str | None = None
    sentence: int = 0
    of_list: int = 0
    fragment: bool = False
    markers: list[Marker] = field(default_factory=list)


@dataclass
class _LeadIn:
    """The words that a list hangs on, at an indent, and the number of the list."""

    text: str
    indent: int
    of_list: int

    def takes(self, words: str) -> bool:
        """Tell whether an item says nothing, or the opposite, without these words."""
        if not words or len(self.text) > _LONGEST_LEAD:
            return False
        return (
            not has_finite_verb(words)
            or lacks_subject(words)
            or bool(_OPEN.search(self.text) or _CONDITION.match(self.text))
        )

    def joined(self, words: str) -> str:
        """Word an item with what introduces it, unless that is no more than "Key points"."""
        return words if not self.text or _DULL.fullmatch(self.text) else f"{self.text}: {words}"


class Drafting:
    """Walks over the blocks and drafts claims; then shares the markers among them."""

    def __init__(self, text: str, body: Sequence[Block], markers: Sequence[Marker]) -> None:
        self.text, self.body, self.markers = text, body, markers
        self.done: list[Draft] = []
        self.marker_lines: list[Span] = []
        self.leads: list[_LeadIn] = []
        self.introducing: dict[int, Draft] = {}
        self.header: list[str] = []
        self.n_sentences = self.n_lists = self.bare_list = self.next_marker = 0
        self.last_block: list[Draft] = []

    def drafts(self) -> list[Draft]:
        """Draft all blocks, in order."""
        for number, block in enumerate(self.body):
            below = self.body[number + 1] if number + 1 < len(self.body) else None
            if block.kind not in ("row", "header_row", "rule"):
                self.header = []
            if block.kind not in ("bullet", "rule"):
                self.bare_list = 0
            if block.kind == "heading":
                self._heading(block)
            elif block.kind in ("row", "header_row"):
                self._row(block)
            elif block.kind == "bullet":
                self._bullet(block, below)
            elif block.kind == "paragraph":
                self._paragraph(block, below)
        self._share()
        return self.done

    def _near(self, start: int, end: int) -> Sequence[Marker]:
        first = bisect_left(self.markers, start, key=lambda m: m.end)
        return self.markers[first : bisect_left(self.markers, end, lo=first, key=lambda m: m.start)]

    def _words(self, start: int, end: int) -> str:
        return words_of(self.text, start, end, self._near(start, end))

    def _own(self, start: int, end: int) -> list[Marker]:
        """Take the markers of a span; spans come in order, so each marker is taken once."""
        own: list[Marker] = []
        while self.next_marker < len(self.markers) and self.markers[self.next_marker].start < end:
            if self.markers[self.next_marker].end > start:
                own.append(self.markers[self.next_marker])
            self.next_marker += 1
        return own

    def _add(
        self, span: Span, words: str, reason: str | None, of_list: int = 0, fragment: bool = False
    ) -> Draft:
        draft = Draft(
            span.start,
            span.end,
            words if reason else without_label(words),
            reason,
            self.n_sentences,
            of_list,
            fragment,
        )
        draft.markers = self._own(span.start, span.end)
        self.done.append(draft)
        return draft

    def _heading(self, block: Block) -> None:
        words = self._words(block.content, block.end).rstrip(" #=-")
        self.n_sentences += 1
        draft = self._add(Span(block.start, block.end), words, "a heading")
        self.n_lists += 1
        self.introducing[self.n_lists] = draft
        self.leads = [_LeadIn(words.rstrip(" :"), -1, self.n_lists)]
        self.last_block = []

    def _row(self, block: Block) -> None:
        self.n_sentences += 1
        words = [self._words(cell.start, cell.end) for cell in cells(self.text, block.content, block.end)]
        if block.kind == "header_row":
            self.header = words
            self._add(Span(block.start, block.end), "; ".join(filter(None, words)), "a table's header")
            return
        said = in_columns(self.header, words)
        reason = None if any(c.isalnum() for c in said) else "no words"
        self.last_block = [
            self._add(Span(block.start, block.end), said, reason, self.leads[-1].of_list if self.leads else 0)
        ]

    def _indent(self, block: Block) -> int:
        return block.start - (self.text.rfind("\n", 0, block.start) + 1)

    def _only_cites(self, block: Block) -> bool:
        cited = self._near(block.content, block.end)
        return bool(cited) and _ONLY_MARKERS.fullmatch(self._words(block.content, block.end)) is not None

    def _bullet(self, block: Block, below: Block | None) -> None:
        indent = self._indent(block)
        if self._only_cites(block):
            self._attach(Span(block.start, block.end), [])
            return
        while self.leads and self.leads[-1].indent >= indent:
            self.leads.pop()
        lead = self.leads[-1] if self.leads else None
        spans = self._split(block)
        words = self._words(block.content, block.end)
        nested = (
            below is not None
            and below.kind == "bullet"
            and self._indent(below) > indent
            and not self._only_cites(below)
        )
        if nested and spans and (words.rstrip(" .*").endswith(":") or not has_finite_verb(words)):
            self._introduce(spans, indent, lead)
        elif lead and len(spans) == 1 and lead.takes(words):
            self.n_sentences += 1
            reason = non_claim_reason(words)
            self.last_block = [self._add(spans[0], lead.joined(words), reason, lead.of_list, fragment=True)]
        else:
            if not lead and not self.bare_list:
                self.n_lists += 1
                self.bare_list = self.n_lists
            self.last_block = self._sentences(spans, lead.of_list if lead else self.bare_list)

    def _split(self, block: Block) -> list[Span]:
        return split_block(self.text, block.content, block.end, self._near(block.content, block.end))

    def _introduce(self, spans: Sequence[Span], indent: int, lead: _LeadIn | None = None) -> None:
        """Draft the line that introduces a list; it asserts nothing until its items do."""
        self._sentences(spans[:-1], 0)
        self.n_sentences += 1
        self.n_lists += 1
        words = self._words(spans[-1].start, spans[-1].end)
        self.introducing[self.n_lists] = self._add(spans[-1], words, "introduces a list")
        whole = lead.joined(words) if lead and not has_finite_verb(words) else words
        self.leads.append(_LeadIn(whole.rstrip(" :：.*"), indent, self.n_lists))

    def _paragraph(self, block: Block, below: Block | None) -> None:
        spans = self._split(block)
        last = self._words(spans[-1].start, spans[-1].end) if spans else ""
        self.leads = []
        if last.endswith((":", "：")) and below is not None and not _ONLY_MARKERS.fullmatch(last):
            if below.kind in ("bullet", "row", "header_row"):
                self._introduce(spans, -1)
                return
            if not has_finite_verb(last) or _ANNOUNCES.search(last):
                self._sentences(spans[:-1], 0)
                self.n_sentences += 1
                self._add(spans[-1], last, "introduces what follows")
                return
        drafted = self._sentences(spans, 0)
        self.last_block = drafted or self.last_block

    def _sentences(self, spans: Sequence[Span], of_list: int) -> list[Draft]:
        added: list[Draft] = []
        for span in spans:
            words = self._words(span.start, span.end)
            near = self._near(span.start, span.end)
            if near and _ONLY_MARKERS.fullmatch(words):
                self._attach(span, added)
                continue
            self.n_sentences += 1
            reason = non_claim_reason(words)
            if (
                reason is None
                and span != spans[-1]
                and _RUN_IN.fullmatch(self.text, span.start, span.end)
                and not has_finite_verb(words)
            ):
                reason = "a heading"
            parts = [(span, words)] if reason else clauses(self.text, span, near)
            for part, said in parts if len(parts) > 1 else [(span, words)]:
                why = reason or (non_claim_reason(said) if len(parts) > 1 else None)
                added.append(self._add(part, said, why, of_list))
        return added

    def _attach(self, line: Span, added: Sequence[Draft]) -> None:
        """Give a line of markers to what it stands under: the sentence before it, or all of the list or block above.

        The last line of an answer that cites nothing else speaks for all of it. What has markers of its own keeps to
        these, unless all of a list has.
        """
        markers = self._own(line.start, line.end)
        self.marker_lines.append(line)
        if added:
            targets = [draft for draft in added if draft.sentence == added[-1].sentence]
        elif line.end >= len(self.text.rstrip()) and not any(draft.markers for draft in self.done):
            targets = [draft for draft in self.done if draft.reason is None]
        else:
            targets = [draft for draft in self.last_block if draft.reason is None]
            if targets and targets[-1].of_list and self.text[line.start : line.start + 1] not in "-*+•":
                targets = [d for d in self.done if d.of_list == targets[-1].of_list and d.reason is None]
        for draft in [draft for draft in targets if not draft.markers] or targets[-1:]:
            draft.markers += markers

    def _share(self) -> None:
        """Let clauses without a marker share the next one of their sentence, and items the one of their list.

        Items take those of the line that introduces them, or of the last of several fragments.
        """
        for here, after in zip(self.done[-2::-1], self.done[:0:-1], strict=False):
            if here.sentence == after.sentence and not here.markers:
                here.markers = list(after.markers)
        items: dict[int, list[Draft]] = {}
        for draft in self.done:
            if draft.of_list and draft.reason is None:
                items.setdefault(draft.of_list, []).append(draft)
        for number, members in items.items():
            introduced = self.introducing[number].markers if number in self.introducing else []
            own = [draft for draft in members if draft.markers]
            last_only = own == members[-1:] and len(members) > 1 and all(draft.fragment for draft in members)
            for draft in members:
                if not draft.markers:
                    draft.markers = list(introduced or (members[-1].markers if last_only else []))
