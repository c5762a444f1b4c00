"""The listwise judge: 2–5 answers to one question side by side, in balanced orders.

The form is AutoMedEval's (Doctor 1..n, integers 1–5, an analysis in steps). Each answer stands at each place
equally often, so that a judge's liking for a place cannot decide.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import code_word, default_secret, fenced
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.addressed.removal import LEFT_OUT, Cleaned, leave_out_addressed
from medassay.models.judges.listwise.reply import ListwiseReply, read_listwise
from medassay.models.judges.prompt_parts import (
    canary_of,
    forbidden,
    load_prompt,
    prompt_file_digest,
    refuse_repeated,
)
from medassay.models.keys import content_key

STAGE_VERSION = 8
MAX_REPLY_TOKENS = 1024
FEWEST_ANSWERS, MOST_ANSWERS = 2, 5


@dataclass(frozen=True, slots=True)
class ListwiseInput:
    """One question and the answers to compare, as (system, text); the reference may be one of them."""

    question_id: str
    question: str
    answers: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        systems = [system for system, _ in self.answers]
        if not FEWEST_ANSWERS <= len(systems) <= MOST_ANSWERS or len(set(systems)) != len(systems):
            raise ValueError(
                f"question {self.question_id}: a listwise judge compares {FEWEST_ANSWERS} to {MOST_ANSWERS} "
                f"different systems, not {systems}"
            )

    @property
    def input_key(self) -> str:
        """Name what is compared, whatever the order it was given in."""
        return content_key([self.question, sorted(self.answers)])


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the judge said of one order: the systems by place, and their points if scored.

    `is_strict` says whether every reply behind the points kept to the form to the letter.
    `n_left_out` counts, by place, the passages of each answer that spoke to the judge and were not shown to it.
    """

    question_id: str
    order_no: int
    systems: tuple[str, ...]
    points: tuple[int, ...] | None
    rationale: str | None
    is_strict: bool | None
    status: str
    reason: str | None
    model_answered: str | None
    n_left_out: tuple[int, ...] = ()


def balanced_orders(judge_input: ListwiseInput) -> list[tuple[str, ...]]:
    """Order the systems so that each stands at each place once: the rows of a shuffled Latin square.

    The shuffle is seeded by the data, so a question is always asked in the same orders.
    """
    systems = sorted(system for system, _ in judge_input.answers)
    random.Random(judge_input.input_key).shuffle(systems)
    return [tuple(systems[start:] + systems[:start]) for start in range(len(systems))]


