"""The guard on what goes to an evaluator that is not on this machine, and what caps in money hold."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from medassay.models.chat.endpoint import Endpoint
from medassay.models.judge_training.chain import Evaluated, Posed
from medassay.models.judge_training.records import Passage
from medassay.models.judges.listwise.judge import ListwiseInput
from medassay.sql.warehouse import Warehouse
from medassay.tasks.answering.answers import Limits
from medassay.tasks.judge_training.evaluating import evaluate_cases, refuse_texts
from medassay.tasks.phi import PhiFound
from medassay.tasks.spending.caps import common_cap

SCORED = "Analyze:\nStep 1: {said}\nScore:\nDoctor 1: 5 points.\nDoctor 2: 1 point."


class Library:
    def __init__(self, text: str) -> None:
        self.text, self.asked = text, list[str]()

    def passages(self, question: str) -> tuple[Passage, ...]:
        self.asked.append(question)
        return (Passage("medicine", "a.pdf", 1, 0, len(self.text), 0.5, self.text),)


def posed(question: str) -> Posed:
    return Posed(ListwiseInput("q1", question, (("a", "Yes."), ("b", "No."))), ("a", "b"))


@pytest.fixture
def elsewhere(judge_server: Any) -> Endpoint:
    """The address does not say loopback, and still ends there."""
    return Endpoint(judge_server.base_url.replace("127.0.0.1", "0.0.0.0"), "judge")


def evaluate(
    warehouse: Warehouse,
    home: Path,
    endpoint: Endpoint,
    cases: Sequence[Posed],
    limits: Limits,
    library: Library,
) -> list[Evaluated]:
    found, _ = evaluate_cases(
        warehouse, home, endpoint, cases, library, most_questions=3, limits=limits, cap=common_cap(limits)
    )
    return found


def test_under_block_what_may_name_a_patient_is_not_sent(
    warehouse: Warehouse, home: Path, judge_server: Any, elsewhere: Endpoint
) -> None:
    texts = [("question q1", "Is Mrs. Ann Smith ill?"), ("question q2", "Is flu bad?")]
    with pytest.raises(PhiFound, match="question q1: 1 × name"):
        refuse_texts(warehouse, [elsewhere], texts, Limits())
    refuse_texts(warehouse, [elsewhere], texts, Limits(phi="redact"))
    judge_server.behaviour.text = lambda body: "[Question]: Who writes of flu?"
    # A passage that names somebody ends the chain of its own case, and the others go on.
    library = Library("Call Mrs. Ann Smith at +1 212 555 0188.")
    (found,) = evaluate(warehouse, home, elsewhere, [posed("Is flu bad?")], Limits(), library)
    assert found.status == "abstained" and found.reason is not None
    assert found.reason.startswith("not sent (--phi block): ") and "Smith" not in found.reason
    assert (len(judge_server.bodies), "Smith" in json.dumps(judge_server.bodies)) == (1, False)
    actions = warehouse.rows(
        "select action, count(*) as n from phi_audit where stage = 'judge_data' group by all order by all"
    )
    assert actions == [{"action": "blocked", "n": 2}, {"action": "clean", "n": 1}]


def test_under_redact_placeholders_leave_and_names_come_back(
    warehouse: Warehouse, home: Path, judge_server: Any, elsewhere: Endpoint
) -> None:
    judge_server.behaviour.text = lambda body: (
        SCORED.format(said="Mrs. [name 1] has flu.")
        if len(body["messages"]) > 2
        else "[Question]: What if Mrs. [name 1] is pregnant?"
    )
    library = Library("Flu in pregnancy is severe.")
    (found,) = evaluate(
        warehouse, home, elsewhere, [posed("Is Mrs. Ann Smith's flu bad?")], Limits(phi="redact"), library
    )
    assert "Smith" not in json.dumps(judge_server.bodies)
    assert library.asked == ["What if Mrs. Ann Smith is pregnant?"]
    assert found.scored is not None and "Step 1: Mrs. Ann Smith has flu." in found.scored.evaluation


def test_a_cap_in_money_stops_and_the_price_is_on_record(
    warehouse: Warehouse, home: Path, judge_server: Any
) -> None:
    judge_server.behaviour.text = lambda body: SCORED.format(said="Compared.")
    (home / "prices.json").write_text(
        '{"judge": {"prompt_per_million": 1.0, "completion_per_million": 1000000.0, "currency": "EUR"}}'
    )
    cases = [posed(f"Is flu {n} bad?") for n in range(6)]
    endpoint, library = Endpoint(judge_server.base_url, "judge"), Library("x")
    found = evaluate(warehouse, home, endpoint, cases, Limits(max_money=1100.0), library)
    undone = [one for one in found if one.status is None]
    assert 0 < len(undone) < 6
    assert undone[0].reason == "cap reached: the next call could exceed 1100 EUR"
    assert warehouse.value("select currency from asking_price limit 1") == "EUR"
    whole = evaluate(warehouse, home, endpoint, cases, Limits(), library)
    assert [one.status for one in whole] == ["scored"] * 6
    assert len(judge_server.bodies) == 6
