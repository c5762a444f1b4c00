"""Line charts: what is drawn for few points, many lines, losses, names and levels."""

import re

from medassay.models.report.line_chart import Axes, Point, line_chart


def test_a_single_point_is_seen_and_the_same_chart_is_the_same_text() -> None:
    def drawn() -> str:
        axes = Axes("checkpoint", "share", ["stage 1"], top=1.0)
        return line_chart({"2-tuple": [Point(0, 0.5, 0.4, 0.6)]}, axes, levels={"commonest": 0.4})

    said = re.findall(r">([^<>]+)</text>", drawn())
    assert drawn() == drawn()
    assert drawn().startswith('<svg role="img" aria-label="share by checkpoint: 2-tuple, commonest"')
    assert {"stage 1", "checkpoint", "share", "2-tuple", "commonest", "0.2", "1.0"} <= set(said)


def test_a_loss_of_zero_has_no_logarithm_and_is_left_out() -> None:
    axes = Axes("step", "loss", logarithmic=True)
    drawn = line_chart({"loss": [Point(1, 2.0), Point(2, 0.0)]}, axes, marks=[(1, "stage 1")])
    assert "stage 1" in drawn
    assert line_chart({"loss": []}, axes) == line_chart({"loss": [Point(1, 0.0)]}, axes) == ""


def test_what_is_named_cannot_add_markup() -> None:
    drawn = line_chart({"<b>": [Point(0, 1)]}, Axes("<i>", "&", ["<u>"]), levels={"<s>": 0.5})
    assert not re.search("<[bius]>", drawn)
    assert "&lt;b&gt;" in drawn and "&lt;s&gt;" in drawn
