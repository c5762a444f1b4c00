"""Chart of coverage × contradictions: a panel for each system, a point for each answer."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.report.rows import ReportData, grouped, number_of, text_of

_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 222, 18, 184
_APART, _REACH = 6.4, 17.0
_GOLDEN = math.pi * (3 - math.sqrt(5))
MOST_POINTS = 900
"""How many answers are drawn in all; each takes 200 bytes of the page."""


@dataclass(frozen=True, slots=True)
class AnswerPoint:
    """An answer: where it is drawn, its question's place in the report, and what it is, in words."""

    x: float
    y: float
    number: int
    note: str


@dataclass(frozen=True, slots=True)
class AnswerMap:
    """One system's answers: nuggets covered to the right, nuggets contradicted upwards."""

    system: str
    points: tuple[AnswerPoint, ...]
    n_scored: int

    x_ticks = tuple((_LEFT + (_RIGHT - _LEFT) * tick / 4, f"{tick / 4:g}") for tick in range(5))
    y_ticks = tuple((_BOTTOM - (_BOTTOM - _TOP) * tick / 4, f"{tick / 4:g}") for tick in range(5))


def answer_maps(data: ReportData, systems: Sequence[str]) -> list[AnswerMap]:
    """Draw every answer that has both shares, of each system the first as the questions come, `MOST_POINTS` in all.

    Answers with the same shares stand around their place, so that each can be seen and chosen.
    """
    scores = grouped(data.answer_scores, "system", "question_id")
    most = max(MOST_POINTS // max(len(systems), 1), 1)
    maps = []
    for system in systems:
        shares = [
            (number, text_of(question.get("question")), covered, contradicted)
            for number, question in enumerate(data.questions)
            for row in scores.get((system, text_of(question.get("question_id"))), [])[:1]
            if (covered := number_of(row.get("nugget_coverage"))) is not None
            and (contradicted := number_of(row.get("contradiction_rate"))) is not None
        ]
        crowd = Counter(_place(covered, contradicted) for _, _, covered, contradicted in shares[:most])
        taken: Counter[tuple[float, float]] = Counter()
        points = []
        for number, question, covered, contradicted in shares[:most]:
            place = _place(covered, contradicted)
            nth = taken[place]
            taken[place] += 1
            apart = min(_APART, _REACH / math.sqrt(crowd[place]))
            reach, turn = apart * math.sqrt(nth), _GOLDEN * nth
            points.append(
                AnswerPoint(
                    x=round(_LEFT + (_RIGHT - _LEFT) * covered + reach * math.cos(turn), 1),
                    y=round(_BOTTOM - (_BOTTOM - _TOP) * contradicted + reach * math.sin(turn), 1),
                    number=number,
                    note=f"{question}: {covered:.0%} covered, {contradicted:.0%} contradicted",
                )
            )
        maps.append(AnswerMap(system, tuple(points), len(shares)))
    return maps if any(of_system.points for of_system in maps) else []


def _place(covered: float, contradicted: float) -> tuple[float, float]:
    return round(covered, 2), round(contradicted, 2)
