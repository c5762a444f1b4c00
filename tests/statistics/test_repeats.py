from medassay.tasks.judging.stability import average_runs


def test_equal_runs_lie_nothing_apart() -> None:
    scores = [[0.1 + 0.2, 0.76, 1 / 3]] * 3
    found = average_runs(scores)
    assert (found.typical, found.of_means) == (0.0, 0.0)
