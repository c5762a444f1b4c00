"""Stage `assign`: nugget states by the run's language model, ten nuggets a request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medassay.models.attribution import LLM
from medassay.models.chat.conversation import Outcome
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.keys import content_key
from medassay.models.nuggets import assignment
from medassay.models.nuggets.requests import ModelRequest
from medassay.models.records import NuggetStateName
from medassay.models.settings import Settings
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Row
from medassay.tasks.asking import asked_by_row, asking, describe_llm
from medassay.tasks.nuggets.boards import Board, boards, match_settings
from medassay.tasks.run import RunRef
from medassay.tasks.stages import decompose, embed
from medassay.tasks.stages.stage import Stage, Step

ASKED_AT_ONCE = 32
SCHEMA_NAME = "assignment"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the model and its prompt, and by whose vectors a covered nugget is laid at a claim."""
    asked = describe_llm(settings)
    if asked is None:
        return {"llm": "none"}
    return {
        **asked,
        **assignment.describe(),
        "claims": content_key(decompose.spec(settings)),
        "embedder": content_key(embed.spec(settings)),
        "floor": match_settings(settings).shortlist_floor,
    }


@dataclass
class Batch:
    """Up to ten nuggets of one answer, as they were asked about; `order` leads back to their positions."""

    board: Board
    asked: ModelRequest
    order: Sequence[int]
    states: dict[int, NuggetStateName] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Take the verdicts of a reply; what it lacks is asked for once more, and what it gave is kept.

        Raises:
            Complaint: naming each id without exactly one good verdict.
        """
        found = assignment.read_assignment(self.asked, read_objects(text)[0].value)
        self.states |= {self.order[place]: state for place, (state, _) in found.items() if state is not None}
        self.reasons = {
            self.order[place]: reason for place, (_, reason) in found.items() if reason is not None
        }
        if self.reasons:
            raise Complaint(
                "; ".join(
                    f"n{place + 1}: {reason}" for place, (_, reason) in found.items() if reason is not None
                )
            )


def work(step: Step) -> None:
    """Ask the language model for the states of nuggets; blank answers are skipped."""
    with asking(step) as ask:
        for rows in step.batches(ASKED_AT_ONCE):
            held = list(zip(rows, boards(step.warehouse, rows), strict=True))
            parts = [
                (row, part)
                for row, board in held
                if row["text"].strip()
                for part in parts_of(board, row["text"])
            ]
            found = asked_by_row(ask, rows, parts, SCHEMA_NAME, home_secret(Path(step.run.home)))
            with step.warehouse.transaction():
                for (row, mine), (_, board) in zip(found, held, strict=True):
                    finish(step, row, board, mine)
            step.advance(len(rows))


def parts_of(board: Board, answer: str) -> list[Batch]:
    """Cut a board's nuggets into batches, in an order that does not hang on theirs."""
    order = assignment.canonical_order(board.nuggets)
    asked = assignment.assignment_requests(board.question, answer, [board.nuggets[place] for place in order])
    return [Batch(board, request, order) for request in asked]


def finish(step: Step, row: Row, board: Board, parts: Sequence[tuple[Batch, Outcome[None]]]) -> None:
    """Write the verdicts of one answer, and set aside what has none with the reason."""
    states: dict[int, NuggetStateName] = {}
    if not row["text"].strip():
        states = dict.fromkeys(range(len(board.nuggets)), "missing")
    reasons: list[str] = []
    failed: list[str] = []
    answered = None
    for part, outcome in parts:
        states |= part.states
        answered = next(
            (call.model_answered for call in reversed(outcome.calls) if call.model_answered), answered
        )
        if outcome.status == "failed":
            failed.append(outcome.reason or "the model was not reached")
        elif outcome.status == "abstained":
            reasons.append(outcome.reason or "the model gave no verdict")
    if failed:
        step.set_aside(row["item_key"], "failed", failed[0])
    elif reasons:
        n_left = len(board.nuggets) - len(states)
        step.set_aside(
            row["item_key"], "abstained", f"{n_left} of {len(board.nuggets)} nuggets: {reasons[0]}"
        )
    step.warehouse.insert("nugget_assignment", rows_of(step, row, board, states, answered))


def rows_of(
    step: Step, row: Row, board: Board, states: Mapping[int, NuggetStateName], answered: str | None
) -> list[Row]:
    """Return the rows of one answer; a nugget it speaks of is laid at the claims that are near enough to it."""
    near = claims_near(board, match_settings(step.settings).shortlist_floor)
    covered = {position for position, state in states.items() if state == "covered"}
    matched = one_to_one(board, {pair: score for pair, score in near.items() if pair[1] in covered})
    return [
        {
            "answer_key": row["answer_key"],
            "nugget_set_key": row["nugget_set_key"],
            "fingerprint": step.fingerprint,
            "position": position,
            "state": state,
            "claim_positions": [] if state == "missing" else nearest(near, position, step.settings.margin),
            "one_to_one": matched.get(position),
            "model_answered": answered,
        }
        for position, state in sorted(states.items())
    ]


def claims_near(board: Board, floor: float) -> dict[tuple[int, int], float]:
    """Return (claim position, nugget position) → cosine of the pairs that may speak of the same thing."""
    return {
        (claim.position, nugget): float(board.similarity[row, nugget])
        for row, claim in enumerate(board.claims)
        if claim.kind == "claim"
        for nugget in range(len(board.nuggets))
        if board.similarity[row, nugget] >= floor
    }


def nearest(near: Mapping[tuple[int, int], float], nugget: int, margin: float) -> list[int]:
    """Return the claims nearest to a nugget, best first: the best, and those within the margin of it."""
    scores = {claim: score for (claim, place), score in near.items() if place == nugget}
    best = max(scores.values(), default=0.0)
    return sorted((c for c, score in scores.items() if best - score < margin), key=lambda c: (-scores[c], c))


def one_to_one(board: Board, eligible: Mapping[tuple[int, int], float]) -> dict[int, int]:
    """Give each covered nugget a claim of its own where there is one."""
    from medassay.models.nuggets.states import align

    return align(eligible, {claim.position: claim.text for claim in board.claims}, board.nuggets)


def is_asked(run: RunRef) -> bool:
    """Return whether there is a language model to ask; without it the signals decide alone."""
    return describe_llm(run.settings) is not None


assign = Stage("assign", work, spec, LLM, is_asked, retries=1, writes=("nugget_assignment",))
