"""The embedded judge: a small local model, asked one yes/no question per sub-metric and read by probability.

The numbers a small model writes are chance; the probability it gives to "Yes" is not. P(Yes) / (P(Yes) + P(No)) of the
first token is mapped to 0–100 by a monotone line a sub-metric, fitted on this project's own pairs (`calibrating`).
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Message, Outcome
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import Ledger, MemoryLedger
from medassay.models.chat.local_server import serving
from medassay.models.chat.served import EMBEDDED_CONTEXT, EMBEDDED_MODEL, embedded_endpoint
from medassay.models.judges.addressed.removal import leave_out_addressed
from medassay.models.judges.embedded.yes_no import MOST_REFERENCES, PROMPTS, request_of, requests
from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, SubMetric, scored
from medassay.models.judges.prompt_parts import load_examples, prompt_file_digest
from medassay.models.keys import content_key

STAGE_VERSION = 19
LONGEST_QUESTION_S = 300.0
NO_PROSE = "the embedded judge reads probabilities and writes no prose"
BEGINNING = "Hello."
"""Begins like nothing that is asked."""


@dataclass(slots=True)
class EmbeddedJudge:
    """The judge served from a GGUF file on this machine; entered, it holds the local server."""

    model_path: Path
    served_at: Endpoint | None = None
    _held: ExitStack = field(default_factory=ExitStack, repr=False)
    _depth: int = field(default=0, repr=False)

    name: ClassVar[str] = "embedded"
    """How the judge is called in tables."""
    caveat: ClassVar[str | None] = (
        "smoke-test judge: a small local model whose levels are rough; for scores to rely on, "
        "name a capable one with --judge <base_url>#<model>"
    )

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What is asked: the weights' digest, the questions, the calibration, the context."""
        return {
            "judge": "embedded",
            "model": EMBEDDED_MODEL.name,
            "sha256": EMBEDDED_MODEL.sha256,
            "prompts": content_key([*map(prompt_file_digest, PROMPTS), load_examples("yes_no_examples")]),
            "calibration": content_key(calibration()),
            "context_tokens": EMBEDDED_CONTEXT,
            "stage_version": STAGE_VERSION,
        }

    def __enter__(self) -> Self:
        if self._depth == 0 and self.served_at is None:
            server = self._held.enter_context(serving(self.model_path, n_ctx=EMBEDDED_CONTEXT))
            self.served_at = replace(embedded_endpoint(self.model_path), base_url=server.base_url)
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
        deadline_s: float | None = None,
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
                outcomes = self.ask(judge_input, ledger, sample_no, deadline_s, cap)
                judged[key] = _judgement(judge_input, outcomes, sample_no)
                if on_done is not None:
                    on_done(judged[key])
        return [judged[judge_input.input_key] for judge_input in inputs]

    def ask(
        self,
        judge_input: JudgeInput,
        ledger: Ledger,
        sample_no: int = 0,
        deadline_s: float | None = None,
        cap: Cap | None = None,
    ) -> list[Outcome[float]]:
        """Ask the four questions of one answer.

        A quantised model's arithmetic depends on what the server still holds. So the questions are begun from the same
        state, by a call that is not recorded, and an answer that was cut short is asked about from its beginning: the
        same answer gets the same marks in every run.
        """
        assert self.served_at is not None
        server, longest_s = self.served_at, deadline_s or LONGEST_QUESTION_S
        posed = requests(judge_input, sample_no)
        known = [one for one in posed if ledger.find(one.request_key(server), sample_no).answer is not None]
        if len(known) < len(posed) and not (cap is not None and cap.turned_away):
            begun = request_of("opening", Message("user", BEGINNING))
            ask_all([begun, *known], server, MemoryLedger(), concurrency=1, deadline_s=longest_s)
        return ask_all(posed, server, ledger, concurrency=1, deadline_s=longest_s, cap=cap)


def log_odds_of(outcomes: Sequence[Outcome[float]]) -> dict[SubMetric, float]:
    """Return what the replies come to; what is wrong is rarely safe, so safety is its mean with correctness."""
    read = {
        name: outcome.value
        for outcome in outcomes
        for name in SUB_METRICS
        if outcome.value is not None and outcome.item_key.endswith(f"/{name}")
    }
    return {**read, "safety": (read["safety"] + read["medical_correctness"]) / 2}


@cache
def calibration() -> Mapping[SubMetric, Mapping[str, float]]:
    """Return intercept and slope per sub-metric: score = 100 × logistic(intercept + slope × log-odds)."""
    text = Path(__file__).with_name("calibration.json").read_text(encoding="utf-8")
    loaded: dict[SubMetric, Mapping[str, float]] = json.loads(text)
    return loaded


def calibrated(sub_metric: SubMetric, log_odds: float) -> int:
    """Map log-odds of "Yes" to an integer 0–100; monotone, since every slope is positive."""
    line = calibration()[sub_metric]
    return round(100 / (1 + math.exp(-(line["intercept"] + line["slope"] * log_odds))))


def _judgement(judge_input: JudgeInput, outcomes: Sequence[Outcome[float]], sample_no: int) -> Judgement:
    calls = [call for outcome in outcomes for call in outcome.calls]
    about: dict[str, Any] = {
        "sample_no": sample_no,
        "justification_reason": NO_PROSE,
        "model_answered": next((c.model_answered for c in reversed(calls) if c.model_answered), None),
        "n_calls": len(calls),
        "n_left_out": leave_out_addressed(judge_input.answer).n_left_out,
    }
    for status in ("failed", "abstained"):
        for outcome in outcomes:
            if outcome.status == status:
                reason = f"{outcome.item_key.rpartition('/')[2]}: {outcome.reason}"
                return Judgement(judge_input.input_key, status=status, reason=reason, **about)
    log_odds = log_odds_of(outcomes)
    hidden = len(judge_input.references) - MOST_REFERENCES
    if hidden > 0:
        about["notes"] = (
            f"evidence was read from the first {MOST_REFERENCES} references, {hidden} were not",
        )
    return scored(judge_input, {name: calibrated(name, log_odds[name]) for name in SUB_METRICS}, **about)
