"""Ablations: what each leaves out, and that all are trained for as many steps as the whole recipe."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from medassay.flows.commands.judge_training import ABLATIONS as offered
from medassay.models.judge_training.plan import ABLATIONS, Plan, curriculum_targets, read_splits
from medassay.models.judge_training.presets import PRESETS, RandomModel
from medassay.models.judge_training.records import EvaluationCase, write_cases
from medassay.models.judge_training.table import Scored, advantage, gold_of
from medassay.models.judge_training.template_world import make_questions
from medassay.models.judge_training.training import STAGE_FILE, card_of
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.steps import prepare, train_curriculum, train_introspection
from tests.judge_training.world import cases_of

PRESET = replace(
    PRESETS["tiny"],
    random_model=RandomModel(hidden=16, inner=32, layers=1, heads=2, vocabulary=400),
    max_tokens=1500,
    epochs=1,
    batch=4,
)
QUESTIONS = make_questions(5, 40)


def case(number: int, strength: str, evaluator: str) -> EvaluationCase:
    (made,) = cases_of(QUESTIONS[number : number + 1])
    return replace(made, case_id=f"{evaluator} {made.case_id}", evaluator=evaluator, strength=strength)  # type: ignore[arg-type]


def data(folder: Path, evaluator: str, n_weak: int) -> Path:
    folder.mkdir(exist_ok=True)
    write_cases(folder / "train_strong.jsonl", [case(n, "strong", evaluator) for n in range(10)])
    write_cases(folder / "train_weak.jsonl", [case(n, "weak", evaluator) for n in range(10, 10 + n_weak)])
    write_cases(folder / "test.jsonl", [case(n, "strong", evaluator) for n in range(30, 40)])
    return folder


def plan_of(tmp_path: Path, **changed: object) -> Plan:
    chain, unaided = data(tmp_path / "chain", "aided", 12), data(tmp_path / "unaided", "alone", 5)
    plan = Plan("j", tmp_path / "j", chain, PRESET, iterations=2, ablations=tuple(ABLATIONS), unaided=unaided)
    return replace(plan, **changed)  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_ablation_is_trained_for_the_steps_of_the_whole_recipe(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    base = prepare(plan)
    for one in (plan, *(plan.ablation(name) for name in plan.ablations)):
        train_curriculum(one, base)
        for number in (1, 2):
            train_introspection(one, base, number, [])
    cards = {
        name: [card_of(folder / STAGE_FILE) for folder in plan.folders_until(name)]
        for name in (plan.last, *plan.ablations)
    }
    assert {name: sum(card.n_steps for card in found) for name, found in cards.items()} == dict.fromkeys(
        cards, sum(card.n_steps for card in cards[plan.last])
    )
    assert {name: len(found) for name, found in cards.items()} == {
        "introspection 2": 5, "no_chain": 5, "no_curriculum": 3, "no_introspection": 5, "vanilla": 3,
    }  # fmt: skip
    assert all(card.n_tokens and card.n_tokens > 0 for found in cards.values() for card in found)
    for found in cards.values():
        assert [card.parent for card in found[1:]] == [card.model for card in found[:-1]]
    assert cards["no_introspection"][:3] == cards[plan.last][:3]
    # There was no revision to learn from, so that introspection made no difference either.
    assert cards["no_introspection"][-1].model == cards[plan.last][-1].model
    assert len({found[-1].model for found in cards.values()}) == len(cards) - 1


def test_an_ablation_learns_from_its_own_data(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    evaluators = {
        name: {case.evaluator for case in read_splits(plan.ablation(name).data).train} for name in ABLATIONS
    }
    assert evaluators == {
        "no_chain": {"alone"}, "no_curriculum": {"aided"}, "no_introspection": {"aided"}, "vanilla": {"alone"},
    }  # fmt: skip


def test_ablations_that_cannot_differ_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no_introspection needs --iterations 1"):
        plan_of(tmp_path, iterations=0)
    with pytest.raises(UsageError, match="need data without the chain"):
        plan_of(tmp_path, unaided=None)
    with pytest.raises(UsageError, match="no ablation 'no_data'"):
        plan_of(tmp_path, ablations=("no_data",))


def test_the_advantage_of_one_judge_over_another_is_by_question() -> None:
    cases = [case(n, "strong", "aided") for n in range(30)]
    gold = gold_of(cases)
    right, tied = Scored("right", gold), Scored("tied", np.full(gold.shape, 3.0))
    found = advantage(right, tied, cases, 2)
    apart = float(np.mean([gold[:, a] != gold[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]))
    assert found.value == pytest.approx(apart)
    assert found.low is not None and found.high is not None and found.low < apart < found.high
    assert advantage(right, right, cases, 3).value == 0.0


def test_a_stage_without_cases_is_left_out(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, data=data(tmp_path / "strong alone", "aided", 0))
    stages = curriculum_targets(read_splits(plan.data), plan.seed)
    assert {stage: len(targets) for stage, targets in stages.items()} == {"2": 5, "3": 5}


def test_the_command_offers_every_ablation() -> None:
    assert offered == tuple(ABLATIONS)
