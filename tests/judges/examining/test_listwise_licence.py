"""The licence of the judge that compares: pairs side by side, in both orders."""

from collections.abc import Callable
from typing import Any

import pytest

from medassay.models.chat.cap import Cap
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import blocks_in
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judges.examining.licence import Licence
from medassay.models.judges.examining.listwise import compared_pairs, examine_comparing
from medassay.models.judges.listwise.judge import ListwiseJudge

RIGHT = {(pair.clean.question, pair.clean.answer) for pair in compared_pairs()}
N_PLAIN = sum(pair.level == "plain" for pair in compared_pairs())


def reply(points: list[int]) -> str:
    given = "\n".join(f"Doctor {n}: {p} points." for n, p in enumerate(points, 1))
    return f"Analyze:\nStep 1: They were compared.\nScore:\n{given}"


def is_right(body: dict[str, Any]) -> list[bool]:
    shown = blocks_in(body["messages"][1]["content"])
    return [(shown["question"], shown[f"Doctor {n}"]) in RIGHT for n in (1, 2)]


def examined(judge_server: Any, text: Callable[[dict[str, Any]], str], cap: Cap | None = None) -> Licence:
    judge_server.behaviour.text = text
    judge = ListwiseJudge(Endpoint(judge_server.base_url, "m"))
    return examine_comparing(judge, MemoryLedger(), cap=cap)


def test_only_pairs_that_can_be_told_apart_from_their_answers_are_compared() -> None:
    pairs = compared_pairs()
    assert {pair.sub_metric for pair in pairs} == {"medical_correctness", "response_alignment", "safety"}
    assert all(pair.half == "held_out" and pair.clean.guidance is None for pair in pairs)
    assert len({pair.clean.question for pair in pairs}) > 40
    assert N_PLAIN >= 30


def test_a_judge_that_puts_the_right_answer_first_is_licensed(judge_server: Any) -> None:
    found = examined(judge_server, lambda body: reply([4 if right else 2 for right in is_right(body)]))
    assert found.is_licensed
    assert (found.n_pairs, found.share, found.n_failed) == (N_PLAIN, 1.0, 0)
    assert len(judge_server.bodies) == 2 * len(compared_pairs())


@pytest.mark.parametrize(
    ("text", "n_tied"),
    [
        (lambda _: reply([5, 1]), N_PLAIN),  # likes the first place
        (lambda _: reply([3, 3]), N_PLAIN),
        (lambda body: reply([1 if right else 5 for right in is_right(body)]), 0),
    ],
)
def test_one_that_likes_a_place_or_the_wrong_answer_is_not(
    judge_server: Any, text: Callable[[dict[str, Any]], str], n_tied: int
) -> None:
    found = examined(judge_server, text)
    assert not found.is_licensed
    assert (found.share, sum(one.n_tied for one in found.by_sub_metric)) == (0.0, n_tied)


def test_what_cannot_be_read_is_not_ordered_and_what_was_not_asked_is_no_licence(judge_server: Any) -> None:
    unread = examined(judge_server, lambda _: "I would rather not say.")
    assert (unread.share, unread.n_failed) == (0.0, 0)
    assert sum(one.n_unscored for one in unread.by_sub_metric) == N_PLAIN
    capped = examined(judge_server, lambda _: reply([3, 3]), Cap(max_calls=2))
    assert capped.n_failed > 0
    assert "cap reached" in str(capped.failure)
