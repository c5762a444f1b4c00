"""The knowledge completion chain: an evaluator compares answers, and may first ask for what it does not know.

A reply that gives points is the evaluation, whatever else it says. A reply of `[Question]: …` without points is
answered from the knowledge stores, a limited number of times; an evaluator that still asks then has abstained.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import code_word, default_secret, fenced
from medassay.models.chat.reply import Complaint, visible_part
from medassay.models.counting import counted
from medassay.models.judge_training.knowledge import NOTHING_FOUND, answer_from, cited
from medassay.models.judge_training.records import Exchange, Passage, Status
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge
from medassay.models.judges.listwise.reply import (
    ListwiseReply,
    gives_points,
    read_listwise,
    read_strict,
    score_lines,
)
from medassay.models.judges.prompt_parts import canary_of, load_prompt, prompt_file_digest, refuse_repeated
from medassay.models.keys import content_key

STAGE_VERSION = 1
MOST_QUESTIONS = 3
PROMPTS = Path(__file__).with_name("prompts")
_FORM = "in the form 'Analyze: Step 1 … Score: Doctor 1: n points. …' and nothing else"
_FORM_OR_QUESTION = f"{_FORM}, or as one line '[Question]: …'"
_QUESTION = re.compile(
    r"^[^\w\[\n]*\[\s*question(?:\s*\d+)?\s*\][*_`]*\s*:[*_`]*\s*(?P<question>.*[^\W\d_].*)$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply that asks."""

    question: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A reply that scores: points by doctor, and the evaluation in the form to the letter."""

    points: tuple[int, ...]
    evaluation: str


Turn = Asked | Scored
Ask = Callable[[Sequence[Request[Turn]]], list[Outcome[Turn]]]
LookUp = Callable[[str], tuple[Passage, ...]]


@dataclass(frozen=True, slots=True)
class Posed:
    """What an evaluator is shown: a question with answers, and the order of the systems as Doctor 1 to n."""

    shown: ListwiseInput
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came of one case; `failed` is the world's fault and is asked again by the next build."""

    status: Status | None
    scored: Scored | None
    exchanges: tuple[Exchange, ...]
    reason: str | None


def read_turn(text: str, n_doctors: int) -> Turn:
    """Read a reply: points if it gives any, else a question.

    Raises:
        Complaint: where it gives points that cannot be read, an evaluation without an analysis, or neither.
    """
    try:
        reply = read_listwise(text, n_doctors)
    except Complaint:
        asked = _QUESTION.search(visible_part(text))
        if asked is None or gives_points(text):
            raise
        return Asked(asked["question"].strip(" \t*_`"))
    return Scored(reply.points, evaluation_of(reply))


def evaluation_of(reply: ListwiseReply) -> str:
    """Write a reply in the form to the letter, without lines that ask.

    Raises:
        Complaint: where there is no analysis, or it holds what reads as points.
    """
    rationale = re.sub(r"\n{3,}", "\n\n", _QUESTION.sub("", reply.rationale)).strip()
    rationale = re.sub(r"^Analyze:\s*", "", rationale, flags=re.IGNORECASE)
    if not re.search(r"[^\W\d_]", rationale):
        raise Complaint("there is no analysis before the points")
    if not re.match(r"Step 1\b", rationale):
        rationale = f"Step 1: {rationale}"
    text = "\n".join(["Analyze:", rationale, "Score:", *score_lines(reply.points)])
    read_strict(text, len(reply.points))
    return text


