"""The embedded judge: a small local model, asked one yes/no question per sub-metric and read by probability.

The numbers a small model writes are chance; the probability it gives to "Yes" is not. P(Yes) / (P(Yes) +
P(No)) of the first token is mapped to 0–100 by a monotone calibration fitted on this project's own pairs. What the
answer says beside its question may lower a mark and never raise one (`on_topic`). A quantised model's arithmetic
depends on what the server still holds, so every text is begun from the same state, and one that was cut short is led
there again: the same answer gets the same marks in every run.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self

from models.chat.asking import ask_all
from models.chat.cap import Cap
from models.chat.conversation import Message, Outcome, Request
from models.chat.endpoint import Endpoint
from models.chat.ledger import Ledger, MemoryLedger
from models.chat.local_server import serving
from models.judges.addressed import leave_out_addressed
from models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, SubMetric, scored
from models.judges.levels import READ_FROM, calibrated, calibration, combined
from models.judges.on_topic import words_known
from models.judges.prompt_files import load_examples, prompt_file_digest
from models.judges.yes_no import MOST_REFERENCES, PROMPTS, REFERENCES_ONLY, REST, opening, requests
from models.keys import content_key
from models.registry import model_named

STAGE_VERSION = 6
READS_WRONG = -1.0
"""Below these log-odds of "Yes" what does not answer the question counts; neutral padding reads from -0.3 upwards."""
EMBEDDED_MODEL = model_named("qwen2.5-coder-1.5b-instruct-q4_k_m")
CONTEXT_TOKENS = 4096
_ALIGNMENT: SubMetric = "response_alignment"
NO_PROSE = "the embedded judge reads probabilities and writes no prose"


@dataclass(slots=True)
class EmbeddedJudge:
    """The judge served from a GGUF file on this machine; entered, it holds the local server."""

    model_path: Path
    served_at: Endpoint | None = None
    _held: ExitStack = field(default_factory=ExitStack, repr=False)
    _depth: int = field(default=0, repr=False)

    name: ClassVar[str] = "embedded"
    is_tuned_on_gold: ClassVar[bool] = True
    caveat: ClassVar[str | None] = (
        "smoke-test judge: a small local model whose levels are rough; for scores to rely on, "
        "name a capable one with --judge <base_url>#<model>"
    )

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What is asked: the weights' digest, the questions, the calibration, what ties a sentence, the context."""
        return {
            "judge": "embedded",
            "model": EMBEDDED_MODEL.name,
            "sha256": EMBEDDED_MODEL.sha256,
            "prompts": content_key([*map(prompt_file_digest, PROMPTS), load_examples("yes_no_examples")]),
            "calibration": content_key([calibration(), READ_FROM]),
            "on_topic": content_key(words_known()),
            "reads_wrong": READS_WRONG,
            "context_tokens": CONTEXT_TOKENS,
            "stage_version": STAGE_VERSION,
        }

    def __enter__(self) -> Self:
        if self._depth == 0 and self.served_at is None:
            server = self._held.enter_context(serving(self.model_path, n_ctx=CONTEXT_TOKENS))
            self.served_at = server.endpoint
            self._held.callback(self._forget)
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._held.close()

    def _forget(self) -> None:
        self.served_at = None

    def judge(
        self,
        inputs: Sequence[JudgeInput],
        ledger: Ledger,
        *,
        sample_no: int = 0,
        concurrency: int = 1,
        deadline_s: float = 300.0,
        cap: Cap | None = None,
        on_done: Callable[[Judgement], None] | None = None,
    ) -> list[Judgement]:
        """Judge a batch, one judgement per input and in order; equal inputs are judged once.

        The server has one slot, so calls are made one after the other whatever `concurrency` says.

        Raises:
            LocalServerError: when the local server cannot be started.
        """
        unique = {judge_input.input_key: judge_input for judge_input in inputs}
        judged: dict[str, Judgement] = {}
        with self:
            for key, judge_input in unique.items():
                outcomes = self._ask(requests(judge_input, sample_no), ledger, deadline_s, cap)
                judged[key] = _judgement(judge_input, outcomes, sample_no)
                if on_done is not None:
                    on_done(judged[key])
        return [judged[judge_input.input_key] for judge_input in inputs]

    def _ask(
        self,
        asked: list[Request[float]],
        ledger: Ledger,
        deadline_s: float,
        cap: Cap | None,
    ) -> list[Outcome[float]]:
        """Ask what the ledger does not know, from the state in which a run that asks everything would ask it."""
        assert self.served_at is not None
        outcomes = []
        for _, view in groupby(asked, _view_of):
            posed = list(view)
            known = [
                request
                for request in posed
                if (call := ledger.find(request.request_key(self.served_at), request.sample_no))
                and call.is_answer
            ]
            if len(known) < len(posed):
                begun = replace(posed[0], item_key="opening", messages=(*opening(), Message("user", "Text:")))
                ask_all([begun, *known], self.served_at, MemoryLedger(), concurrency=1, deadline_s=deadline_s)
            outcomes += ask_all(posed, self.served_at, ledger, concurrency=1, deadline_s=deadline_s, cap=cap)
        return outcomes


