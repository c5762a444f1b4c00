"""Which labels to ask for next: where the spread is, and evenly over questions."""

import pytest

from medassay.models.people.active_selection import next_labels

STRATA = ["calm"] * 10 + ["wild"] * 10
QUESTIONS = [f"q{n % 5}" for n in range(20)]
KNOWN = {0: 0.1, 1: 0.12, 2: 0.1, 10: 0.9, 11: -0.8, 12: 0.1}


def test_labels_go_where_they_tell_most() -> None:
    choice = next_labels(STRATA, QUESTIONS, KNOWN, 5)
    assert [STRATA[place] for place in choice.items] == ["wild", "wild", "calm", "wild", "wild"]
    assert choice.before == pytest.approx(0.37502768799556013, abs=1e-12)
    assert choice.after is not None and choice.before is not None and choice.after < choice.before
    assert set(choice.items) & set(KNOWN) == set()


def test_a_stratum_without_a_label_comes_first_and_there_is_no_interval_before() -> None:
    choice = next_labels(STRATA, QUESTIONS, {10: 0.9, 11: -0.8}, 1)
    assert (STRATA[choice.items[0]], choice.before) == ("calm", None)
    assert choice.after is not None


def test_questions_with_the_fewest_labels_come_first() -> None:
    choice = next_labels(["one"] * 6, ["a", "a", "a", "b", "b", "c"], {0: 0.1, 1: 0.3}, 3)
    assert choice.items == (3, 5, 4)


def test_never_more_than_there_are() -> None:
    assert next_labels(["one"] * 2, ["a", "b"], {}, 9).items == (0, 1)
    assert next_labels([], [], {}, 3).items == ()
