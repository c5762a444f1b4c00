"""The claims drafted so far, and the text and markers that they are drafted from, in order."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from medassay.models.records import Span
from medassay.models.text.claims.clauses import leading_connective
from medassay.models.text.claims.lead_ins import LeadIn
from medassay.models.text.claims.marked_clauses import Clause
from medassay.models.text.language.kinds import without_label
from medassay.models.text.language.verbs import (
    DETERMINERS,
    IMPERATIVES,
    PREPOSITIONS,
    has_finite_verb,
    is_base_form,
    starts_with_verb,
)
from medassay.models.text.layout.blocks import Block
from medassay.models.text.layout.headings import CAPTION
from medassay.models.text.markers.marks import Marker
from medassay.models.text.markers.sharing import ONLY_MARKERS, Draft
from medassay.models.text.sentences.splitting import split_block
from medassay.models.text.sentences.wording import words_of

_OF_AN_ORDER = DETERMINERS | {"to", "with", "for", "all"}
_TITLES_A_SECTION = re.compile(
    r"(?:(?:common|serious|other|possible|key|important|drug|special|recommended|usual|missed|general|further) )*"
    r"(?:side[ -]effects?|adverse|dos(?:e|es|age|ing)\b|warnings?|precautions?|interactions?|storage|overdos"
    r"|how\b|what\b|why\b|when\b|who\b|where\b|treatments?\b|diagnosis|summary|overview|points|takeaways?|monitoring"
    r"|administration|mechanism|references?|sources?|alternatives?|indications?|uses?\b|benefits?|risks?\b|prognosis"
    r"|prevention|follow|management|notes?\b|conclusions?|evidence|next steps)",
    re.IGNORECASE,
)
_SAYS_OF = re.compile(r"[^:.–—]{2,60}(?: [–—-]|:) \w")
_GIVES_A_DOSE = re.compile(
    r"\d\s?(?:mg|g|µg|mcg|ml|units?|IU|%|days?|weeks?|hours?|months?)\b", re.IGNORECASE
)
_IN_ITALICS = re.compile(r"([*_])[^*_\n]{3,80}\1")
_ASKED = re.compile(
    r"[*_#\s]*(?:Q(?:uestion)?(?: ?\d{1,2})?|Frage|Pregunta|Patient|User)\s?[:.][^\n]{1,600}?[?？][*_]*(?=\s|\Z)"
)
_THESE = re.compile(r"\b(?:these|the following)\b", re.IGNORECASE)
_LEADING_DASH = re.compile(r"\A(?:[—–]\s*|--?\s+)")
_LEFT_AT_END = re.compile(r"(?:[ ,;:—–]|(?<=\s)-)+\Z")
_NUMBERS_A_QUESTION = re.compile(r"[*_#\s]*Q(?:uestion)? ?\d{1,2}[.:][*_]*")
_FEWEST_LINES = 2
_MOST_WORDS = 8
_STOPS = (".", "!", "?", ":", "…")


class DraftedSoFar:
    """The text of an answer, its markers in order, and the drafts that took theirs."""

    def __init__(self, text: str, markers: Sequence[Marker]) -> None:
        self.text, self.markers = text, markers
        self.done: list[Draft] = []
        self.n_sentences = self.next_marker = 0
        self.introducing: dict[int, Draft] = {}
        self.around: dict[int, int] = {}
        self.lines: LeadIn | None = None
        self.lines_apart = False
        self.lines_until = 0

    def _own(self, start: int, end: int) -> list[Marker]:
        """Take the markers of a span; spans come in order, so each marker is looked at once."""
        while self.next_marker < len(self.markers) and self.markers[self.next_marker].end <= start:
            self.next_marker += 1
        own: list[Marker] = []
        while self.next_marker < len(self.markers) and self.markers[self.next_marker].start < end:
            own.append(self.markers[self.next_marker])
            self.next_marker += 1
        return own

    def _near(self, start: int, end: int) -> Sequence[Marker]:
        first = bisect_right(self.markers, start, key=lambda m: m.end)
        return self.markers[first : bisect_left(self.markers, end, lo=first, key=lambda m: m.start)]

    def _split(self, block: Block) -> list[Span]:
        """Split a block into sentences; the "Q2." before a question is no sentence of its own."""
        spans = split_block(self.text, block.content, block.end, self._near(block.content, block.end))
        if len(spans) > 1 and _NUMBERS_A_QUESTION.fullmatch(self.text, spans[0].start, spans[0].end):
            spans[:2] = [Span(spans[0].start, spans[1].end)]
        return spans

    def _words(self, start: int, end: int) -> str:
        return words_of(self.text, start, end, self._near(start, end))

    def _said(self, part: Clause, number: int, of: int) -> str:
        """Word a clause: without the connective that tied it to the one before, with the subject that they share."""
        said = self._words(part.words_from, part.span.end)
        if number:
            said = leading_connective(said)
        if part.shared:
            tight = said[:1] in (",", "—", "–") and said[1:2] not in ("", " ") or said[:1] == ","
            apart = "" if tight else " "  # "Aspirin, rarely, causes …", "Aspirin—rarely—causes …"
            said = f"{self._words(part.shared.start, part.shared.end)}{apart}{said}"
        elif number:
            said = _LEADING_DASH.sub("", said).lstrip(" ,")
        return _LEFT_AT_END.sub("", said) if number + 1 < of else said

    def _add(self, span: Span, words: str, reason: str | None, **kept: int | bool) -> Draft:
        words = words if reason else without_label(words)
        draft = Draft(
            span.start, span.end, words, reason, self.n_sentences, markers=self._own(span.start, span.end)
        )
        draft.of_list, draft.fragment = int(kept.get("list", 0)), bool(kept.get("fragment", False))
        self.done.append(draft)
        return draft

    def _indent(self, block: Block) -> int:
        return block.start - (self.text.rfind("\n", 0, block.start) + 1)

    def _only_cites(self, block: Block) -> bool:
        """Tell whether an item says no more than where something comes from: `- Source: PMID 123`."""
        cited = self._near(block.content, block.end)
        return bool(cited) and ONLY_MARKERS.fullmatch(self._words(block.content, block.end)) is not None

    def _asserts(self, block: Block, words: str, below: Block) -> bool:
        """Tell whether an item over others is itself cited advice, "Treat to target [1].", or "Oedema – rare [1].".

        Where what is below has a source of its own, an order and a dose need no full stop: "Stop metformin [1]".
        """
        first = words.casefold().split()[:2]
        cited = self._near(block.content, block.end)
        if not cited or len(first) < 2 or words.endswith(":"):
            return False
        if self._near(below.content, below.end) and (_is_an_order(*first) or _GIVES_A_DOSE.search(words)):
            return True
        return words.endswith(".") and (
            _SAYS_OF.match(words) is not None
            or starts_with_verb(first, 0)
            or (is_base_form(first[0]) and first[1] in _OF_AN_ORDER)
        )

    def _asked_until(self, spans: Sequence[Span]) -> int:
        """Say where the question ends that sentences begin with: "Q: My child has a fever. Should I worry?"."""
        asked = _ASKED.match(self.text, spans[0].start, spans[-1].end) if spans else None
        return asked.end() if asked else 0

    def _is_fragment(self, block: Block | None) -> bool:
        """Tell whether a block says nothing by itself."""
        return block is not None and not has_finite_verb(self._words(block.content, block.end))

    def _is_over_fragments(self, block: Block, following: Block | None, words: str) -> bool:
        """Tell whether a line without a stop leads to items that say nothing by themselves: "Avoid these foods"."""
        leads = _THESE.search(words) is not None or LeadIn(words, -1, 0).forbids
        bare = self._is_bare(block) and not words.endswith(_STOPS)
        return leads and bare and self._is_fragment(following)

    def _is_titled_item(self, block: Block) -> bool:
        return block.kind == "heading" and block.content > block.start and self.text[block.start] not in "#>"

    def _is_caption(self, block: Block, following: Block | None) -> bool:
        """Tell whether a line is a caption, `Table 1. Effects of drugs [1]`, or one in italics over a table."""
        if block.kind != "paragraph":
            return False
        if named := CAPTION.match(self.text, block.content, block.end):
            return not has_finite_verb(self._words(named.end(), block.end))
        if following is None or following.kind not in ("row", "header_row"):
            return False
        in_italics = _IN_ITALICS.fullmatch(self.text, block.content, block.end)
        return in_italics is not None and not has_finite_verb(self._words(block.content, block.end))

    def _is_bare(self, block: Block | None) -> bool:
        """Tell whether a block is one line that has no full stop, nor the marks of a title."""
        if block is None:
            return False
        words = self.text[block.start : block.end]
        plain = block.kind in ("paragraph", "heading") and block.content == block.start
        return plain and words[0] not in "#*_" and "\n" not in words and not words.endswith(_STOPS)

    def _is_line_apart(self, block: Block, following: Block | None) -> bool:
        """Tell whether a line of a list without bullets follows, a blank line between any two.

        Behind the first, and where it looks like a title, it must hang on words that are left open or forbid, and
        have no full stop; one that looks like a title over a sentence must not be one that sections have.
        """
        lead = self.lines
        if lead and block.start < self.lines_until:
            return True
        first = bool(self.done and lead) and self.done[-1] is self.introducing.get(
            lead.of_list if lead else 0
        )
        if first and block.kind == "paragraph":
            self.lines_apart = True
            return True
        behind, self.lines_apart = self.lines_apart, False
        if lead is None or not (first or behind) or not (lead.is_open or lead.forbids):
            return False
        if not self._is_bare(block):
            return False
        words = self.text[block.start : block.end]
        last = following is not None and not self._is_bare(following)
        if block.kind == "heading" and last and (first or _TITLES_A_SECTION.match(words)):
            return False
        self.lines_apart = True
        return True

    def _lines_below(self, body: Sequence[Block], number: int, in_block: bool) -> int:
        """Say where the short lines below a heading or question end that are a list, a blank line between any two.

        `in_block` allows them without blank lines. The last is none that titles the sentence below it; two are left.
        """
        at = number + 1
        apart = at < len(body) and body[at].after_blank
        if not (apart or in_block):
            return 0
        while at < len(body) and body[at].after_blank == apart and self._is_short_fragment(body[at]):
            at += 1
        below = body[at] if at < len(body) else None
        ended = below is None or (below.kind == "heading" and not self._is_bare(below))
        if apart and not ended and not self._near(body[at - 1].content, body[at - 1].end):
            at -= 1
        counted = {self.text[line.start].isdigit() for line in body[number + 1 : at]}  # "Adults", "5 mg", …
        return body[at - 1].end if at - number > _FEWEST_LINES and len(counted) == 1 else 0

    def _is_short_fragment(self, block: Block) -> bool:
        """Tell whether a block is one plain line of a few words that says nothing by itself."""
        if not self._is_bare(block):
            return False
        words = self._words(block.content, block.end)
        return 0 < len(words.split()) <= _MOST_WORDS and not has_finite_verb(words)


def _is_an_order(word: str, after: str) -> bool:
    """See "stop metformin" and "give oxygen"; "use in pregnancy" is a topic."""
    return word in IMPERATIVES and after not in PREPOSITIONS and after not in ("and", "or", "of")