def log_odds_by_sub_metric(outcomes: Sequence[Outcome[float]]) -> dict[SubMetric, float]:
    """Return what counts as the reading of each sub-metric; what has no reading is left out.

    The view that answers the question best, by the model's own reading, stands for the answer; the other views and the
    rest count only where they read as wrong. Alignment is the lowest of all views: nothing beside it lifts an answer.
    """
    by_view: dict[str, dict[SubMetric, float]] = {}
    for outcome in outcomes:
        if outcome.value is not None:
            by_view.setdefault(_view_of(outcome), {})[_sub_metric(outcome)] = outcome.value
    aligned = {view: found[_ALIGNMENT] for view, found in by_view.items() if _ALIGNMENT in found}
    main = max(aligned, key=lambda view: aligned[view], default=None)
    counted: dict[SubMetric, float] = {}
    for view, found in by_view.items():
        for name, value in found.items():
            whole = view == main or name in (_ALIGNMENT, REFERENCES_ONLY)
            if whole or value < READS_WRONG:
                counted[name] = min(counted.get(name, value), value)
    return counted


def _view_of(asked: Request[float] | Outcome[float]) -> str:
    return asked.item_key.rsplit("/", 1)[1]


def _sub_metric(outcome: Outcome[float]) -> SubMetric:
    asked = outcome.item_key.split("/")[1]
    return next(name for name in SUB_METRICS if name == asked)


def _judgement(judge_input: JudgeInput, outcomes: Sequence[Outcome[float]], sample_no: int) -> Judgement:
    calls = [call for outcome in outcomes for call in outcome.calls]
    answered = next((c.model_answered for c in reversed(calls) if c.model_answered), None)
    for status in ("failed", "abstained"):
        for outcome in outcomes:
            if outcome.status == status:
                return Judgement(
                    judge_input.input_key,
                    sample_no,
                    "failed" if status == "failed" else "abstained",
                    justification_reason=NO_PROSE,
                    reason=f"{_sub_metric(outcome)}: {outcome.reason}",
                    model_answered=answered,
                    n_calls=len(calls),
                )
    log_odds = log_odds_by_sub_metric(outcomes)
    return scored(
        judge_input,
        {name: calibrated(name, combined(name, log_odds)) for name in SUB_METRICS},
        sample_no=sample_no,
        justification_reason=NO_PROSE,
        model_answered=answered,
        n_calls=len(calls),
        notes=_notes(judge_input, has_rest=any(_view_of(outcome) == REST for outcome in outcomes)),
    )


def _notes(judge_input: JudgeInput, *, has_rest: bool) -> tuple[str, ...]:
    """Say what was not shown, and what could only lower a mark."""
    notes = []
    hidden = len(judge_input.references) - MOST_REFERENCES
    if hidden > 0:
        notes.append(f"evidence was read from the first {MOST_REFERENCES} references, {hidden} were not")
    n_left_out = leave_out_addressed(judge_input.answer).n_left_out
    if n_left_out:
        notes.append(f"{n_left_out} passages addressed to the reviewer were not shown")
    if has_rest:
        notes.append("sentences that are not tied to the question could lower marks only")
    return tuple(notes)
