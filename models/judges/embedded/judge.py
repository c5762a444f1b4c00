"""The embedded judge: a small local model, asked one yes/no question per sub-metric and read by probability.

The numbers a small model writes are chance; the probability it gives to "Yes" is not. P(Yes) / (P(Yes) +
P(No)) of the first token is mapped to 0–100 by a monotone calibration fitted on this project's own pairs. An answer's
statements are read one by one (`on_topic`) and the weak ones count (`weakest`), so that nothing added to an answer
makes it better; how likely the model would have been to say them counts for what is correct (`likelihood`). The same
answer gets the same marks in every run (`steady`). The preset `quick` asks once a sub-metric about the whole answer: a
few seconds an answer, and easier to talk into a mark.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import Ledger
from medassay.models.chat.local_server import serving
from medassay.models.chat.served import EMBEDDED_CONTEXT, EMBEDDED_MODEL, embedded_endpoint
from medassay.models.embedding import DEFAULT_EMBEDDER
from medassay.models.judges.addressed.leaving_out import leave_out_addressed
from medassay.models.judges.embedded import likelihood
from medassay.models.judges.embedded.levels import Preset, calibrated, calibration
from medassay.models.judges.embedded.likelihood import likelihood_requests
from medassay.models.judges.embedded.steady import SteadyServer, are_answered, view_of
from medassay.models.judges.embedded.weakest import log_odds_of_answer, log_odds_of_whole, worth
from medassay.models.judges.embedded.yes_no import (
    MOST_REFERENCES,
    PROMPTS,
    fixed_texts,
    next_requests,
    quick_requests,
    requests,
    requests_at_most,
    said_by,
)
from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, SubMetric, scored
from medassay.models.judges.prompt_files import load_examples, prompt_file_digest
from medassay.models.judges.statements.far_asides import MOST_COSINE, Cosine, embedded_cosine
from medassay.models.judges.statements.on_topic import words_known
from medassay.models.keys import content_key
from medassay.models.registry import model_named

STAGE_VERSION = 18
EMBEDDER = model_named(DEFAULT_EMBEDDER)
CONTEXT_TOKENS = EMBEDDED_CONTEXT
LONGEST_QUESTION_S = 300.0
SPELLED_AT_ONCE = 8
"""Of so many answers the statements are spelled before any of them is asked about: what begins every question is read
anew after that, once for them all."""
NO_PROSE = "the embedded judge reads probabilities and writes no prose"


@dataclass(slots=True)
class EmbeddedJudge:
    """The judge served from a GGUF file on this machine; entered, it holds the local server.

    `cosine` says how near words are in meaning; the embedded embedder does where none is given. `preset` says what is
    asked: of every statement, or, `quick`, once a sub-metric of the whole answer, for which no embedder is needed.
    """

    model_path: Path
    served_at: Endpoint | None = None
    cosine: Cosine | None = None
    preset: Preset = "statements"
    _held: ExitStack = field(default_factory=ExitStack, repr=False)
    _depth: int = field(default=0, repr=False)

    caveat: ClassVar[str | None] = (
        "smoke-test judge: a small local model whose levels are rough; for scores to rely on, "
        "name a capable one with --judge <base_url>#<model>"
    )

    @property
    def name(self) -> str:
        """How the judge is called in tables, as it is named in a spec."""
        return "embedded" if self.preset == "statements" else f"embedded:{self.preset}"

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What is asked: the weights' digest, the questions, the calibration, what ties a sentence, the context."""
        asked = {
            "judge": "embedded",
            "preset": self.preset,
            "model": EMBEDDED_MODEL.name,
            "sha256": EMBEDDED_MODEL.sha256,
            "prompts": content_key([*map(prompt_file_digest, PROMPTS), load_examples("yes_no_examples")]),
            "calibration": content_key(calibration(self.preset)),
            "on_topic": content_key(words_known()),
            "context_tokens": CONTEXT_TOKENS,
            "stage_version": STAGE_VERSION,
        }
        if self.preset == "quick":
            return asked
        return {
            **asked,
            "weakest": content_key(worth()),
            "far": content_key([EMBEDDER.sha256, MOST_COSINE]),
            "likelihood": content_key([prompt_file_digest(likelihood.PROMPT), likelihood.STRETCH]),
            "fixed_texts": content_key(fixed_texts()),
        }

    def requests_at_most(self, judge_input: JudgeInput) -> list[Request[float]]:
        """Build all questions that may be asked about one answer, whatever the readings."""
        if self.preset == "quick":
            return quick_requests(judge_input)
        spelled = likelihood_requests(judge_input, said_by(judge_input, None), of_all=True)
        return [*spelled, *requests_at_most(judge_input)]

    def __enter__(self) -> Self:
        if self._depth == 0 and self.served_at is None:
            server = self._held.enter_context(serving(self.model_path, n_ctx=CONTEXT_TOKENS))
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
            ModelMissing: the embedder is not on this machine.
        """
        unique = {judge_input.input_key: judge_input for judge_input in inputs}
        judged: dict[str, Judgement] = {}
        with self:
            assert self.served_at is not None
            server = SteadyServer(self.served_at, ledger, deadline_s or LONGEST_QUESTION_S, cap)
            for judge_input, outcomes in self.outcomes_of(list(unique.values()), server, sample_no):
                key = judge_input.input_key
                judged[key] = self._judgement(judge_input, outcomes, sample_no)
                if on_done is not None:
                    on_done(judged[key])
        return [judged[judge_input.input_key] for judge_input in inputs]

    def outcomes_of(
        self, inputs: Sequence[JudgeInput], server: SteadyServer, sample_no: int = 0
    ) -> Iterator[tuple[JudgeInput, list[Outcome[float]]]]:
        """Ask about each input in turn what its mark is read from; what failed ends the questions about it."""
        for start in range(0, len(inputs), SPELLED_AT_ONCE):
            some = inputs[start : start + SPELLED_AT_ONCE]
            spelled = [self._spelled(judge_input, sample_no, server) for judge_input in some]
            for judge_input, outcomes in zip(some, spelled, strict=True):
                if are_answered(outcomes):
                    outcomes += self._asked(judge_input, sample_no, server)
                yield judge_input, outcomes

    def log_odds(self, outcomes: Sequence[Outcome[float]]) -> dict[SubMetric, float]:
        """Return what the replies to all questions about an answer come to."""
        readings = readings_of(outcomes)
        return log_odds_of_whole(readings) if self.preset == "quick" else log_odds_of_answer(readings)

    def _spelled(self, judge_input: JudgeInput, sample_no: int, server: SteadyServer) -> list[Outcome[float]]:
        """Read how likely its statements are; the preset `quick` does not."""
        if self.preset == "quick":
            return []
        said = said_by(judge_input, self._meaning)
        return server.spell(likelihood_requests(judge_input, said, sample_no))

    def _asked(self, judge_input: JudgeInput, sample_no: int, server: SteadyServer) -> list[Outcome[float]]:
        """Ask about every statement, and then what the readings call for; `quick` asks about the whole."""
        if self.preset == "quick":
            return server.ask(quick_requests(judge_input, sample_no))
        outcomes = server.ask(requests(judge_input, self._meaning, sample_no))
        while are_answered(outcomes) and (
            posed := next_requests(judge_input, readings_of(outcomes), self._meaning, sample_no)
        ):
            outcomes += server.ask(posed)
        return outcomes

    def _judgement(
        self, judge_input: JudgeInput, outcomes: Sequence[Outcome[float]], sample_no: int
    ) -> Judgement:
        calls = [call for outcome in outcomes for call in outcome.calls]
        answered = next((c.model_answered for c in reversed(calls) if c.model_answered), None)
        n_left_out = leave_out_addressed(judge_input.answer).n_left_out
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
                        n_left_out=n_left_out,
                    )
        log_odds = self.log_odds(outcomes)
        return scored(
            judge_input,
            {name: calibrated(name, log_odds[name], self.preset) for name in SUB_METRICS},
            sample_no=sample_no,
            justification_reason=NO_PROSE,
            model_answered=answered,
            n_calls=len(calls),
            n_left_out=n_left_out,
            notes=_notes(judge_input),
        )

    @property
    def _meaning(self) -> Cosine:
        return self.cosine or embedded_cosine()


def readings_of(outcomes: Sequence[Outcome[float]]) -> dict[str, dict[SubMetric, float]]:
    """Lay the readings out by view and sub-metric; what has no reading is left out."""
    readings: dict[str, dict[SubMetric, float]] = {}
    for outcome in outcomes:
        if outcome.value is not None:
            readings.setdefault(view_of(outcome), {})[_sub_metric(outcome)] = outcome.value
    return readings


def _sub_metric(outcome: Outcome[float]) -> SubMetric:
    asked = outcome.item_key.split("/")[1]
    return next(name for name in SUB_METRICS if name == asked)


def _notes(judge_input: JudgeInput) -> tuple[str, ...]:
    """Say what was not shown."""
    notes = []
    hidden = len(judge_input.references) - MOST_REFERENCES
    if hidden > 0:
        notes.append(f"evidence was read from the first {MOST_REFERENCES} references, {hidden} were not")
    return tuple(notes)
