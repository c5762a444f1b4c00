"""A run against the run before, without Prefect."""

import pytest

from tasks.regressions import Change, Regressed, change, refuse_regressions


def test_a_fall_beyond_its_interval_is_a_regression() -> None:
    found = change("a", "nugget_coverage", [-0.2, -0.3, -0.1, -0.2, -0.3, -0.1])
    assert found == Change(
        "a", "nugget_coverage", 6, pytest.approx(-0.2), pytest.approx(-0.2938643771527365, abs=1e-9),
        pytest.approx(-0.1061356228472635, abs=1e-9), True, "only 6 questions: the interval assumes normality",
    )  # fmt: skip


@pytest.mark.parametrize(
    "differences", [[0.2, -0.3, 0.1, -0.2, 0.3, -0.1], [0.0] * 30, [-0.9] * 5, [0.2, 0.3, 0.1, 0.2, 0.3, 0.1]]
)
def test_what_could_be_chance_or_is_better_is_none(differences: list[float]) -> None:
    assert not change("a", "rubric_score", differences).regressed


def test_the_refusal_names_what_fell() -> None:
    fell = Change("a", "rubric_score", 30, -0.125, -0.2, -0.05, True, None)
    kept = Change("b", "rubric_score", 30, -0.01, -0.2, 0.05, False, None)
    refuse_regressions([kept], "new", "old")
    with pytest.raises(Regressed) as refused:
        refuse_regressions([fell, kept], "new", "old")
    assert str(refused.value) == (
        "a: rubric_score fell by 0.125 (-0.200 to -0.050, 30 questions)\n"
        "worse than run old; run new is published all the same"
    )
