"""What a gate looks at: a finished run's answers with their scores, contradicted nuggets and faulty citations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FAULTY = ("contradicts", "not_found", "untraceable")
"""States of citations that a rule may forbid."""


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one answer; `status` says why there is no value: not_applicable, abstained or failed."""

    value: float | None
    status: str
    reason: str | None = None

    @property
    def is_unjudged(self) -> bool:
        """Whether a value is missing because something failed or abstained, not for want of a denominator."""
        return self.value is None and self.status in ("abstained", "failed")


@dataclass(frozen=True, slots=True)
class Span:
    """A claim of the answer: its words, and where they stand in the answer's text, in characters from 0."""

    claim_id: str
    claim: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ContradictedNugget:
    """A nugget that the answer turns around, and the claims that do."""

    nugget: str
    importance: str
    claims: tuple[Span, ...]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SaidDont:
    """A Don't of the question's guidance that the answer says, and the sentences that do."""

    words: str
    claims: tuple[Span, ...]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class FaultyCitation:
    """A citation that does not hold up; `state` and `retracted` as in the view `citation_verdicts`."""

    citation: str
    source_id: str | None
    state: str
    retracted: str
    claim: Span
    sentence: str | None = None
    reason: str | None = None

    @property
    def fault(self) -> str:
        """Name what is wrong with which source for which claim, so that the same fault is known again."""
        kinds = [self.state] * (self.state in FAULTY) + ["retracted"] * (self.retracted == "yes")
        return f"{', '.join(kinds)} {self.source_id or self.citation}: {self.claim.claim}"


@dataclass(frozen=True, slots=True)
class MeasuredAnswer:
    """One question put to one system, answered or not.

    Attributes:
        answer_key: Names the answer's content; None where there is none.
        unit: The question, or the case that it shares with others.
        file: Where the answer was read, as it was named; `line` counts from 1, and is a row's number in a table.
        text: The answer.
    """

    question_id: str
    system: str
    state: str
    answer_key: str | None
    unit: str
    category: str | None
    file: str | None
    line: int | None
    text: str | None
    scores: Mapping[str, Score]
    contradicted: tuple[ContradictedNugget, ...] = ()
    citations: tuple[FaultyCitation, ...] = ()
    donts_said: tuple[SaidDont, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeWith:
    """What numbers were made with: two runs of equal answers and an equal one have equal numbers.

    Attributes:
        options: The choices that a score can depend on, by name.
        stages: Each stage's fingerprint: models, prompts, settings and the version of its code.
        formulas: The digest of what makes numbers of readings.
    """

    options: Mapping[str, Any]
    stages: Mapping[str, str]
    formulas: str | None


@dataclass(frozen=True, slots=True)
class Mean:
    """A system's mean of one metric over questions; `category` None for all of them.

    Attributes:
        deviation: Standard deviation over units; None for fewer than two.
        n: Questions with a value.
        n_null: Questions without one.
        n_units: What the interval rests on: questions, those of one case counted once.
        reason: Why there is no value or no interval.
    """

    metric: str
    system: str
    category: str | None
    value: float | None
    low: float | None
    high: float | None
    deviation: float | None
    n: int
    n_null: int
    n_units: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A finished run."""

    run_id: str
    dataset: str
    version: str
    profile: str
    primary: tuple[str, ...]
    made_with: MadeWith
    answers: tuple[MeasuredAnswer, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the systems in the order of their names."""
        return tuple(sorted({answer.system for answer in self.answers}))
