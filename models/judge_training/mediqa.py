"""MEDIQA 2019's ranked answers as cases: three answers a question, with manual relevance scores as their gold.

The scores, 1 to 4, say how well a retrieved answer fits a consumer's question. They are relevance judgements made by
hand, and no doctor's marks; texts of the set come without a licence and are not to be redistributed.
"""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from medassay.models.intake.file_opening import opened, refuse_absent
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.questions import question_text_key
from medassay.models.judge_training.records import EvaluationCase, case_key
from medassay.models.keys import content_key

GOLD_ONLY = "gold scores alone: no evaluator was asked"
EVALUATOR = "manual relevance judgement"
N_ANSWERS = 3
LEAST_SCORE, MOST_SCORE = 1, 4


def read_mediqa(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the answers of each question, in the order of the file: question_id, question, system, answer, score.

    Args:
        path: `answers_dev.jsonl.gz`, or the folder that it lies in.

    Raises:
        IntakeError: for a file that is not there, or a line that is no scored answer.
    """
    file = path / "answers_dev.jsonl.gz" if path.is_dir() else path
    refuse_absent(file, "no such file", "give answers_dev.jsonl.gz of MEDIQA, or its folder")
    found: dict[str, list[dict[str, Any]]] = {}
    with opened(file) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                answer = {name: row[name] for name in ("question_id", "question", "system", "answer")}
                answer["score"] = int(row["score"])
            except (ValueError, KeyError, TypeError) as error:
                raise IntakeError(
                    file, number, f"no scored answer ({error})", "give the file as it is"
                ) from None
            if not LEAST_SCORE <= answer["score"] <= MOST_SCORE:
                what = f"score {answer['score']} is not from {LEAST_SCORE} to {MOST_SCORE}"
                raise IntakeError(file, number, what, "give the file as it is")
            found.setdefault(answer["question_id"], []).append(answer)
    return found


def triples(
    answers: Iterable[dict[str, Any]], seed: int, most: int = 1, *, untied: bool = False
) -> list[tuple[dict[str, Any], ...]]:
    """Draw at most `most` triples of a question's different answers, no answer in two of them.

    Args:
        answers: of one question.
        seed: draws.
        most: how many triples.
        untied: whether the three scores have to differ.
    """
    pool = list({answer["answer"].strip(): answer for answer in answers if answer["answer"].strip()}.values())
    random.Random(content_key([seed, [answer["system"] for answer in pool]])).shuffle(pool)
    drawn: list[tuple[dict[str, Any], ...]] = []
    while len(drawn) < most:
        chosen: list[dict[str, Any]] = []
        for answer in pool:
            is_new = answer["score"] not in {one["score"] for one in chosen}
            if len(chosen) < N_ANSWERS and (is_new or not untied):
                chosen.append(answer)
        if len(chosen) < N_ANSWERS:
            break
        drawn.append(tuple(chosen))
        pool = [answer for answer in pool if not any(answer is one for one in chosen)]
    return drawn


def mediqa_cases(
    by_question: dict[str, list[dict[str, Any]]], *, seed: int = 0, most: int = 1, untied: bool = False
) -> list[EvaluationCase]:
    """Return cases with gold and without an evaluation: their status is `abstained`, with the reason.

    Args:
        by_question: as `read_mediqa` returns it.
        seed: draws the triples and their order.
        most: triples a question.
        untied: whether the three scores of a triple have to differ.
    """
    return [
        _case(chosen)
        for question_id in sorted(by_question)
        for chosen in triples(by_question[question_id], seed, most, untied=untied)
    ]


def _case(chosen: Sequence[dict[str, Any]]) -> EvaluationCase:
    question_id, question = chosen[0]["question_id"], chosen[0]["question"]
    responses = tuple(answer["answer"] for answer in chosen)
    systems = tuple(answer["system"] for answer in chosen)
    return EvaluationCase(
        case_id=case_key(question, responses, systems, EVALUATOR, question_id),
        question_id=question_id,
        question=question,
        responses=responses,
        systems=systems,
        reference=None,
        evaluation="",
        scores=None,
        gold=tuple(float(answer["score"]) for answer in chosen),
        evaluator=EVALUATOR,
        strength="strong",
        status="abstained",
        reason=GOLD_ONLY,
    )


def split_by_question(
    cases: Sequence[EvaluationCase], test_share: float, seed: int
) -> tuple[list[EvaluationCase], list[EvaluationCase]]:
    """Return cases to train on and cases to test on; no question, by its words, is in both."""
    keys = {question_text_key(case.question) for case in cases}
    drawn = sorted(keys, key=lambda key: content_key([seed, key]))
    tested = set(drawn[: round(test_share * len(drawn))])
    train = [case for case in cases if question_text_key(case.question) not in tested]
    return train, [case for case in cases if question_text_key(case.question) in tested]
