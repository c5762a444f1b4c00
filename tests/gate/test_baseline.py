"""The committed baseline: what it keeps, when it may be compared with, and what a run is held to."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medassay.models.gate.baseline import baseline_of, read_baseline, write_baseline
from medassay.models.gate.measured import MadeWith
from medassay.models.usage import UsageError
from tests.gate.measured import MADE_WITH, OPPOSED, TURNED, answer, held, run

OLD = [answer(f"q{n}", coverage=0.8) for n in range(14)]
BASE = baseline_of(run(*OLD))


def levels(*answers: Any, **baseline: Any) -> list[tuple[str, str, str]]:
    record = held({"fail_on": [], "baseline": baseline}, run(*answers), against=BASE)
    return [
        (record.verdict, check.outcome, check.message) for check in record.checks if check.kind == "baseline"
    ]


def changed(values: list[float]) -> list[Any]:
    return [
        replace(answer(f"q{n}", coverage=value), answer_key=f"new {n}") if value != 0.8 else OLD[n]
        for n, value in enumerate(values)
    ]


def test_a_baseline_is_a_small_file_with_a_line_an_answer(tmp_path: Path) -> None:
    made = baseline_of(
        run(
            answer("q1", contradicted=(TURNED,), citations=(OPPOSED,)),
            answer("q2", coverage=None, answer_key=None),
        )
    )
    write_baseline(tmp_path / "base.json", made)
    assert read_baseline(tmp_path / "base.json") == made
    assert (tmp_path / "base.json").read_text("utf-8").splitlines()[-5:] == [
        ' "answers": [',
        '  {"question_id": "q1", "system": "a", "answer": "key of q1", "scores": {"nugget_coverage": 1.0},'
        ' "contradicted": ["The dose is 75 mg a day."], "citations": ["contradicts pmid:1: Take 750 mg a day."]},',
        '  {"question_id": "q2", "system": "a", "answer": null, "scores": {}, "contradicted": [], "citations": []}',
        " ]",
        "}",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1))"),
        ("[]", "form is None, and this version reads medassay.baseline/1"),
        (
            '{"form": "medassay.baseline/9"}',
            "form is 'medassay.baseline/9', and this version reads medassay.baseline/1",
        ),
        ('{"form": "medassay.baseline/1"}', "medassay: field required"),
    ],
)
def test_what_is_no_baseline_is_refused_in_a_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError) as refused:
        read_baseline(tmp_path / "b.json")
    assert str(refused.value) == f"{tmp_path / 'b.json'}: {said}; write it anew with --write-baseline"


@pytest.mark.parametrize(
    ("made_with", "said"),
    [
        (
            replace(MADE_WITH, options={"profile": "trec"}),
            "profile seed, now trec; reader embedded, now not given",
        ),
        (MadeWith(MADE_WITH.options, {"entail": "e2", "match": "m1"}, "f1"), "stage entail"),
        (replace(MADE_WITH, formulas="f2"), "formulas (MedAssay 0.1.0, now 0.1.0) or primary metrics"),
    ],
)
def test_a_baseline_of_other_options_or_models_is_refused_until_it_is_allowed(
    made_with: MadeWith, said: str
) -> None:
    now = run(*OLD, made_with=made_with)
    with pytest.raises(UsageError) as refused:
        held({}, now, against=BASE)
    assert str(refused.value) == (
        f"base.json: made with other options or models ({said}), so its scores are not comparable: measure the answers"
        " that it was made of again with --write-baseline, or compare all the same with --allow-other-baseline"
    )
    record = held({}, now, against=BASE, allow_other=True)
    assert record.passed
    assert record.notes == [f"the baseline was made with other options or models: {said}"]


def test_unchanged_answers_need_no_test_however_few_they_are() -> None:
    two = baseline_of(run(*OLD[:2]))
    record = held({}, run(*OLD[:2]), against=two)
    assert [(c.outcome, c.message) for c in record.checks if c.kind == "baseline"] == [
        ("passed", "nugget_coverage of a: answers and scores are those of the baseline")
    ]


def test_a_level_is_kept_lost_or_cannot_be_told() -> None:
    assert levels(*changed([0.7] + [0.8] * 13)) == [
        (
            "passed",
            "passed",
            "nugget_coverage of a fell by 0.007 since the baseline (-0.023 to +0.008, 14 questions);"
            " not worse by 0.05 (p 0.002)",
        )
    ]
    assert levels(*changed([0.6, 0.5] * 7)) == [
        (
            "failed",
            "failed",
            "nugget_coverage of a fell by 0.250 since the baseline (-0.280 to -0.220, 14 questions);"
            " worse by more than 0.05 (p 0.000)",
        )
    ]
    vague = changed([0.4, 1.0] * 7)
    assert levels(*vague) == [
        (
            "insufficient_evidence",
            "insufficient_evidence",
            "nugget_coverage of a fell by 0.100 since the baseline (-0.280 to +0.080, 14 questions);"
            " too little data to tell whether by more than 0.05; about 305 questions would settle it",
        )
    ]
    assert [found[:2] for found in levels(*vague, insufficient="warn")] == [("passed", "warned")]
    assert [found[:2] for found in levels(*vague, margin=0.4)] == [("passed", "passed")]


def test_an_answer_of_the_baseline_that_is_gone_fails() -> None:
    record = held({}, run(*OLD[:11], replace(OLD[11], state="not_answered", answer_key=None)), against=BASE)
    assert (record.verdict, [c.message for c in record.checks if c.kind == "questions"]) == (
        "failed",
        ["3 answers of the baseline are not in this run: q11, a; q12, a; q13, a"],
    )


def test_scores_that_are_gone_are_no_proof() -> None:
    (found,) = levels(*(answer(f"q{n}", coverage=None) for n in range(14)))
    assert found[1:] == (
        "insufficient_evidence",
        "nugget_coverage of a has no value any more where the baseline has one",
    )
    other = held({"baseline": {"metrics": ["safety"]}}, run(*OLD), against=BASE)
    assert [(c.outcome, c.message) for c in other.checks if c.kind == "baseline"] == [
        ("not_applicable", "safety of a: the baseline has no value")
    ]


def test_questions_of_a_case_are_one() -> None:
    cases = [replace(one, unit=f"case {n // 2}") for n, one in enumerate(changed([0.6, 0.5] * 7))]
    record = held({}, run(*cases), against=BASE)
    (check,) = [c for c in record.checks if c.kind == "baseline"]
    # Each case fell by the same: seven differences, of which the least p is 2/128.
    assert (check.outcome, check.n, check.p_adjusted) == ("failed", 14, 0.015625)
