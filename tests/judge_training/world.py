"""Cases of the template world, whose true points are known."""

from collections.abc import Iterable
from typing import Any

from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.template_world import analysis_of, make_questions


def cases_of(questions: Iterable[Any]) -> list[EvaluationCase]:
    """Return a case a question, three doctors each, with its true points as scores and as gold."""
    made = []
    for question in questions:
        shown = question.in_order(question.responses[:3])
        text, points = analysis_of(shown, shown.truth)
        made.append(
            EvaluationCase(
                question.question_id, question.question_id, question.question, shown.responses, shown.systems,
                None, text, points, tuple(map(float, points)), "the world", "strong",
            )
        )  # fmt: skip
    return made


def world_cases(seed: int, n: int, prefix: str = "q") -> list[EvaluationCase]:
    """Return so many cases of a world."""
    return cases_of(make_questions(seed, n, prefix))
