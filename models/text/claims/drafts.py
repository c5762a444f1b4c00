"""Claims in the making: the blocks of an answer walked over, its markers shared among the claims."""

from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.clauses import clauses, leading_connective
from medassay.models.text.claims.crossed_items import crossed_items, denied
from medassay.models.text.claims.drafted import DraftedSoFar
from medassay.models.text.claims.lead_ins import (
    ANNOUNCES,
    ARROW,
    LeadIn,
    asks_of_the_matter,
    is_left_open,
    label_of,
    needs_label,
    needs_question,
)
from medassay.models.text.claims.marked_clauses import Clause
from medassay.models.text.language.kinds import non_claim_reason
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.layout.blocks import Block
from medassay.models.text.layout.headings import introduces, is_run_in_heading
from medassay.models.text.layout.pictures import PICTURES_BEHIND
from medassay.models.text.layout.rows import cells, in_columns
from medassay.models.text.markers.marks import Marker
from medassay.models.text.markers.sharing import ONLY_MARKERS, Draft, attach, share
from medassay.models.text.sentences.splitting import split_block

_GOES_ON_WITH = ("but ", "however")


class Drafting(DraftedSoFar):
    """Walks over the blocks and drafts claims; then shares the markers among them."""

    def __init__(self, text: str, body: Sequence[Block], markers: Sequence[Marker]) -> None:
        super().__init__(text, markers)
        self.body = body
        self.leads: list[LeadIn] = []
        self.header: list[str] = []
        self.n_lists = self.bare_list = self.table = 0
        self.last_block: list[Draft] = []
        self.marker_lines: list[Span] = []
        self.item_indent = 0
        self.crossed = crossed_items(text, body)

    def drafts(self) -> list[Draft]:
        """Draft all blocks."""
        for number, block in enumerate(self.body):
            following = self.body[number + 1] if number + 1 < len(self.body) else None
            if block.kind == "rule":
                continue
            if block.kind not in ("row", "header_row"):
                self.header, self.table = [], 0
            if block.kind != "bullet":
                self.bare_list = 0
            if block.kind not in ("paragraph", "heading") or (
                block.after_blank and not self._is_line_apart(block, following)
            ):
                self.lines = None
            if block.kind == "heading" or self._is_caption(block, following):
                self._heading(block)
                self._begin_lines(number)
            elif block.kind in ("row", "header_row"):
                self._row(block)
            elif block.kind == "bullet":
                self._bullet(block, following)
            else:
                self._paragraph(block, following)
                self._begin_lines(number)
        share(self.text, self.done, self.introducing, self.around)
        return self.done

    def _heading(self, block: Block) -> None:
        words = self._words(block.content, block.end).rstrip(" #=-")
        if not words and (own := self._own(block.start, block.end)):
            self.marker_lines.append(Span(block.start, block.end))
            attach(own, [], self.last_block, self.done)
            return
        if self.lines and self.text[block.start] not in "#*_(0123456789":
            self._item(Span(block.start, block.end), words, self.lines)  # the last of a list without bullets
            return
        self.lines = None
        self.n_sentences += 1
        draft = self._add(Span(block.start, block.end), words, "a heading")
        self.leads = []
        if introduces(words):
            self.n_lists += 1
            self.introducing[self.n_lists] = draft
            self.leads = [LeadIn(PICTURES_BEHIND.sub("", words).rstrip(" :"), -1, self.n_lists)]

    def _begin_lines(self, number: int) -> None:
        """Have the short lines below a title, or a question, hang on it."""
        block, title = self.body[number], self.done[-1] if self.done else None
        if title is None or title.end != block.end or block.start < self.lines_until:
            return
        asks = title.reason == "a question" and asks_of_the_matter(title.text)
        titles = title.reason == "a heading" and self.text[block.start] in "#*_"
        if self.lines or asks or titles:
            self.lines_until = self._lines_below(self.body, number, in_block=asks)
        if not self.lines and block.end < self.lines_until:
            self.n_lists += 1
            self.introducing[self.n_lists] = title
            self.lines = LeadIn(title.text.rstrip(" :"), -1, self.n_lists)

    def _row(self, block: Block) -> None:
        self.n_sentences += 1
        if not self.table:
            self._begin_table()
        spans = cells(self.text, block.content, block.end)
        words = [self._words(span.start, span.end) for span in spans]
        if block.kind == "header_row":
            self.header = words
            head = self._add(Span(block.start, block.end), "; ".join(filter(None, words)), "a table's header")
            if head.markers:
                self.introducing[self.table] = head
            return
        said = in_columns(self.header, words)
        reason = None if any(c.isalnum() for c in said) else "no words"
        self.last_block = [self._add(Span(block.start, block.end), said, reason, list=self.table)]

    def _begin_table(self) -> None:
        """Count a table as a list of rows, the one that the line above it introduces if it does."""
        if self.leads:
            self.table = self.leads[-1].of_list
            return
        self.n_lists += 1
        self.table = self.n_lists

    def _bullet(self, block: Block, following: Block | None) -> None:
        indent = self._indent(block)
        if self._only_cites(block):
            self.marker_lines.append(Span(block.start, block.end))
            below = (
                indent > self.item_indent
            )  # it speaks for the item that it stands under, else for the list
            own = self._own(block.start, block.end)
            attach(own, [], self.last_block, self.last_block if below else self.done)
            return
        self.item_indent = indent
        while self.leads and self.leads[-1].indent >= indent:
            self.leads.pop()
        lead = self.leads[-1] if self.leads else None
        spans = split_block(self.text, block.content, block.end, self._near(block.content, block.end))
        words = self._words(block.content, block.end)
        nested = (
            following is not None
            and following.kind == "bullet"
            and self._indent(following) > indent
            and not self._only_cites(following)
        )
        if following and nested and (words.rstrip(" .").endswith(":") or not has_finite_verb(words)):
            stated = self._asserts(block, words, following)
            self._introduce(spans, indent, lead, None if stated else "introduces a list")
        elif block.start in self.crossed and len(spans) == 1 and words != denied(words):
            self._item(spans[0], denied(words), lead or LeadIn("", indent, self.bare_list))
        elif lead and spans and self._completes(spans, words, lead):
            self._item(spans[0], self._words(spans[0].start, spans[0].end), lead)
            self.last_block += self._sentences(spans[1:], lead.of_list)
        else:
            if not lead and not self.bare_list:
                self.n_lists += 1
                self.bare_list = self.n_lists
            self.last_block = self._sentences(spans, lead.of_list if lead else self.bare_list)

    def _completes(self, spans: Sequence[Span], words: str, lead: LeadIn) -> bool:
        """Tell whether an item, or the first of its sentences, is read with what introduces the list."""
        if len(spans) == 1:
            return lead.takes(words)
        first = self._words(spans[0].start, spans[0].end)
        return lead.is_open and lead.takes(first) and not is_run_in_heading(self.text, spans[0], first)

    def _item(self, span: Span, words: str, lead: LeadIn) -> None:
        """Draft a fragment of a list with the words that introduce it."""
        self.n_sentences += 1
        reason = "an offer to help" if lead.offers else non_claim_reason(words)
        near = self._near(span.start, span.end)
        parts = clauses(self.text, span, near) if near and not reason else ()
        pieces = [(part.span, self._said(part, n, len(parts))) for n, part in enumerate(parts)]
        self.last_block = []
        for where, piece in pieces if len(pieces) > 1 else [(span, words)]:
            said = piece if reason == "a disclaimer" else lead.joined(piece)
            self.last_block.append(self._add(where, said, reason, list=lead.of_list, fragment=True))

    def _introduce(
        self,
        spans: Sequence[Span],
        indent: int,
        lead: LeadIn | None = None,
        reason: str | None = "introduces a list",
    ) -> None:
        """Draft the line that introduces a list; it asserts nothing until its items do."""
        self._sentences(spans[:-1], 0)
        self.n_sentences += 1
        self.n_lists += 1
        words = self._words(spans[-1].start, spans[-1].end)
        draft = self._add(spans[-1], words, reason)
        whole = lead.introducing(words) if lead else words
        self.introducing[self.n_lists] = draft
        self.around[self.n_lists] = lead.of_list if lead else 0
        self.leads.append(LeadIn(whole.rstrip(" :.*"), indent, self.n_lists, lead))

    def _paragraph(self, block: Block, following: Block | None) -> None:
        spans = self._split(block)
        listing = following is not None and (
            following.kind in ("bullet", "row", "header_row") or self._is_titled_item(following)
        )
        titled = self.leads[-1] if self.leads and self.done and self.done[-1].reason == "a heading" else None
        self.leads = []
        last = self._words(spans[-1].start, spans[-1].end) if spans else ""
        colon = last.endswith((":", "：")) and following is not None
        forbids = LeadIn(last, -1, 0).forbids
        if listing and (colon or self._is_over_fragments(block, following, last)):
            self._introduce(spans, -1)
            return
        asks = asks_of_the_matter(last)
        if listing and asks:
            self._introduce(spans, -1, reason="a question")
            return
        if asks and forbids and following and following.after_blank and self._is_bare(following):
            self._introduce(spans, -1, reason="a question")
            self.lines = self.leads.pop()
            return
        if (
            colon
            and not ONLY_MARKERS.fullmatch(last)
            and (
                ANNOUNCES.search(last)
                or not has_finite_verb(last)
                or is_left_open(last)
                or (forbids and (self._is_fragment(following) or self._is_bare(following)))
            )
        ):
            self._sentences(spans[:-1], 0)
            self.n_sentences += 1
            draft = self._add(spans[-1], last, "introduces what follows")
            self.n_lists += 1
            self.introducing[self.n_lists] = draft
            self.lines = LeadIn(last.rstrip(" :：*"), -1, self.n_lists)
            return
        if titled and not self.lines and titled.titles(last):
            self.lines = titled
        if self.lines and len(spans) == 1 and self.lines.takes(last):
            self._item(spans[0], last, self.lines)
            return
        self.lines = None
        before = self.last_block
        drafted = self._sentences(spans, 0)
        if drafted or not before:
            self.last_block = drafted

    def _sentences(self, spans: Sequence[Span], list_number: int) -> list[Draft]:
        added: list[Draft] = []
        label, asked = "", self._asked_until(spans)
        for span in spans:
            words = self._words(span.start, span.end)
            near = self._near(span.start, span.end)
            if near and ONLY_MARKERS.fullmatch(words):
                self.marker_lines.append(span)
                attach(self._own(span.start, span.end), added, self.last_block, self.done)
                continue
            self.n_sentences += 1
            reason = "a question" if span.end <= asked else non_claim_reason(words)
            parts = [Clause(span, span.start)] if reason else clauses(self.text, span, near)
            if reason in ("a refusal", "a disclaimer"):
                parts = self._with_what_follows(span, near)
                reason = reason if len(parts) == 1 else None
            elif span != spans[-1] and is_run_in_heading(self.text, span, words):
                reason, parts = "a heading", [Clause(span, span.start)]
            if (
                self.done
                and self.done[-1].reason == "a question"
                and needs_question(self.done[-1].text, words)
            ):
                words = f"{self.done[-1].text} {ARROW.sub('', words)}"
            elif span == spans[0]:
                label = label_of(words)
            elif label and not reason and len(parts) == 1 and needs_label(words):
                words = f"{label}: {words}"
            for number, part in enumerate(parts):
                said = self._said(part, number, len(parts)) if len(parts) > 1 else words
                why = reason or (non_claim_reason(said) if len(parts) > 1 else None)
                added.append(self._add(part.span, said, why, list=list_number))
        return added

    def _with_what_follows(self, span: Span, near: Sequence[Marker]) -> list[Clause]:
        """Cut "I can't give advice, but warfarin interacts with cranberries" before what is said after all."""
        parts = clauses(self.text, span, near)
        for number, part in enumerate(parts):
            said = self.text[part.span.start : part.span.end].lstrip(" ,;").casefold()
            if (
                number
                and said.startswith(_GOES_ON_WITH)
                and non_claim_reason(leading_connective(said)) is None
            ):
                before = Span(span.start, parts[number - 1].span.end)
                return [Clause(before, span.start), *parts[number:]]
        return [Clause(span, span.start)]
