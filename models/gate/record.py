"""Record of a gate: `gate.json`, a stable form from which every other output is made."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from medassay.models.counting import counted

MOST_LINES = 50
FORM: Literal["medassay.gate/1"] = "medassay.gate/1"
Verdict = Literal["passed", "failed", "insufficient_evidence"]
Outcome = Literal["passed", "failed", "warned", "insufficient_evidence", "not_applicable"]
AnswerOutcome = Literal["passed", "failed", "warned", "unjudged", "skipped"]
EXIT_CODES: dict[Verdict, int] = {"passed": 0, "failed": 1, "insufficient_evidence": 4}


class GateFailed(AssertionError):
    """An answer broke a rule, or a metric its bound; a line each."""


class InsufficientEvidence(GateFailed):
    """There is too little data to say that the run keeps to its gate; a line each, with what would settle it."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Finding(_Record):
    """One place where an answer breaks a rule; line and columns count from 1, in characters, where they are known."""

    rule: str
    level: Literal["error", "warn"]
    message: str
    claim: str | None = None
    evidence: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class AnswerResult(_Record):
    """One question put to one system.

    Attributes:
        outcome: failed, warned or passed by its findings; unjudged where something failed or abstained that a rule or
            bound looks at; skipped where nothing of that could be scored by the nature of the answer.
        reason: Why it is unjudged or skipped.
        scores: Values by metric.
        nulls: Reasons by metric without a value.
    """

    question_id: str
    system: str
    category: str | None
    file: str | None
    line: int | None
    outcome: AnswerOutcome
    reason: str | None
    scores: dict[str, float]
    nulls: dict[str, str]
    findings: list[Finding]


class Check(_Record):
    """One thing that a run as a whole has to keep: a bound, the baseline's level, the questions that have to be there.

    Attributes:
        kind: bound, nulls, baseline, questions, unjudged or run.
        name: Says what is checked, unique in the record.
        value: The mean, or with `kind` baseline the mean difference, this run less the baseline.
        bound: What the value is held against, or the margin.
        n: Questions behind the value.
        p_adjusted: Of the test of non-inferiority, adjusted by Holm's rule in a family of `family_size`.
        questions_needed: How many questions in all would settle it with 80 % power, if what was seen is true.
    """

    kind: Literal["bound", "nulls", "baseline", "questions", "unjudged", "run"]
    name: str
    outcome: Outcome
    message: str
    metric: str | None = None
    system: str | None = None
    category: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    n: int | None = None
    n_null: int | None = None
    p_adjusted: float | None = None
    family_size: int | None = None
    questions_needed: int | None = None


class BaselineNamed(_Record):
    """The baseline that a run was held against; `differences` where it was made with other options or models."""

    file: str
    run_id: str
    digest: str
    differences: list[str]


class GateRecord(_Record):
    """A gate's verdict with everything that it rests on."""

    form: Literal["medassay.gate/1"] = FORM
    verdict: Verdict
    run_id: str
    dataset: str
    medassay: str
    config: str | None
    baseline: BaselineNamed | None
    made_with: str
    checks: list[Check]
    answers: list[AnswerResult]
    notes: list[str]

    @property
    def exit_code(self) -> int:
        """Return the exit code of the verdict."""
        return EXIT_CODES[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether the run keeps to its gate."""
        return self.verdict == "passed"

    def __bool__(self) -> bool:
        """Return `passed`, so that `assert result.gate(…)` is no assertion that always holds."""
        return self.passed

    def lines(self) -> list[str]:
        """Return a line for each thing that keeps the verdict from being `passed`."""
        red = ("failed", "insufficient_evidence")
        checks = [check.message for check in self.checks if check.outcome in red]
        found = [
            f"{answer.question_id}, {answer.system}{place_of(answer, one)}: {one.message}"
            for answer in self.answers
            for one in answer.findings
            if one.level == "error"
        ]
        return found + checks

    def assert_passed(self) -> None:
        """Raise unless the verdict is `passed`.

        Raises:
            InsufficientEvidence: where nothing failed, but there is too little data to tell.
            GateFailed: where a rule or bound is broken.
        """
        __tracebackhide__ = True  # pytest then shows the lines alone
        lines = self.lines()
        more = [f"… and {counted(len(lines) - MOST_LINES, 'line')} more"] if len(lines) > MOST_LINES else []
        said = "\n".join([f"run {self.run_id} did not pass its gate", *lines[:MOST_LINES], *more])
        if self.verdict == "failed":
            raise GateFailed(said)
        if self.verdict == "insufficient_evidence":
            raise InsufficientEvidence(said)

    def __repr__(self) -> str:
        return "\n".join([f"<gate of run {self.run_id}: {self.verdict.replace('_', ' ')}>", *self.lines()])


def place_of(answer: AnswerResult, finding: Finding | None = None) -> str:
    """Return ` (file:line)` where that is known."""
    line = (finding.line if finding else None) or answer.line
    return f" ({answer.file}:{line})" if answer.file and line else ""
