"""Types of matching: inputs, requests to the reader, results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from medassay.models.records import ClaimKind, ClaimStateName, Importance, NuggetStateName, PairVerdict

if TYPE_CHECKING:
    import numpy as np

MatchedBy = Literal["cosine", "reader"]
Relation = Literal["covered", "contradicted", "partial", "none"]
Entailment = Mapping[tuple[str, str], PairVerdict]


@dataclass(frozen=True, slots=True)
class MadeNugget:
    """A nugget made by us from a reference answer, and the characters of the reference it came from.

    `held` is the share of its telling words, 0 to 1, that stand there; `graded` says whether its importance was asked
    for and had.
    """

    text: str
    importance: Importance
    start: int
    end: int
    held: float = 1.0
    graded: bool = True


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim as the matcher sees it; neighbours are found by position, not by place in the list.

    `leads` where a non-claim says what those after it are about: a heading, the line that introduces a list.
    """

    position: int
    text: str
    kind: ClaimKind = "claim"
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """An answer held against nuggets: its claims, the cosines of both, shape (claims, nuggets), and its question."""

    claims: Sequence[ClaimText]
    nuggets: Sequence[str]
    similarity: "np.ndarray"
    question: str = ""


@dataclass(frozen=True, slots=True)
class EntailRequest:
    """A claim or a window of claims to be read beside a nugget; `window` holds the positions that were joined."""

    premise: str
    hypothesis: str
    claim_position: int
    window: tuple[int, ...]
    nugget_position: int


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """The stored cut-offs of a matching; both matchers' scores are read against the same `threshold`.

    `reader` reads `windows_a_nugget` windows of an answer for each nugget, and further ones whose nearest nugget it is
    from a cosine of `shortlist_floor` on. `cosine` asks a reader about the `shortlist_size` nearest claims that reach
    the threshold, and turns a nugget from a contradiction of `contradiction_cutoff` on.
    """

    matcher: MatchedBy = "reader"
    threshold: float = 0.75
    margin: float = 0.05
    contradiction_cutoff: float = 0.9
    shortlist_floor: float = 0.45
    shortlist_size: int = 3
    windows_a_nugget: int = 2


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """What one claim, with its neighbours, says of one nugget."""

    claim_position: int
    nugget_position: int
    score: float
    relation: Relation
    reason: str


@dataclass(frozen=True, slots=True)
class NuggetMatch:
    """The state of one nugget in one answer, with the claims responsible.

    `margin` is the lead of the deciding claim over the runner-up; None where there is no second claim.
    `score` is None only where the answer holds no claim at all.
    """

    position: int
    state: NuggetStateName
    score: float | None
    margin: float | None
    runner_up: int | None
    claim_positions: tuple[int, ...]
    one_to_one: int | None
    conflict: bool
    ambiguous: bool
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimMatch:
    """The state of one claim: the nugget that decides it, and the other nuggets within the margin."""

    position: int
    state: ClaimStateName
    nugget_position: int | None
    score: float | None
    potentially_matched: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Exactly one entry a nugget and one a claim, in the order in which they were given."""

    nuggets: tuple[NuggetMatch, ...]
    claims: tuple[ClaimMatch, ...]
    settings: MatchSettings = field(default_factory=MatchSettings)
