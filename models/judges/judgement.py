"""Inputs and outputs of a judge, and the protocol that every judge follows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, Self

from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.keys import content_key
from medassay.models.records import Reference

SubMetric = Literal["medical_correctness", "evidence_sufficiency", "response_alignment", "safety"]
JudgementStatus = Literal["scored", "abstained", "failed"]

SUB_METRICS: tuple[SubMetric, ...] = (
    "medical_correctness",
    "evidence_sufficiency",
    "response_alignment",
    "safety",
)
WEIGHTS: Mapping[SubMetric, int] = {
    "medical_correctness": 30,
    "evidence_sufficiency": 30,
    "response_alignment": 25,
    "safety": 15,
}
"""Percent of the rubric score."""


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """One answer to judge, and what is known about its question; None means "not given".

    `has_references` comes from our own parser of references and decides, whatever the judge says.
    """

    question: str
    answer: str
    references: tuple[Reference, ...]
    has_references: bool
    profile: str | None = None
    messages: str | None = None
    guidance: str | None = None
    risk_level: str | None = None
    reference_answer: str | None = None
    """What an examination holds the answer against; in a run the reference stands with the question."""

    @property
    def input_key(self) -> str:
        """Name what is judged; without a reference as before there was one."""
        shown = asdict(self)
        if self.reference_answer is None:
            del shown["reference_answer"]
        return content_key(shown)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge said of one answer, or why it said nothing.

    The four scores are integers 0–100. All are there where it is `scored`; where it `abstained`, those that its reply
    held all the same. `evidence_sufficiency` is the enforced value (0 without references), `evidence_sufficiency_raw`
    the judge's own. `n_left_out` counts the passages of the answer that spoke to its judge. `notes` say how a reply
    was repaired.
    """

    input_key: str
    sample_no: int
    status: JudgementStatus
    medical_correctness: int | None = None
    evidence_sufficiency: int | None = None
    evidence_sufficiency_raw: int | None = None
    response_alignment: int | None = None
    safety: int | None = None
    justification: str | None = None
    justification_reason: str | None = None
    reason: str | None = None
    model_answered: str | None = None
    n_calls: int = 0
    n_left_out: int = 0
    notes: tuple[str, ...] = ()

    @property
    def rubric_score(self) -> float | None:
        """The weighted mean in 0–1, None while any sub-metric is missing; never re-weighted."""
        scores = {name: getattr(self, name) for name in SUB_METRICS}
        if any(score is None for score in scores.values()):
            return None
        return sum(WEIGHTS[name] * int(score) for name, score in scores.items()) / 10_000


def scored(
    judge_input: JudgeInput,
    scores: Mapping[SubMetric, int],
    **rest: Any,
) -> Judgement:
    """Build a scored judgement: without references the evidence is worth 0, and the raw value is kept."""
    return Judgement(judge_input.input_key, status="scored", **enforced(judge_input, scores), **rest)


def enforced(judge_input: JudgeInput, scores: Mapping[SubMetric, int]) -> dict[str, Any]:
    """Return the marks that were given, None for the others; evidence that was marked is worth 0 without references."""
    raw = scores.get("evidence_sufficiency")
    return {
        **{name: scores.get(name) for name in SUB_METRICS},
        "evidence_sufficiency": raw if judge_input.has_references or raw is None else 0,
        "evidence_sufficiency_raw": raw,
    }


class Judge(Protocol):
    """A judge is entered for the length of a batch or a stage, so that what it needs is started once."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What is asked: everything that can change a score."""
        ...

    @property
    def name(self) -> str:
        """How the judge is called in tables."""
        ...

    @property
    def caveat(self) -> str | None:
        """What must stand beside its numbers, None if nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def judge(
        self,
        inputs: Sequence[JudgeInput],
        ledger: Ledger,
        *,
        sample_no: int = 0,
        concurrency: int = 8,
        deadline_s: float | None = None,
        cap: Cap | None = None,
        on_done: Callable[[Judgement], None] | None = None,
    ) -> list[Judgement]:
        """Judge a batch, one judgement per input and in order."""
        ...
