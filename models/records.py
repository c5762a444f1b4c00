"""Core record types: question, answer, claim, citation, verdict, mark.

Every text offset is a character offset into the text named beside it, half open.
"""

from dataclasses import dataclass, field
from typing import Literal

Scheme = Literal["pmid", "pmcid", "doi", "nct", "url", "document", "reference"]
Importance = Literal["vital", "okay"]
ClaimKind = Literal["claim", "non_claim"]
NuggetStateName = Literal["covered", "partial", "contradicted", "missing"]
ClaimStateName = Literal["correct", "contradicts", "unmatched", "non_claim"]
Flag = Literal["yes", "no", "unchecked"]


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of an answer's reference list, as given or as read from the text."""

    marker: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    nct: str | None = None
    url: str | None = None
    title: str | None = None
    content: str | None = None
    source: str | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class AuthoredReference(Reference):
    """An entry given as data with fields of its own for its authors (`Smith J, Doe A`) and its year."""

    authors: str | None = None
    year: str | None = None


@dataclass(frozen=True, slots=True)
class GivenNugget:
    """A fact that a good answer holds; given ones are never altered, merged or dropped."""

    text: str
    importance: Importance = "vital"


@dataclass(frozen=True, slots=True)
class Criterion:
    """What an answer is held to by its points: over 0 for what it should do, below 0 for what it must not."""

    text: str
    points: float = 1.0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """What an assistant must ask, or a red flag that it must raise, perhaps by a turn."""

    text: str
    by_turn: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and what is known about a good answer to it."""

    question_id: str
    question: str
    reference_answer: str | None = None
    nuggets: tuple[GivenNugget, ...] = ()
    profile: str | None = None
    messages: str | None = None
    guidance: str | None = None
    risk_level: str | None = None
    category: str | None = None
    case_id: str | None = None
    criteria: tuple[Criterion, ...] = ()
    must_ask: tuple[Act, ...] = ()
    red_flags: tuple[Act, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """Citations that came as data for a span of the answer: `PMID:1`, `PMC1`, `doi:…`, a URL, a document id.

    `is_sentence`: the span is a sentence as it was given, which is neither split nor joined; it may cite nothing.
    """

    start: int
    end: int
    citations: tuple[str, ...]
    is_sentence: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system said; an answer given as sentences is joined, its citations kept by span.

    `contexts` are the passages that the system had retrieved, in its order.
    """

    question_id: str
    system: str
    text: str
    references: tuple[Reference, ...] = ()
    cited_spans: tuple[CitedSpan, ...] = ()
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A labelled part of a document, such as METHODS; the label may be empty."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A supplied source; `identifiers` are further names under which answers may cite it (`pmid:1`)."""

    document_id: str
    title: str | None
    sections: tuple[Section, ...]
    identifiers: tuple[str, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim's pointer to a source; `source_id` is `scheme:value`, None for a marker with nothing behind it."""

    ordinal: int
    marker: str
    source_id: str | None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One assertion of an answer: its words, its place, whether it asserts anything, what it cites."""

    position: int
    text: str
    start: int
    end: int
    kind: ClaimKind
    kind_reason: str | None = None
    needs_citation: bool = True
    needs_reason: str | None = None
    citations: tuple[Citation, ...] = ()
    split_reason: str | None = None


@dataclass(frozen=True, slots=True)
class CitedSource:
    """What an answer says about a source it cites: enough to look it up, or its text itself."""

    source_id: str
    title: str | None = None
    url: str | None = None
    content: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Decomposition:
    """An answer as claims; characters in no claim and no non-claim are counted, never lost unseen.

    `sources` are what its claims cite, and behind them what it lists or names and does not cite.
    """

    claims: tuple[Claim, ...]
    sources: tuple[CitedSource, ...]
    n_characters: int
    n_characters_covered: int
    has_references: bool


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What the entailment model says of (premise, hypothesis); probabilities sum to 1, or all are None.

    The span is the deciding sentence in the premise; `coverage` is the share of the premise that was read.
    """

    entailment: float | None
    neutral: float | None
    contradiction: float | None
    n_windows: int = 1
    sentence: Span | None = None
    coverage: float = 1.0
    reason: str | None = None
    remark: str | None = None
    """What the model said beyond the three, such as that the passage is not relevant."""
    reader: str | None = None
    """Which of several readers gave the verdict; None where there is one."""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source that was found: its text in order, and what is known of its standing."""

    source_id: str
    title: str | None
    sections: tuple[Section, ...]
    year: int | None = None
    journal: str | None = None
    publication_types: tuple[str, ...] = ()
    url: str | None = None
    retracted: Flag = "unchecked"
    concern: Flag = "unchecked"
    erratum: Flag = "unchecked"
    identifiers: tuple[str, ...] = field(default=())
    full_text: bool = False

    @property
    def flags(self) -> tuple[Flag, Flag, Flag]:
        """The notices: retraction, expression of concern, erratum."""
        return self.retracted, self.concern, self.erratum


@dataclass(frozen=True, slots=True)
class SeveralDocuments(SourceRecord):
    """Supplied documents that go by one name; `breaks` are the sections, by number, where another one begins."""

    breaks: tuple[int, ...] = ()
