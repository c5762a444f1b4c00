"""The table: a perfect judge, a broken one, and baselines that know nothing of the answers."""

from dataclasses import replace

import numpy as np
import pytest

from medassay.models.judge_training.baselines import baselines
from medassay.models.judge_training.fitting import input_of
from medassay.models.judge_training.plan import curriculum
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import (
    Scored,
    clears_majority,
    gold_of,
    one_a_question,
    scored_by_rankings,
    summary_of,
    table_row,
)
from medassay.models.judges.listwise.judge import Ranking, balanced_orders
from tests.judge_training.world import world_cases

TRAIN, TEST = world_cases(2, 60, "train"), world_cases(2, 40, "test")


def rankings_by(
    points_of: dict[tuple[str, str], int], unreadable: frozenset[str] = frozenset()
) -> list[Ranking]:
    found = []
    for case in TEST:
        for number, order in enumerate(balanced_orders(input_of(case))):
            points = tuple(points_of[case.question_id, system] for system in order)
            is_bad = case.question_id in unreadable
            found.append(
                Ranking(case.question_id, number, order, None if is_bad else points, None, None,
                        "abstained" if is_bad else "scored", None, None)
            )  # fmt: skip
    return found


TRUE = {
    (case.question_id, system): int(score)
    for case in TEST
    for system, score in zip(case.systems, case.gold or (), strict=True)
}


def test_a_judge_that_gives_the_true_points_is_right_everywhere() -> None:
    row = table_row(scored_by_rankings("true", TEST, rankings_by(TRUE)), TEST)
    assert (row.format_valid, row.accuracy_2tuple.value, row.accuracy_triple.value) == (1.0, 1.0, 1.0)
    assert (row.accuracy_untied.value, row.icc.value) == (1.0, pytest.approx(1.0))
    assert clears_majority(row)
    assert summary_of({"j": row}, "j")["accuracy_2tuple"] == 1.0


def test_unreadable_replies_make_their_pairs_and_triples_wrong() -> None:
    bad = frozenset(case.question_id for case in TEST[:10])
    row = table_row(scored_by_rankings("broken", TEST, rankings_by(TRUE, bad)), TEST)
    assert row.format_valid == pytest.approx(0.75)
    assert row.accuracy_2tuple.value == pytest.approx(0.75) and row.accuracy_2tuple.n == 3 * len(TEST)
    assert row.accuracy_triple.value == pytest.approx(0.75)


def test_baselines_are_fitted_to_training_and_none_is_perfect() -> None:
    rows = {scored.name: table_row(scored, TEST) for scored in baselines(TRAIN, TEST)}
    assert len(rows) == 6
    ties = np.mean([len(set(pair)) == 1 for case in TEST for pair in _pairs(case)])
    assert rows["all tied"].accuracy_2tuple.value == pytest.approx(float(ties))
    assert rows["all tied"].accuracy_untied.value == 0.0
    assert all((row.accuracy_2tuple.value or 0.0) < 0.95 for row in rows.values())
    assert rows["same order of systems"].accuracy_2tuple.value is not None


def test_continuous_scores_are_tied_by_their_cut_off() -> None:
    noise = np.random.default_rng(0).normal(0, 0.01, gold_of(TEST).shape)
    without, with_cut = (table_row(Scored("c", gold_of(TEST) + noise, cut), TEST) for cut in (0.0, 0.2))
    assert (without.accuracy_2tuple.value or 0) < 1.0
    assert with_cut.accuracy_2tuple.value == 1.0


def test_a_pair_that_people_do_not_tie_asks_for_the_sign_alone() -> None:
    noise = np.random.default_rng(0).normal(0, 0.01, gold_of(TEST).shape)
    assert table_row(Scored("c", gold_of(TEST) + noise, cut_off=5.0), TEST).accuracy_untied.value == 1.0


def test_intervals_resample_whole_questions_where_one_has_several_cases() -> None:
    scores = np.random.default_rng(0).permuted(gold_of(TEST), axis=1)
    twice = [*TEST, *(replace(case, case_id=f"{case.case_id} again") for case in TEST)]
    once, same = (
        table_row(Scored("c", given), cases)
        for given, cases in ((scores, TEST), (np.concatenate([scores, scores]), twice))
    )
    for name in ("accuracy_2tuple", "accuracy_triple", "accuracy_untied"):
        one, two = getattr(once, name), getattr(same, name)
        assert (two.value, two.n) == (one.value, 2 * one.n)
        assert two.high - two.low == pytest.approx(one.high - one.low, abs=0.02)


def test_a_question_counts_once_whatever_the_orders_it_was_shown_in() -> None:
    assert one_a_question([*TEST, *TEST]) == TEST


def test_the_curriculum_has_halves_and_leaves_nothing_out() -> None:
    weak, strong = TRAIN[:21], TRAIN[21:]
    stages = curriculum(strong, weak, 3)
    assert [len(stages[name]) for name in "123"] == [11, 10 + 19, 20]
    assert set(stages["1"]) <= set(weak) and set(stages["3"]) <= set(strong)
    assert sorted(c.case_id for one in stages.values() for c in one) == sorted(c.case_id for c in TRAIN)
    assert curriculum(strong[::-1], weak[::-1], 3) == stages
    assert curriculum(strong, weak, 4) != stages


def _pairs(case: EvaluationCase) -> list[tuple[float, float]]:
    gold = case.gold or ()
    return [(gold[a], gold[b]) for a in range(3) for b in range(a + 1, 3)]