@dataclass(frozen=True, slots=True)
class Chain:
    """An evaluator with questions: a model behind an OpenAI-compatible endpoint and how often it may ask."""

    endpoint: Endpoint
    secret: bytes = field(default_factory=default_secret, repr=False)
    most_questions: int = MOST_QUESTIONS
    temperature: float = 0.0

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What was asked: everything but the stores that can change an evaluation."""
        return {
            "evaluator": self.endpoint.identity,
            "model": self.endpoint.model,
            "prompt": prompt_file_digest("listwise"),
            "asking_prompt": content_key(load_prompt("asking", PROMPTS)) if self.most_questions else None,
            "most_questions": self.most_questions,
            "temperature": self.temperature,
            "stage_version": STAGE_VERSION,
        }

    def request(self, posed: Posed, exchanges: Sequence[Exchange] = ()) -> Request[Turn]:
        """Build the next call of a case, after the questions asked and answered so far."""
        shown, order = posed.shown, posed.order
        first = ListwiseJudge(self.endpoint, self.secret, self.temperature).request(shown, order)
        system = load_prompt("listwise")
        if self.most_questions:
            most = counted(self.most_questions, "question")
            system += "\n\n" + load_prompt("asking", PROMPTS).replace("{most_questions}", most)
        turns = [Message("system", system), *first.messages[1:]]
        for number, exchange in enumerate(exchanges, 1):
            turns.append(Message("assistant", f"[Question]: {exchange.question}"))
            turns.append(Message("user", self._answer(shown, exchange, number)))
        canary, n_doctors = canary_of(self.secret, shown.input_key), len(order)

        def read(text: str) -> Turn:
            refuse_repeated(canary, text)
            return read_turn(text, n_doctors)

        return Request(
            item_key=f"{first.item_key}/{len(exchanges)}",
            messages=tuple(turns),
            read=read,
            max_tokens=first.max_tokens,
            temperature=self.temperature,
            form=_FORM_OR_QUESTION if len(exchanges) < self.most_questions else _FORM,
        )

    def _answer(self, shown: ListwiseInput, exchange: Exchange, number: int) -> str:
        code = code_word(self.secret, shown.input_key, "listwise")
        blocks = [
            fenced(f"{passage.store} {n}", f"({cited(passage)})\n{passage.text}", code)
            for n, passage in enumerate(exchange.passages, 1)
        ]
        left = self.most_questions - number
        closing = (
            f"You may ask {left} more, or score the doctors."
            if left
            else "You may ask no more: score the doctors now."
        )
        return "\n".join([*(blocks or [NOTHING_FOUND]), closing])

    def evaluate(
        self,
        cases: Sequence[Posed],
        ask: Ask,
        look_up: LookUp,
        on_done: Callable[[int, Evaluated], None] = lambda place, evaluated: None,
    ) -> list[Evaluated]:
        """Ask about every case, answer what is asked back, and return what came of each, in order.

        Args:
            cases: what to evaluate.
            ask: sends a batch of calls; a round of questions is one batch.
            look_up: finds the passages that answer a question.
            on_done: called with the place of a case and what came of it as soon as it is there.
        """
        found: dict[int, Evaluated] = {}
        history: dict[int, tuple[Exchange, ...]] = dict.fromkeys(range(len(cases)), ())
        pending = list(history)
        while pending:
            outcomes = ask([self.request(cases[place], history[place]) for place in pending])
            asking = []
            for place, outcome in zip(pending, outcomes, strict=True):
                if isinstance(outcome.value, Asked) and len(history[place]) < self.most_questions:
                    answered = _answered(outcome.value.question, look_up)
                    history[place] = (*history[place], answered)
                    asking.append(place)
                else:
                    found[place] = _came_of(outcome, history[place], self.most_questions)
                    on_done(place, found[place])
            pending = asking
        return [found[place] for place in range(len(cases))]


def _answered(question: str, look_up: LookUp) -> Exchange:
    passages = look_up(question)
    return Exchange(question, answer_from(passages), passages)


def _came_of(outcome: Outcome[Turn], exchanges: tuple[Exchange, ...], most: int) -> Evaluated:
    if isinstance(outcome.value, Asked):
        reason = f"still asking after {counted(most, 'question')}: {outcome.value.question}"
        return Evaluated("abstained", None, exchanges, reason)
    if outcome.value is not None:
        return Evaluated("scored", outcome.value, exchanges, None)
    status: Status | None = "abstained" if outcome.status == "abstained" else None
    return Evaluated(status, None, exchanges, outcome.reason or "the evaluator gave no reason")
