"""The embedded judge: a small local model, asked one yes/no question per sub-metric and read by probability.

The numbers a small model writes are chance; the probability it gives to "Yes" is not. P(Yes) / (P(Yes) +
P(No)) of the first token is mapped to 0–100 by a monotone calibration fitted on this project's own pairs. An answer's
statements are read one by one (`on_topic`) and the weak ones count (`weakest`), so that nothing added to an answer
makes it better. A quantised model's arithmetic depends on what the server still holds, so all that is asked of a
statement is begun from the same state, by a call of its own where what was asked before begins like it, and what was
cut short is led there again: the same answer gets the same marks in every run. The preset `quick` asks once a
sub-metric about the whole answer: a few seconds an answer, and easier to talk into a mark.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self

from models.chat.asking import ask_all
from models.chat.cap import Cap
from models.chat.conversation import Message, Outcome, Request
from models.chat.endpoint import Endpoint
from models.chat.ledger import Ledger, MemoryLedger
from models.chat.local_server import serving
from models.chat.served import EMBEDDED_CONTEXT, EMBEDDED_MODEL, embedded_endpoint
from models.embedding import DEFAULT_EMBEDDER
from models.judges.addressed import leave_out_addressed
from models.judges.embedded.levels import READ_FROM, Preset, calibrated, calibration, combined
from models.judges.embedded.weakest import log_odds_of_answer, log_odds_of_whole, worth
from models.judges.embedded.yes_no import (
    MOST_REFERENCES,
    PROMPTS,
    fixed_texts,
    next_requests,
    opening,
    quick_requests,
    requests,
    requests_at_most,
)
from models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, SubMetric, scored
from models.judges.prompt_files import load_examples, prompt_file_digest
from models.judges.statements.far_asides import MOST_COSINE, Cosine, embedded_cosine
from models.judges.statements.on_topic import words_known
from models.keys import content_key
from models.registry import model_named

STAGE_VERSION = 15
EMBEDDER = model_named(DEFAULT_EMBEDDER)
CONTEXT_TOKENS = EMBEDDED_CONTEXT
LONGEST_QUESTION_S = 300.0
BEGINNING = "Text:"
"""Begins like nothing that is asked."""
Ask = Callable[[list[Request[float]]], list[Outcome[float]]]
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
    _read_last: str = field(default="", repr=False)

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
            "calibration": content_key([calibration(self.preset), READ_FROM]),
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
            "fixed_texts": content_key(fixed_texts()),
        }

    def requests_at_most(self, judge_input: JudgeInput) -> list[Request[float]]:
        """Build all questions that may be asked about one answer, whatever the readings."""
        return quick_requests(judge_input) if self.preset == "quick" else requests_at_most(judge_input)

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
        self._read_last = ""
        ask = partial(self._ask, ledger=ledger, deadline_s=deadline_s or LONGEST_QUESTION_S, cap=cap)
        with self:
            for key, judge_input in unique.items():
                if self.preset == "quick":
                    outcomes = ask(quick_requests(judge_input, sample_no))
                else:
                    outcomes = self._ask_in_turn(judge_input, sample_no, ask)
                judged[key] = _judgement(judge_input, outcomes, sample_no, self.preset)
                if on_done is not None:
                    on_done(judged[key])
        return [judged[judge_input.input_key] for judge_input in inputs]

    def _ask_in_turn(self, judge_input: JudgeInput, sample_no: int, ask: Ask) -> list[Outcome[float]]:
        """Ask about every statement, and then what the readings call for."""
        cosine = self.cosine or embedded_cosine()
        outcomes = ask(requests(judge_input, cosine, sample_no))
        while _are_answered(outcomes) and (
            posed := next_requests(judge_input, readings_of(outcomes), cosine, sample_no)
        ):
            outcomes += ask(posed)
        return outcomes

    def _ask(
        self,
        asked: list[Request[float]],
        ledger: Ledger,
        deadline_s: float,
        cap: Cap | None,
    ) -> list[Outcome[float]]:
        """Ask what the ledger does not know, from the state in which a run that asks everything would ask it.

        A text that begins unlike the one before comes next where there is one: it needs no opening of its own.
        """
        assert self.served_at is not None
        outcomes = []
        views = [list(view) for _, view in groupby(asked, _view_of)]
        while views:
            posed = next((one for one in views if begin_apart(self._read_last, _text_of(one))), views[0])
            views.remove(posed)
            known = [
                request
                for request in posed
                if ledger.find(request.request_key(self.served_at), request.sample_no).answer is not None
            ]
            if len(known) < len(posed):
                begun = replace(
                    posed[0], item_key="opening", messages=(*opening(), Message("user", BEGINNING))
                )
                again = [*([] if begin_apart(self._read_last, _text_of(posed)) else [begun]), *known]
                ask_all(again, self.served_at, MemoryLedger(), concurrency=1, deadline_s=deadline_s)
                self._read_last = _text_of(posed)
            outcomes += ask_all(posed, self.served_at, ledger, concurrency=1, deadline_s=deadline_s, cap=cap)
            if not _are_answered(outcomes):
                self._read_last = ""
        return outcomes


def _text_of(posed: Sequence[Request[float]]) -> str:
    """Return what the questions of a view begin with."""
    return posed[0].messages[-1].content


def begin_apart(last: str, text: str) -> bool:
    """Say whether a server that read `last` holds of `text` no more than what every text begins with.

    Words of other first letters are other tokens; a digit follows a space that has a token of its own.
    """
    first, other = last[:1], text[:1]
    return first != other and all(letter.isascii() and letter.isalpha() for letter in (first, other))


def readings_of(outcomes: Sequence[Outcome[float]]) -> dict[str, dict[SubMetric, float]]:
    """Lay the readings out by view and sub-metric; what has no reading is left out."""
    readings: dict[str, dict[SubMetric, float]] = {}
    for outcome in outcomes:
        if outcome.value is not None:
            readings.setdefault(_view_of(outcome), {})[_sub_metric(outcome)] = outcome.value
    return readings


def _are_answered(outcomes: Sequence[Outcome[float]]) -> bool:
    return all(outcome.status == "answered" for outcome in outcomes)


def _view_of(asked: Request[float] | Outcome[float]) -> str:
    return asked.item_key.rsplit("/", 1)[1]


def _sub_metric(outcome: Outcome[float]) -> SubMetric:
    asked = outcome.item_key.split("/")[1]
    return next(name for name in SUB_METRICS if name == asked)


def _judgement(
    judge_input: JudgeInput, outcomes: Sequence[Outcome[float]], sample_no: int, preset: Preset
) -> Judgement:
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
    readings = readings_of(outcomes)
    log_odds = log_odds_of_whole(readings) if preset == "quick" else log_odds_of_answer(readings)
    return scored(
        judge_input,
        {name: calibrated(name, combined(name, log_odds), preset) for name in SUB_METRICS},
        sample_no=sample_no,
        justification_reason=NO_PROSE,
        model_answered=answered,
        n_calls=len(calls),
        notes=_notes(judge_input),
    )


def _notes(judge_input: JudgeInput) -> tuple[str, ...]:
    """Say what was not shown."""
    notes = []
    hidden = len(judge_input.references) - MOST_REFERENCES
    if hidden > 0:
        notes.append(f"evidence was read from the first {MOST_REFERENCES} references, {hidden} were not")
    n_left_out = leave_out_addressed(judge_input.answer).n_left_out
    if n_left_out:
        notes.append(f"{n_left_out} passages addressed to the reviewer were not shown")
    return tuple(notes)