@dataclass(frozen=True, slots=True)
class ListwiseJudge:
    """A capable model behind an OpenAI-compatible endpoint, asked to compare answers."""

    endpoint: Endpoint
    secret: bytes = field(default_factory=default_secret, repr=False)
    temperature: float = 0.0

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What was asked: everything that can change the points."""
        return {
            "judge": "listwise",
            "base_url": self.endpoint.identity,
            "model": self.endpoint.model,
            "prompt": prompt_file_digest("listwise"),
            "temperature": self.temperature,
            "max_tokens": MAX_REPLY_TOKENS,
            "stage_version": STAGE_VERSION,
        }

    @property
    def name(self) -> str:
        """How the judge is called in tables."""
        return f"{self.endpoint.label} side by side"

    def compare(
        self,
        inputs: Sequence[ListwiseInput],
        ledger: Ledger,
        *,
        sample_no: int = 0,
        concurrency: int = 8,
        deadline_s: float | None = None,
        cap: Cap | None = None,
        on_done: Callable[[object], None] | None = None,
    ) -> list[Ranking]:
        """Ask about every input in each of its balanced orders; one ranking per input and order.

        Args:
            inputs: what to compare.
            ledger: consulted before and written after every call.
            sample_no: which repetition this is; each is a call of its own.
            concurrency: the most calls at once.
            deadline_s: the longest wait for one call, in seconds, as `ask_all` sets it unless given.
            cap: the run's hard cap.
            on_done: called with what became of each order as soon as it is there.
        """

        def ask(requests: list[Request[ListwiseReply]]) -> list[Outcome[ListwiseReply]]:
            return ask_all(
                requests,
                self.endpoint,
                ledger,
                concurrency=concurrency,
                deadline_s=deadline_s,
                cap=cap,
                on_done=on_done,
            )

        return self.compare_by(ask, inputs, sample_no)

    def compare_by(
        self,
        ask: Callable[[list[Request[ListwiseReply]]], list[Outcome[ListwiseReply]]],
        inputs: Sequence[ListwiseInput],
        sample_no: int = 0,
    ) -> list[Ranking]:
        """Compare as `compare` does, the requests answered by `ask`, in their order."""
        asked = [
            (judge_input, number, order)
            for judge_input in inputs
            for number, order in enumerate(balanced_orders(judge_input))
        ]
        requests = [self.requests(judge_input, order, sample_no) for judge_input, _, order in asked]
        outcomes = ask([request for readings in requests for request in readings])
        # By their places: names of systems may be such that the keys of two orders are alike.
        came = iter(outcomes)
        return [
            _ranking(judge_input, number, order, [next(came) for _ in readings])
            for (judge_input, number, order), readings in zip(asked, requests, strict=True)
        ]

    def requests(
        self, judge_input: ListwiseInput, order: tuple[str, ...], sample_no: int = 0
    ) -> list[Request[ListwiseReply]]:
        """Build the calls for one order: without what speaks to the judge, and with what such passages tell besides."""
        told = any(_cleaned(text).passages for _, text in judge_input.answers)
        return [
            self.request(judge_input, order, sample_no, is_told=is_told)
            for is_told in ((False, True) if told else (False,))
        ]

    def request(
        self, judge_input: ListwiseInput, order: tuple[str, ...], sample_no: int = 0, *, is_told: bool = False
    ) -> Request[ListwiseReply]:
        """Build one call for one order of the answers."""
        cleaned = {system: _cleaned(text) for system, text in judge_input.answers}
        shown = {system: (one.told if is_told else one.text).strip() for system, one in cleaned.items()}
        code = code_word(self.secret, judge_input.input_key, "listwise")
        canary = canary_of(self.secret, judge_input.input_key)
        blocks = [fenced("question", judge_input.question, code)]
        blocks += [fenced(f"Doctor {n}", shown[s] or "(no answer)", code) for n, s in enumerate(order, 1)]
        lines = [
            f"The code word is {code}.",
            forbidden(canary),
            *blocks,
            f"Compare Doctor 1 to Doctor {len(order)} now.",
        ]

        def read(text: str) -> ListwiseReply:
            refuse_repeated(canary, text)
            return read_listwise(text, len(order))

        return Request(
            item_key=f"{judge_input.input_key}/{'|'.join(order)}{'/told' if is_told else ''}",
            guard_key=judge_input.input_key,
            messages=(Message("system", load_prompt("listwise")), Message("user", "\n".join(lines))),
            read=read,
            max_tokens=MAX_REPLY_TOKENS,
            temperature=self.temperature,
            sample_no=sample_no,
            form="in the form 'Analyze: Step 1 … Score: Doctor 1: n points. …' and nothing else",
        )


def _cleaned(text: str) -> Cleaned:
    return leave_out_addressed(text, LEFT_OUT)


def _ranking(
    judge_input: ListwiseInput,
    number: int,
    order: tuple[str, ...],
    outcomes: Sequence[Outcome[ListwiseReply]],
) -> Ranking:
    """Lay out what came of one order; of an answer that speaks to the judge the lower points of both readings count.

    The points of the others are those of the reading that such an answer could not speak in.
    """
    without = outcomes[0]
    unread = next((o for status in ("failed", "abstained") for o in outcomes if o.status == status), None)
    reply = without.value if unread is None else None
    cleaned = {system: _cleaned(text) for system, text in judge_input.answers}
    points = [o.value.points for o in outcomes if o.value is not None] if reply else []
    calls = [call for outcome in outcomes for call in outcome.calls]
    answered = next((c.model_answered for c in reversed(calls) if c.model_answered), None)
    return Ranking(
        question_id=judge_input.question_id,
        order_no=number,
        systems=order,
        points=tuple(
            min(given) if cleaned[system].passages else given[0]
            for system, given in zip(order, zip(*points, strict=True), strict=True)
        )
        if reply
        else None,
        rationale=reply.rationale if reply else None,
        is_strict=all(o.value.is_strict for o in outcomes if o.value is not None) if reply else None,
        status="scored" if unread is None else unread.status,
        reason=unread.reason if unread else without.reason,
        model_answered=answered,
        n_left_out=tuple(cleaned[system].n_left_out for system in order),
    )
