"""What changed between two runs, as it is printed."""

from typing import Any

import pytest

from medassay.flows.terminal_differences import print_scores


def changed(metric: str, before: float, after: float) -> dict[str, Any]:
    numbers = {"before": before, "after": after, "difference": after - before, "interaction": 0.0}
    return {"question_id": "q1", "system": "s", "metric": metric, "parts": {}, **numbers}


def test_marks_and_shares_are_ranked_by_how_much_of_their_range_they_moved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [
        changed("safety", 80.0, 75.0),
        changed("nugget_coverage", 0.2, 0.9),
        changed("medical_correctness", 90.0, 10.0),
        changed("citation_recall", 0.5, 0.51),
    ]
    print_scores(rows, (), everything=True)
    said = capsys.readouterr().out
    order = ["medical correctness", "nugget coverage", "safety", "citation recall"]
    assert sorted(order, key=said.index) == order
