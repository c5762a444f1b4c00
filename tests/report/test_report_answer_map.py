"""The chart of coverage × contradictions: a point an answer, each to be seen and chosen."""

from typing import Any

from medassay.models.report import ReportData, render
from medassay.models.report.answer_map import MOST_POINTS, answer_maps


def data_of(shares: list[tuple[str, float | None, float]], **more: Any) -> ReportData:
    """Answers of one system after another to questions in order: (system, covered, contradicted)."""
    numbers: dict[str, int] = {}
    rows = []
    for system, covered, contradicted in shares:
        numbers[system] = numbers.get(system, -1) + 1
        rows.append(
            {"question_id": f"q{numbers[system]}", "system": system, "nugget_coverage": covered,
             "contradiction_rate": contradicted}
        )  # fmt: skip
    questions = [{"question_id": f"q{n}", "question": f"Why {n}?"} for n in range(max(numbers.values()) + 1)]
    return ReportData(answer_scores=rows, questions=questions, **more)


def test_each_answer_is_a_point_to_the_right_by_what_it_covers_and_up_by_what_it_contradicts() -> None:
    data = data_of([("a", 0.0, 1.0), ("a", 1.0, 0.0), ("a", None, 0.0), ("b", 0.5, 0.5)])
    assert [
        (m.system, m.n_scored, [(p.x, p.y, p.number, p.note) for p in m.points])
        for m in answer_maps(data, ["b", "a"])
    ] == [
        ("b", 1, [(135.0, 101.0, 0, "Why 0?: 50% covered, 50% contradicted")]),
        (
            "a",
            2,
            [
                (48.0, 18.0, 0, "Why 0?: 0% covered, 100% contradicted"),
                (222.0, 184.0, 1, "Why 1?: 100% covered, 0% contradicted"),
            ],
        ),
    ]


def test_equal_answers_stand_apart_and_inside_of_the_frame() -> None:
    (chart,) = answer_maps(data_of([("a", 1.0, 0.0)] * 300), ["a"])
    places = {(point.x, point.y) for point in chart.points}
    assert len(places) == 300
    assert all(200 < x < 240 and 160 < y < 202 for x, y in places)


def test_a_large_run_draws_its_first_answers_and_says_so() -> None:
    board = [{"system": "a", "nugget_coverage": 0.5}]
    data = data_of([("a", 0.5, 0.1)] * (MOST_POINTS + 1), leaderboard=board)
    (chart,) = answer_maps(data, ["a"])
    assert (len(chart.points), chart.n_scored) == (MOST_POINTS, MOST_POINTS + 1)
    assert "901 answers, the first 900 drawn" in render(data)


def test_without_scores_there_is_no_chart() -> None:
    assert answer_maps(data_of([("a", None, 0.0)]), ["a"]) == []
    assert 'id="answers"' not in render(data_of([("a", None, 0.0)]))
