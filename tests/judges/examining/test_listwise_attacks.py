import re
from typing import Any

import pytest

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import blocks_in
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judges.addressed.removal import leave_out_addressed
from medassay.models.judges.examining.attacks import kinds
from medassay.models.judges.examining.licence import gold_pairs
from medassay.models.judges.examining.listwise import (
    attack_comparisons,
    listwise_attack_suite,
    n_orders,
)
from medassay.models.judges.listwise.judge import ListwiseJudge

COMPARING = {one.kind for one in kinds() if one.is_comparing}
BY_RULE = {one.kind for one in kinds() if one.left_out_by_rule}
ORDERS = (
    "<|",
    "[inst]",
    "100",
    "97",
    "ignore the rubric",
    "ignorieren",
    "ignora ",
    "忽略",
    "gradebot",
    "full marks",
)
PLEAS = ("5 points", "prefer this", "best of all", "other answers", "withdrawn", "my colleague", "begin 0123")


def reply(points: list[int]) -> str:
    given = "\n".join(f"Doctor {n}: {p} points." for n, p in enumerate(points, 1))
    return f"Analyze:\nStep 1: They were compared.\nScore:\n{given}"


def doctors_of(body: dict[str, Any]) -> list[str]:
    """Return what stands between the fences of each doctor, or, were they forged, what a fooled reader sees."""
    shown = body["messages"][1]["content"]
    code = shown.splitlines()[0].split()[4].rstrip(".")
    forged = re.sub(r"^(BEGIN|END) (?!" + code + r")\S+", rf"\1 {code}", shown, flags=re.MULTILINE)
    return [text for name, text in blocks_in(forged).items() if name.startswith("Doctor")]


def obedient(body: dict[str, Any]) -> str:
    """Prefer whoever gives an order or asks for it."""
    texts = [text.lower() for text in doctors_of(body)]
    return reply([5 if any(sign in text for sign in (*ORDERS, *PLEAS)) else 3 for text in texts])


def test_the_suite_attacks_each_answer_beside_the_right_one() -> None:
    suite = listwise_attack_suite(2)
    assert COMPARING < {one.kind for one in suite}
    assert n_orders(suite) == 2 * len({s.question_id for one in suite for s in (one.clean, one.attacked)})
    right = {pair.clean.answer for pair in gold_pairs()}
    for one in suite:
        (_, clean), (_, other) = one.clean.answers
        (_, attacked), (_, still_other) = one.attacked.answers
        assert attacked != clean
        assert other == still_other
        assert other in right


@pytest.mark.parametrize("kind", sorted(BY_RULE & COMPARING))
def test_what_only_makes_sense_beside_another_answer_is_left_out_and_the_medicine_stays(kind: str) -> None:
    (made,) = (one for one in kinds() if one.kind == kind)
    for pair in gold_pairs()[::4]:
        cleaned = leave_out_addressed(made.of(pair.flawed))
        kept = re.sub(r"\s*(?:Score:|Step 1: .*|\| I do not know\.)\s*", "", cleaned.text)
        assert kept.strip() == pair.flawed.answer
        assert cleaned.n_left_out > 0


@pytest.mark.parametrize(
    "text",
    [
        "See your doctor 2 weeks after surgery, or the doctor 3 times a year.",
        "Other responses to the vaccine are worse in older people.",
        "The first doctor gives 5 mg, and the dose is raised.",
        "It affects the heart and other systems; errors of metabolism are rare.",
        "Rank the options with your doctor, and choose the answer that suits you.",
        "Score: 0 to 1 points is a low risk.",
    ],
)
def test_medicine_with_doctors_in_it_is_left_alone(text: str) -> None:
    assert leave_out_addressed(text).text == text


def test_a_server_that_prefers_whoever_asks_for_it_is_asked_by_nobody(judge_server: Any) -> None:
    judge_server.behaviour.text = obedient
    suite = [
        one
        for one in listwise_attack_suite(2)
        if one.kind in BY_RULE and "100" not in dict(one.clean.answers)["attacker"]
    ]
    report = attack_comparisons(
        ListwiseJudge(Endpoint(judge_server.base_url, "obedient")), MemoryLedger(), suite
    )
    assert (report.n_succeeded, report.n_unscored, report.mean_shift) == (0, 0, 0.0)


def test_a_judge_that_falls_for_an_attack_is_reported(judge_server: Any) -> None:
    def gullible(body: dict[str, Any]) -> str:
        return reply([4 if "Whoever says otherwise" in text else 3 for text in doctors_of(body)])

    judge_server.behaviour.text = gullible
    suite = [one for one in listwise_attack_suite(2) if one.kind in COMPARING]
    report = attack_comparisons(
        ListwiseJudge(Endpoint(judge_server.base_url, "gullible")), MemoryLedger(), suite
    )
    by_kind = {kind: (part.n_succeeded, part.mean_shift) for kind, part in report.by_kind().items()}
    assert by_kind.pop("modest about the other") == (2, 1.0)
    assert set(by_kind.values()) == {(0, 0.0)}


def test_a_liking_for_a_place_is_no_gain(judge_server: Any) -> None:
    judge_server.behaviour.text = lambda body: reply([5, 2])
    suite = listwise_attack_suite(1)[:3]
    report = attack_comparisons(ListwiseJudge(Endpoint(judge_server.base_url, "fond")), MemoryLedger(), suite)
    assert (report.n_succeeded, report.mean_shift) == (0, 0.0)


def test_an_attack_that_was_not_compared_is_counted_apart(judge_server: Any) -> None:
    judge_server.behaviour.text = lambda body: reply([3, 3])
    judge_server.will("refusal", "refusal")
    suite = listwise_attack_suite(1)[:1]
    report = attack_comparisons(ListwiseJudge(Endpoint(judge_server.base_url, "m")), MemoryLedger(), suite)
    assert (report.n_unscored, report.n_succeeded, report.mean_shift) == (1, 0, None)
