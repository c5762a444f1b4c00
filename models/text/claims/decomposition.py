"""An answer as claims with their citations: the decomposition that every later stage reads."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from medassay.models.records import (
    Answer,
    Citation,
    CitedSource,
    CitedSpan,
    Claim,
    Decomposition,
    Span,
)
from medassay.models.text.claims.drafting import Draft, Drafting
from medassay.models.text.claims.needless import needs_no_citation
from medassay.models.text.claims.non_claims import non_claim_reason
from medassay.models.text.layout.blocks import Block, blocks
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.markers.finding import find_markers
from medassay.models.text.markers.marks import Marker, Target, outermost
from medassay.models.text.markers.named_sources import names_a_source
from medassay.models.text.references.index import ReferenceIndex
from medassay.models.text.references.lists import ReferenceList, find_reference_lists
from medassay.models.text.references.placeholders import leads_nowhere
from medassay.models.text.sentences.wording import words_of
from medassay.models.text.supplied_names import SuppliedNames

_LONGEST_LEAD = 20  # "In a trial, Lee et al. (2021) …"


def decompose(
    answer: Answer, question: str, documents: Mapping[str, str | None] | Collection[str] = ()
) -> Decomposition:
    """Turn an answer into claims, each a span of its text with the citations written for it.

    A claim is a sentence, an item of a list or a row of a table. A marker belongs to the sentence that it stands in or
    directly behind; where clauses of a sentence have markers of their own, each is a claim. A marker on the line that
    introduces a list, or alone on a line below it, belongs to every item without its own; so does one on the last
    item of a list of fragments, which is one sentence in pieces. `answer.cited_spans` go to each claim they overlap.

    A fragment in a list ("nausea") is read with the words that introduce it ("Side effects include: nausea"), and so is
    any item whose introduction says nothing without it ("Stop it if: the rash spreads"); its span is the item.

    A source that is named in the text without a marker ("Lancet 1998;352:854") is a reference that no marker leads to.

    Args:
        answer: The answer; its text is indexed character by character.
        question: What was asked; a restatement of it needs no citation.
        documents: Ids of supplied documents that markers may name, or all names with their ids (`SuppliedNames`).
    """
    supplied = SuppliedNames(documents)
    text = with_line_breaks(answer.text)
    lists = find_reference_lists(text, supplied)
    index = ReferenceIndex(answer.references, lists, supplied)
    body = _outside(blocks(text), lists)
    markers = _markers(text, lists, index.labels, supplied)
    drafting = Drafting(text, body, markers)
    given = [span for span in answer.cited_spans if span.is_sentence]
    drafts = _as_given(text, given, markers) if given else drafting.drafts()
    cited = _Citing(answer, index)
    claims = [
        _claim(position, draft, question, cited.citations(draft)) for position, draft in enumerate(drafts)
    ]
    covered = [Span(d.start, d.end) for d in drafts] + [Span(m.start, m.end) for m in markers]
    covered += drafting.marker_lines
    covered += [Span(b.start, b.end if b.kind == "rule" else b.content) for b in body]
    covered += [Span(listed.start, listed.end) for listed in lists]
    ids = dict.fromkeys(c.source_id for claim in claims for c in claim.citations if c.source_id)
    return Decomposition(
        claims=tuple(claims),
        sources=tuple(
            index.sources.get(i)
            or CitedSource(i, url=i.removeprefix("url:") if i.startswith("url:") else None)
            for i in dict.fromkeys([*ids, *index.listed])
        ),
        n_characters=_dense(text, 0, len(text)),
        n_characters_covered=sum(_dense(text, span.start, span.end) for span in _union(covered)),
        has_references=bool(ids) or index.traceable or names_a_source(text),
    )


def _dense(text: str, start: int, end: int) -> int:
    return sum(map(len, text[start:end].split()))


def _union(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _outside(shape: Sequence[Block], lists: Sequence[ReferenceList]) -> list[Block]:
    """Leave out the blocks of reference lists, and those parts of blocks that are in one."""
    kept = []
    for block in shape:
        inside = [listed for listed in lists if listed.start < block.end and block.start < listed.end]
        if not inside:
            kept.append(block)
        elif block.start < inside[0].start:
            kept.append(
                Block(
                    block.kind,
                    block.start,
                    inside[0].start,
                    min(block.content, inside[0].start),
                    block.after_blank,
                )
            )
    return kept


def _markers(
    text: str, lists: Sequence[ReferenceList], labels: Collection[str], documents: SuppliedNames
) -> list[Marker]:
    """Find the markers of all that is in no reference list."""
    starts = [0, *(listed.end for listed in lists)]
    ends = [*(listed.start for listed in lists), len(text)]
    return outermost(
        [
            marker
            for start, end in zip(starts, ends, strict=True)
            for marker in find_markers(text, labels, documents, start, end)
        ]
    )


def _as_given(text: str, sentences: Sequence[CitedSpan], markers: Sequence[Marker]) -> list[Draft]:
    """Draft one claim for each sentence that was given as such, neither split nor joined, with its own markers."""
    drafts = []
    for number, span in enumerate(sentences):
        words = words_of(text, span.start, span.end, markers)
        own = [marker for marker in markers if span.start <= marker.start < span.end]
        reason = "no words" if not words.strip() else non_claim_reason(words)
        drafts.append(Draft(span.start, span.end, words, reason, number, markers=own))
    return drafts


def _claim(position: int, draft: Draft, question: str, citations: tuple[Citation, ...]) -> Claim:
    needless = None if draft.reason else needs_no_citation(draft.text, question)
    return Claim(
        position=position,
        text=draft.text,
        start=draft.start,
        end=draft.end,
        kind="non_claim" if draft.reason else "claim",
        kind_reason=draft.reason,
        needs_citation=draft.reason is None and needless is None,
        needs_reason=draft.reason or needless,
        citations=citations,
    )


class _Citing:
    """Resolves the markers of a draft, and the citations that came as data, into citations."""

    def __init__(self, answer: Answer, index: ReferenceIndex) -> None:
        self.index = index
        self.data = sorted(answer.cited_spans, key=lambda c: c.start)

    def _looked_up(self, target: Target) -> str | None:
        return self.index.resolve(target.label, target.start) if target.label else None

    def _without_names_of(self, draft: Draft) -> Sequence[Marker]:
        """Leave out the authors that a claim begins with where its one other marker says which paper is theirs.

        So of "Lee et al. (2021) saw harm (PMID: 1)", unless a list knows the authors by themselves.
        """
        cited = [marker for marker in draft.markers if marker.targets]
        if len(cited) != 2 or any(len(marker.targets) > 1 for marker in cited):
            return cited
        (named, (of_name,)), (source, (of_source,)) = ((marker, marker.targets) for marker in cited)
        begins = named.words is not None and named.start - draft.start <= _LONGEST_LEAD
        unknown = of_name.source_id is None and not self._looked_up(of_name)
        traced = source.words is None and (of_source.source_id or self._looked_up(of_source))
        return [source] if named.kind == "author_year" and begins and unknown and traced else cited

    def citations(self, draft: Draft) -> tuple[Citation, ...]:
        """List a draft's citations, each source once."""
        found: list[Citation] = []
        seen: set[str] = set()

        def cite(marker: str, source_id: str | None, start: int | None, end: int | None) -> None:
            if source_id and source_id.startswith("url:") and leads_nowhere(source_id.removeprefix("url:")):
                source_id = None
            if (key := source_id or f"marker {marker}") not in seen:
                seen.add(key)
                found.append(Citation(len(found), marker, source_id, start, end))

        for marker in self._without_names_of(draft):
            for target in marker.targets:
                looked_up = None if target.source_id else self._looked_up(target)
                if marker.kind == "named" and looked_up is None:
                    looked_up = self.index.work(target.written)
                cite(target.written, target.source_id or looked_up, target.start, target.end)
                for further in self.index.beside(target.label or "") if looked_up else ():
                    cite(target.written, further, target.start, target.end)
        for given in self.data:
            if given.start >= draft.end:
                break
            if given.end > draft.start:
                for written in given.citations:
                    cite(written, self.index.cite(written), None, None)
                    for further in self.index.beside(written):
                        cite(written, further, None, None)
        return tuple(found)
