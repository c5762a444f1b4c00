"""Line charts: what is drawn for few points, many lines, losses, names and levels."""

import re

import pytest

from medassay.models.report.line_chart import COLOURS, Axes, Point, decades, line_chart, steps_to


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (70, (0.0, 20.0, 40.0, 60.0, 80.0)),
        (4.8, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)),
        (0.03, (0.0, 0.01, 0.02, 0.03)),
        (0, (0.0, 1.0)),
    ],
)
def test_ticks_are_round_numbers(most: float, ticks: tuple[float, ...]) -> None:
    assert steps_to(most) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("least", "most", "ticks"),
    [
        (0.06, 4.8, (0.05, 0.1, 0.2, 0.5, 1, 2, 5)),
        (3.1, 3.1, (2, 5)),
        (0.5, 0.5, (0.5, 1)),
        (1e-5, 30, (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100)),
    ],
)
def test_ticks_of_a_logarithmic_axis_hold_all_values(
    least: float, most: float, ticks: tuple[float, ...]
) -> None:
    assert decades(least, most) == pytest.approx(ticks)


def test_a_single_point_is_seen() -> None:
    drawn = line_chart(
        {"2-tuple": [Point(0, 0.5, 0.4, 0.6)]}, Axes("checkpoint", "share", ["stage 1"], top=1.0)
    )
    assert "<polyline" not in drawn
    assert drawn.count("<circle") == 1
    assert '<circle cx="298.0" cy="127.0" r="2.6"' in drawn
    assert 'y1="148.0" x2="298.0" y2="106.0"' in drawn


def test_a_loss_of_zero_has_no_logarithm_and_is_left_out() -> None:
    drawn = line_chart({"loss": [Point(1, 2.0), Point(2, 0.0)]}, Axes("step", "loss", logarithmic=True))
    assert drawn.count("<circle") == 1
    assert line_chart({"loss": []}, Axes("step", "loss")) == ""


def test_each_line_of_many_is_told_apart_and_stands_in_the_legend() -> None:
    drawn = line_chart({f"line {n}": [Point(0, n), Point(1, n + 1)] for n in range(12)}, Axes("step", "y"))
    strokes = re.findall(r'<polyline fill="none" (stroke="[^"]+"(?: stroke-dasharray="[^"]+")?)', drawn)
    assert len(strokes) == len(set(strokes)) == 12 > len(COLOURS)
    places = [float(y) for y in re.findall(r'<text x="594.0" y="([\d.]+)" text-anchor="start">line', drawn)]
    assert places == [30.0 + 18 * n for n in range(12)]


def test_names_along_the_axis_and_beside_marks_do_not_run_into_each_other() -> None:
    names = [f"introspection {n}" for n in range(1, 10)]
    drawn = line_chart(
        {"triple": [Point(n, 0.4) for n in range(9)]}, Axes("checkpoint", "share", names, top=1.0)
    )
    assert drawn.count("rotate(-30") == 9
    marks = [(0, "stage 1"), (50, "introspection 1"), (55, "introspection 2"), (100, "end")]
    drawn = line_chart({"a": [Point(1, 1), Point(100, 2)]}, Axes("step", "loss"), marks=marks)
    rows = re.findall(r'y="(\d+)" font-size="10" fill="#666">([^<]+)', drawn)
    assert rows == [("32", "stage 1"), ("32", "introspection 1"), ("43", "introspection 2"), ("32", "end")]


def test_what_is_named_cannot_add_markup() -> None:
    drawn = line_chart({"<b>": [Point(0, 1)]}, Axes("<i>", "&", ["<u>"]), levels={"<s>": 0.5})
    assert not re.search("<[bius]>", drawn)
    assert "&lt;b&gt;" in drawn and "&lt;s&gt;" in drawn
