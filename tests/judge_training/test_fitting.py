"""Rows are fitted before training: answers are shortened, evaluations never, and what does not fit is refused."""

from dataclasses import replace
from typing import Any

import pytest

from medassay.models.judge_training.bases import make_random
from medassay.models.judge_training.fitting import IGNORED, SHORTENED, Target, fit_rows, messages_of
from medassay.models.judge_training.presets import RandomModel
from medassay.models.judges.listwise.reply import read_strict
from tests.judge_training.world import world_cases

TINIEST = RandomModel(hidden=16, inner=32, layers=1, heads=2, vocabulary=400)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("base")
    make_random(TINIEST, [case.evaluation for case in world_cases(1, 20)], folder, 1)
    return AutoTokenizer.from_pretrained(folder)


def test_the_loss_is_on_the_whole_evaluation_and_its_end_alone(tokenizer: Any) -> None:
    (case,) = world_cases(1, 1)
    (row,) = fit_rows([Target(case, case.evaluation)], tokenizer, 512).rows
    learnt = [token for token, label in zip(row.input_ids, row.labels, strict=True) if label != IGNORED]
    assert learnt[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(learnt[:-1]) == case.evaluation
    assert all(label in (IGNORED, token) for token, label in zip(row.input_ids, row.labels, strict=True))


def test_long_answers_are_shortened_until_the_row_fits_and_the_scores_stay_whole(tokenizer: Any) -> None:
    (case,) = world_cases(1, 1)
    long = replace(case, responses=(" ".join(["word"] * 900), *case.responses[1:]))
    fitted = fit_rows([Target(long, long.evaluation)], tokenizer, 400)
    (row,) = fitted.rows
    text = tokenizer.decode(row.input_ids)
    assert fitted.n_shortened == 1 and len(row.input_ids) <= 400
    assert SHORTENED in text and all(answer in text for answer in case.responses[1:])
    learnt = [label for label in row.labels if label != IGNORED]
    assert read_strict(tokenizer.decode(learnt[:-1]), 3).points == case.scores


def test_what_cannot_fit_or_be_read_is_refused_and_counted_with_its_reason(tokenizer: Any) -> None:
    first, second, third = world_cases(1, 3)
    cut = replace(second, evaluation=second.evaluation[:-30])
    other = replace(third, evaluation="no form")
    endless = replace(first, question=" ".join(["why"] * 600))
    fitted = fit_rows([Target(c, c.evaluation) for c in (endless, cut, other)], tokenizer, 400)
    assert fitted.rows == ()
    assert [case_id for case_id, _ in fitted.refused] == [first.case_id, second.case_id, third.case_id]
    assert "400 tokens" in fitted.refused[0][1] and "cannot be read" in fitted.refused[1][1]


def test_a_record_whose_scores_are_not_its_evaluations_is_refused(tokenizer: Any) -> None:
    (case,) = world_cases(1, 1)
    assert case.scores is not None
    wrong = replace(
        case, scores=tuple(6 - score for score in case.scores[:-1]) + (3 if case.scores[-1] != 3 else 2,)
    )
    fitted = fit_rows([Target(wrong, wrong.evaluation)], tokenizer, 512)
    assert fitted.rows == () and "the record" in fitted.refused[0][1]


def test_the_prompt_is_the_listwise_judges_own() -> None:
    (case,) = world_cases(1, 1)
    system, user = messages_of(case)
    assert "Compare their answers" in system["content"]
    assert all(text in user["content"] for text in (case.question, *case.responses))


def test_notes_of_introspection_stand_behind_the_material() -> None:
    (case,) = world_cases(1, 1)
    assert messages_of(case, notes="Write it anew.")[-1]["content"].endswith("Write it anew.")
