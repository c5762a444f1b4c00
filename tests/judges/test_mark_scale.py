"""A judge whose marks look as if on another scale is told of; one that marks a bad answer is not."""

from typing import Any

import pytest

from medassay.models.judges.mark_scale import GIVEN, other_scales
from medassay.models.report import ReportData
from medassay.models.report.overview import warnings_of


def rows(
    *answers: tuple[int, ...], judge: str = "http://x/v1#m", status: str = "scored"
) -> list[dict[str, Any]]:
    return [{"judge": judge, "status": status, **dict(zip(GIVEN, marks, strict=True))} for marks in answers]


@pytest.mark.parametrize(
    ("answers", "top"),
    [
        ([(8, 7, 6, 9)], 10),
        ([(1, 1, 1, 1)], 1),
        ([(1, 1, 0, 1), (1, 0, 1, 1)], 1),
        ([(10, 10, 10, 10)], 10),
        ([(10, 5, 10, 10), (5, 0, 5, 10), (0, 0, 5, 5)], 10),
        ([(4, 3, 5, 4)], 10),
        ([(0, 0, 5, 0)], None),
        ([(5, 5, 10, 5)], None),  # one bad answer, on a scale to 100
        ([(0, 0, 0, 0)], None),
        ([(0, 0, 3, 0), (0, 0, 0, 2)], None),
        ([(8, 7, 6, 9), (80, 70, 60, 90)], None),
        ([(1, 0, 0, 0)], None),
    ],
)
def test_marks_as_if_on_another_scale(answers: list[tuple[int, ...]], top: int | None) -> None:
    found = other_scales(rows(*answers))
    assert [line.split(" as if on a ")[1].split(" where")[0] for line in found] == (
        [f"scale of 0 to {top}"] if top else []
    )


def test_each_judge_is_told_of_by_itself() -> None:
    some = (
        rows((8, 7, 6, 9), (9, 9, 9, 9))
        + rows((80, 70, 60, 90), judge="b")
        + rows((3, 2, 3, 4), judge="evidence")
    )
    assert other_scales(some + rows((2, 2, 2, 2), judge="c", status="abstained")) == [
        "all 8 marks of http://x/v1#m lie at or under 9, as if on a scale of 0 to 10 where 0 to 100 was asked for: the"
        " rubric's scores are that much too low if so; ask the judge for marks from 0 to 100, or name another one"
    ]


def test_the_report_warns_of_it() -> None:
    warned = warnings_of(ReportData(judgements=rows((8, 7, 6, 9))))
    assert [line for line in warned if line.startswith("All 4 marks of http://x/v1#m lie at or under 9")]
    assert not [
        line for line in warnings_of(ReportData(judgements=rows((80, 70, 60, 90)))) if "scale" in line
    ]
