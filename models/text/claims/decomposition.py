"""An answer as claims with their citations: the decomposition that every later stage reads."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from medassay.models.records import Answer, Citation, CitedSource, CitedSpan, Claim, Decomposition, Span
from medassay.models.text.claims.assigned_sources import assign
from medassay.models.text.claims.drafts import Drafting
from medassay.models.text.claims.needless import needs_no_citation
from medassay.models.text.labels.supplied_names import SuppliedNames
from medassay.models.text.language.kinds import non_claim_reason
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.layout.blocks import Block, blocks
from medassay.models.text.layout.footnotes import with_daggers, with_raised_letters
from medassay.models.text.layout.line_breaks import with_line_breaks
from medassay.models.text.markers.beside import with_sources_in_rows
from medassay.models.text.markers.finding import find_markers, outermost
from medassay.models.text.markers.marks import Marker, Target
from medassay.models.text.markers.sharing import Draft
from medassay.models.text.markers.table_notes import note_signs
from medassay.models.text.markers.tables import row_numbers, table_markers
from medassay.models.text.references.entries.addresses import leads_nowhere
from medassay.models.text.references.index import ReferenceIndex
from medassay.models.text.references.lists.outside import outside
from medassay.models.text.references.lists.reading import find_reference_lists
from medassay.models.text.references.lists.reference_list import ReferenceList
from medassay.models.text.sentences.wording import words_of

_COURTESY = "a phrase of courtesy"
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[ .'’-]+[A-ZÀ-ÖØ-Þ][^\W\d_]*){0,2}\.?")
_LONGEST_LEAD = 20  # "In a trial, Lee et al. (2021) …"


def decompose(
    answer: Answer, question: str, documents: Mapping[str, str | None] | Collection[str] = ()
) -> Decomposition:
    """Turn an answer into claims, each a span of its text with the citations written for it.

    A marker belongs to the clause it directly follows; clauses of the same sentence without one of their own share
    the next one in it. A marker behind the full stop belongs to the sentence before it. A marker on the line that
    introduces a list, or alone on a line below it, belongs to every item without its own; so does one on the last
    item of a list of fragments, which is one sentence in pieces. `answer.cited_spans` go to each claim they overlap.

    A marker before a comma or a connective also cuts where the later clause shares its subject: "A lowers X [1] and
    raises Y [2]" is "A lowers X" and "A raises Y", whose span is "raises Y [2]".

    A fragment in a list ("nausea") is read with the words that introduce it ("Side effects include: nausea"), and so is
    any item whose introduction says nothing without it ("Stop it if: the rash spreads"); its span is the item.

    A source that is named in the text without a marker ("Lancet 1998;352:854") is a reference that no marker leads to.

    Args:
        answer: The answer; its text is indexed character by character.
        question: What was asked; a restatement of it needs no citation.
        documents: Ids of supplied documents that markers may name, or all names with their ids (`SuppliedNames`).
    """
    supplied = SuppliedNames(documents)
    text = with_raised_letters(with_daggers(with_line_breaks(answer.text)))
    shape = blocks(text)
    lists = find_reference_lists(text, given=bool(answer.references), supplied=supplied)
    index = ReferenceIndex(answer.references, lists, supplied)
    body = outside(shape, lists, text)
    markers = _markers(text, body, lists, index.labels, supplied)
    drafting = Drafting(text, body, markers)
    given = [span for span in answer.cited_spans if span.is_sentence]
    drafts = _as_given(text, given, markers) if given else drafting.drafts()
    _sign(text, drafts)
    if lists and not answer.cited_spans and not any(marker.targets for marker in markers):
        if lists[-1].closing:
            _cite_throughout(drafts, find_markers(text, (), supplied, lists[-1].start, lists[-1].end))
        else:
            assign(text, drafts, lists[-1].start, lists[-1].end)
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
            index.sources.get(i) or CitedSource(i, url=_address(i))
            for i in dict.fromkeys([*ids, *index.listed])
        ),
        n_characters=_dense(text, 0, len(text)),
        n_characters_covered=sum(_dense(text, span.start, span.end) for span in _union(covered)),
        has_references=bool(ids) or index.traceable,
    )


def _address(source_id: str) -> str | None:
    return source_id.removeprefix("url:") if source_id.startswith("url:") else None


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


def _markers(
    text: str,
    body: Sequence[Block],
    lists: Sequence[ReferenceList],
    labels: Collection[str],
    documents: SuppliedNames,
) -> list[Marker]:
    """Find all markers of the body, and the numbers of rows and notes, which lead nowhere."""
    in_tables = [*table_markers(text, body, labels, documents), *row_numbers(text, body)]
    if labels:  # else the notes may name the sources
        in_tables += note_signs(text, body)
    markers = outermost([*in_tables, *_body_markers(text, lists, labels, documents)])
    return markers if labels else with_sources_in_rows(text, markers)


def _body_markers(
    text: str, lists: Sequence[ReferenceList], labels: Collection[str], documents: SuppliedNames
) -> Iterator[Marker]:
    starts = [0, *(listed.end for listed in lists)]
    ends = [*(listed.start for listed in lists), len(text)]
    for start, end in zip(starts, ends, strict=True):
        yield from find_markers(text, labels, documents, start, end)


def _as_given(text: str, sentences: Sequence[CitedSpan], markers: Sequence[Marker]) -> list[Draft]:
    """Draft one claim for each sentence that was given as such, neither split nor joined, with its own markers."""
    drafts = []
    for number, span in enumerate(sentences):
        words = words_of(text, span.start, span.end, markers)
        own = [marker for marker in markers if span.start <= marker.start < span.end]
        reason = "no words" if not words.strip() else non_claim_reason(words)
        drafts.append(Draft(span.start, span.end, words, reason, number, markers=own))
    return drafts


def _sign(text: str, drafts: Sequence[Draft]) -> None:
    """Set the name apart that an answer ends with: "Best wishes," over "Tom"."""
    if len(drafts) < 2 or drafts[-2].reason != _COURTESY or drafts[-1].markers:
        return
    below = "\n" in text[drafts[-2].end : drafts[-1].start]
    if below and _NAME.fullmatch(drafts[-1].text) and not has_finite_verb(drafts[-1].text):
        drafts[-1].reason = _COURTESY


def _cite_throughout(drafts: Sequence[Draft], markers: Sequence[Marker]) -> None:
    """Give every claim the sources of a closing line."""
    for draft in drafts:
        if draft.reason is None:
            draft.markers = list(markers)


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
        return self.index.resolve(target.label, target.start, target.written) if target.label else None

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
                looked_up = self._looked_up(target)
                source_id = target.source_id or looked_up or None
                cite(target.written, source_id, target.start, target.end)
                beside = self.index.beside(target.label or "") if looked_up else ()
                for further in beside if source_id == looked_up else ():
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
