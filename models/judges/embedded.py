"""The embedded judge: a small local model, asked one yes/no question per sub-metric and read by probability.

The numbers a small model writes are chance; the probability it gives to "Yes" is not. P(Yes) / (P(Yes) +
P(No)) of the first token is mapped to 0–100 by a monotone calibration (Platt 1999) fitted on this project's
own pairs. The text comes first and the question last, so that the server reads the text once for all four
questions; correctness and safety are asked about the text alone, so that a true answer to another question
stays true. A quantised model's arithmetic depends on what the server still holds, so every answer is begun from
the same state, and one that was cut short is led there again: the same answer gets the same marks in every run.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Self

from models.chat.asking import ask_all
from models.chat.cap import Cap
from models.chat.conversation import Message, Outcome, Request
from models.chat.endpoint import Endpoint
from models.chat.ledger import Ledger, MemoryLedger
from models.chat.local_server import serving
from models.chat.reply import Complaint
from models.judges.addressed import leave_out_addressed
from models.judges.fence import neutralise
from models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, SubMetric, scored
from models.judges.prompt_files import load_examples, load_prompt, prompt_file_digest
from models.keys import content_key
from models.records import Reference
from models.registry import model_named

STAGE_VERSION = 3
EMBEDDED_MODEL = model_named("qwen2.5-coder-1.5b-instruct-q4_k_m")
CONTEXT_TOKENS = 4096
MOST_REFERENCES = 12
LONGEST_REFERENCE_CHARS = 160
NO_PROSE = "the embedded judge reads probabilities and writes no prose"
READ_FROM: Mapping[SubMetric, tuple[SubMetric, ...]] = {
    "medical_correctness": ("medical_correctness",),
    "evidence_sufficiency": ("evidence_sufficiency",),
    "response_alignment": ("response_alignment",),
    "safety": ("safety", "medical_correctness"),
}
"""The questions whose log-odds are averaged; safety looks at correctness too, since what is wrong is rarely safe."""
_CALIBRATION_FILE = Path(__file__).with_name("calibration.json")
_SMALLEST_MASS = 0.05


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
        """What is asked: the weights' digest, the questions, the calibration, the context length."""
        return {
            "judge": "embedded",
            "model": EMBEDDED_MODEL.name,
            "sha256": EMBEDDED_MODEL.sha256,
            "prompts": content_key([*map(prompt_file_digest, _PROMPTS), load_examples("yes_no_examples")]),
            "calibration": content_key([calibration(), READ_FROM]),
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
        answers: dict[str, dict[SubMetric, Outcome[float]]] = {key: {} for key in unique}
        judged: dict[str, Judgement] = {}

        def done(outcome: Outcome[float]) -> None:
            key, _, name = outcome.item_key.partition("/")
            sub_metric = next(s for s in SUB_METRICS if s == name)
            answers[key][sub_metric] = outcome
            if len(answers[key]) == len(SUB_METRICS):
                judged[key] = _judgement(unique[key], answers[key], sample_no)
                if on_done is not None:
                    on_done(judged[key])

        with self:
            for judge_input in unique.values():
                self._ask(requests(judge_input, sample_no), ledger, deadline_s, cap, done)
        return [judged[judge_input.input_key] for judge_input in inputs]

    def _ask(
        self,
        asked: list[Request[float]],
        ledger: Ledger,
        deadline_s: float,
        cap: Cap | None,
        on_done: Callable[[Outcome[float]], None],
    ) -> None:
        """Ask what the ledger does not know, from the state in which a run that asks everything would ask it."""
        assert self.served_at is not None
        known = [
            request
            for request in asked
            if (call := ledger.find(request.request_key(self.served_at), request.sample_no))
            and call.is_answer
        ]
        if len(known) < len(asked):
            opening = replace(asked[0], item_key="opening", messages=(*_opening(), Message("user", "Text:")))
            ask_all([opening, *known], self.served_at, MemoryLedger(), concurrency=1, deadline_s=deadline_s)
        ask_all(asked, self.served_at, ledger, concurrency=1, deadline_s=deadline_s, cap=cap, on_done=on_done)


_PROMPTS = ("yes_no_system", *(f"yes_no_{name}" for name in SUB_METRICS))
_CLOSING_QUESTION = re.compile(r"(?<=[.!?\]\)])(?:\s+[^.!?]*\?)+\s*$")
_OPENER = re.compile(r"\s*(?:yes|no)\b[.,:;!]?\s+(?=\S)", re.IGNORECASE)


def requests(judge_input: JudgeInput, sample_no: int = 0) -> list[Request[float]]:
    """Build the yes/no questions about one answer, one a sub-metric; each is read as log-odds of "Yes".

    An opening "Yes." or "No." is not shown: the model would repeat it instead of answering the question. Nor is
    a question that the text ends with: the model would answer that one.
    """
    text = neutralise(leave_out_addressed(judge_input.answer).text)
    text = _OPENER.sub("", text, count=1).strip() if _OPENER.match(text) else text.strip()
    text = _CLOSING_QUESTION.sub("", text)
    return [
        Request(
            item_key=f"{judge_input.input_key}/{name}",
            messages=(
                *_opening(),
                _asked(
                    text or "(the answer is empty)",
                    name,
                    neutralise(judge_input.question).strip(),
                    neutralise(judge_input.guidance).strip() if judge_input.guidance else None,
                    listed_references(judge_input.references),
                ),
            ),
            read=log_odds_of_yes,
            max_tokens=1,
            top_logprobs=20,
            sample_no=sample_no,
        )
        for name in SUB_METRICS
    ]


@cache
def _opening() -> tuple[Message, ...]:
    """Return what every call begins with: the instruction, and examples with their replies."""
    turns = [Message("system", load_prompt("yes_no_system"))]
    for example in load_examples("yes_no_examples"):
        given = (example["sub_metric"], example.get("question", ""), example.get("guidance"))
        turns.append(_asked(example["text"], *given, example.get("references", "none")))
        turns.append(Message("assistant", example["reply"]))
    return tuple(turns)


def _asked(text: str, name: str, question: str, guidance: str | None, references: str) -> Message:
    filled = {
        "{question}": question,
        "{guidance}": f"Guidance: {guidance}\n" if guidance else "",
        "{references}": references,
    }
    asked = re.sub(r"\{\w+\}", lambda place: filled[place.group()], load_prompt(f"yes_no_{name}"))
    return Message("user", f"Text: {text}\n\n{asked}")


def listed_references(references: Sequence[Reference]) -> str:
    """List what the references are, one short line each; the first twelve, and how many more there are."""
    lines = [_reference_line(reference, n) for n, reference in enumerate(references[:MOST_REFERENCES], 1)]
    if len(references) > MOST_REFERENCES:
        lines.append(f"and {len(references) - MOST_REFERENCES} more")
    return "\n".join(lines) or "none"


def _reference_line(reference: Reference, number: int) -> str:
    identifiers = {
        "PMID": reference.pmid,
        "DOI": reference.doi,
        "trial": reference.nct,
        "PMC": reference.pmcid,
    }
    known = [f"{name} {value}" for name, value in identifiers.items() if value]
    shown = reference.title or reference.content or reference.source or reference.url or reference.document
    line = " ".join(leave_out_addressed(" ".join([shown or "", *known])).text.split())
    if len(line) > LONGEST_REFERENCE_CHARS:
        line = f"{line[:LONGEST_REFERENCE_CHARS]} …"
    return f"[{number}] {neutralise(line) or 'nothing but the marker'}"


def log_odds_of_yes(text: str) -> float:
    """Return ln P(Yes) − ln P(No) from the first token's alternatives, letter case and spaces aside.

    Raises:
        Complaint: when neither word is among them with a share worth reading.
    """
    try:
        alternatives = {token: float(logprob) for token, logprob in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise Complaint("the reply holds no token probabilities") from error
    mass = {
        word: sum(math.exp(lp) for token, lp in alternatives.items() if token.strip().lower() == word)
        for word in ("yes", "no")
    }
    if sum(mass.values()) < _SMALLEST_MASS:
        raise Complaint("neither Yes nor No is a likely reply")
    least = min(alternatives.values())
    floor = math.exp(least)
    return math.log(max(mass["yes"], floor)) - math.log(max(mass["no"], floor))


def calibration() -> dict[str, dict[str, float]]:
    """Return intercept and slope per sub-metric: score = 100 × logistic(intercept + slope × log-odds)."""
    loaded: dict[str, dict[str, float]] = json.loads(_CALIBRATION_FILE.read_text(encoding="utf-8"))
    return loaded


def combined(sub_metric: SubMetric, log_odds: Mapping[SubMetric, float]) -> float:
    """Average the log-odds of the questions a sub-metric is read from."""
    return fmean(log_odds[name] for name in READ_FROM[sub_metric])


def calibrated(sub_metric: SubMetric, log_odds: float) -> int:
    """Map log-odds of "Yes" to an integer 0–100; monotone, since every slope is positive."""
    line = calibration()[sub_metric]
    return round(100 / (1 + math.exp(-(line["intercept"] + line["slope"] * log_odds))))


def _judgement(
    judge_input: JudgeInput, answers: dict[SubMetric, Outcome[float]], sample_no: int
) -> Judgement:
    calls = [call for outcome in answers.values() for call in outcome.calls]
    answered = next((c.model_answered for c in reversed(calls) if c.model_answered), None)
    for status in ("failed", "abstained"):
        for name, outcome in answers.items():
            if outcome.status == status:
                return Judgement(
                    judge_input.input_key,
                    sample_no,
                    "failed" if status == "failed" else "abstained",
                    justification_reason=NO_PROSE,
                    reason=f"{name}: {outcome.reason}",
                    model_answered=answered,
                    n_calls=len(calls),
                )
    log_odds = {name: outcome.value or 0.0 for name, outcome in answers.items()}
    hidden = len(judge_input.references) - MOST_REFERENCES
    n_left_out = leave_out_addressed(judge_input.answer).n_left_out
    notes = (
        [f"evidence was read from the first {MOST_REFERENCES} references, {hidden} were not"]
        if hidden > 0
        else []
    )
    if n_left_out:
        notes.append(f"{n_left_out} passages addressed to the reviewer were not shown")
    return scored(
        judge_input,
        {name: calibrated(name, combined(name, log_odds)) for name in SUB_METRICS},
        sample_no=sample_no,
        justification_reason=NO_PROSE,
        model_answered=answered,
        n_calls=len(calls),
        notes=tuple(notes),
    )
