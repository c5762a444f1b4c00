"""A file of human scores as people have it: what is read, what is left out and said, what is refused in one line."""

from pathlib import Path
from typing import Any

import pytest

from medassay.models.people.scales import Scale
from medassay.tasks.judging.human_labels import Labels, read_labels
from medassay.tasks.judging.label_rows import unmatched
from medassay.tasks.run import BadData
from tests.rows import write_rows

NEEDS = "every row needs question_id, system, metric, score"
MARKS = "rubric_score, medical_correctness, evidence_sufficiency, response_alignment, safety"


def label(n: int, **changes: Any) -> dict[str, Any]:
    row = {"question_id": f"q{n}", "system": "a", "metric": "safety", "score": 1 + n % 5, "annotator": "ada"}
    return {name: value for name, value in (row | changes).items() if value is not None}


def read(folder: Path, *rows: dict[str, Any], scale: Scale | None = None) -> Labels:
    return read_labels(write_rows(folder / "hs.jsonl", rows), scale)


def refused(folder: Path, *rows: dict[str, Any]) -> str:
    with pytest.raises(BadData) as error:
        read(folder, *rows)
    return str(error.value).replace(str(folder / "hs.jsonl"), "hs.jsonl")


def csv(folder: Path, *lines: str) -> Path:
    path = folder / "hs.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_columns_are_named_as_evaluate_reads_them(tmp_path: Path) -> None:
    found = read_labels(csv(tmp_path, "ID,model,Metric,score,rater", "1,gpt,Safety,4.5,ada"))
    (one,) = found.kept
    assert (one.answer, one.metric, one.annotator, one.score) == (("1", "gpt"), "safety", "ada", 4.5)
    assert found.notes == ()
    assert read(tmp_path, label(1, question_id=0)).kept[0].answer == ("0", "a")
    assert read(tmp_path, label(1, metric=" Safety")).kept[0].metric == "safety"


def test_the_first_of_an_annotators_scores_holds_and_several_annotators_are_averaged(tmp_path: Path) -> None:
    again, other = label(1, score=5), label(1, annotator="bo", score=4)
    found = read(tmp_path, label(1), again, other)
    assert [one.score for one in found.of("safety")["q1", "a"]] == [2, 4]
    assert found.notes == (
        "1 row not used: the annotator had scored the answer before, and the first score holds; the first such is"
        f' question_id "q1", system "a" ({tmp_path / "hs.jsonl"}:2) by ada',
    )
    nobody = read(tmp_path, label(1, annotator=None), label(1, annotator=None, score=4))
    assert [one.score for one in nobody.kept] == [2, 4]
    assert nobody.notes == ("1 answer with several scores and no annotator: averaged as different people's",)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score": "90%"}, 'score is "90%"; write the number alone: 90'),
        (
            {"score": 10**400},
            f"score is 1{'0' * 39}…; give a number, or leave the row out where nobody scored",
        ),
        ({"score": True}, "score is true; give a number: true and false are none"),
        ({"score": None}, "no score; give a number, or leave the row out where nobody scored"),
        ({"role": "holdout"}, 'role is "holdout"; write tune, test, or leave it empty (tune)'),
        ({"target": "reply"}, 'target is "reply"; write answer, evaluation, nugget'),
        ({"system": None}, f"no system; {NEEDS}"),
        ({"question_id": ["q"]}, 'question_id is ["q"]; write it as text or a number'),
    ],
)
def test_a_fault_is_one_line_however_many_rows_have_it(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    faulty = [label(n, **changes) for n in range(3)]
    assert refused(tmp_path, label(9), *faulty) == f"hs.jsonl:2: {said} (the first of 3 such rows)"
    assert refused(tmp_path, label(9), faulty[0]) == f"hs.jsonl:2: {said}"


def test_rows_of_no_use_are_named_with_the_reason(tmp_path: Path) -> None:
    others = [label(1, target="evaluation", judge="j"), label(2, metric="overall"), label(3, role="test")]
    found = read(tmp_path, *others, label(4))
    assert [one.question_id for one in found.kept] == ["q4"]
    notes = (
        "1 row of target evaluation not used: only scores of the answer itself are",
        f'1 row of metric "overall" not used: marks are of {MARKS}, and are held against scores of the same name',
        "1 row of role test not used: `agree` measures on them",
    )
    assert found.notes == notes
    lines = [f"hs.jsonl: {line}" for line in (*notes, "so there is no score to fit a map to")]
    assert refused(tmp_path, *others) == "\n".join(lines)


def test_a_score_that_is_on_no_scale_of_the_others_is_refused(tmp_path: Path) -> None:
    sound = [label(n) for n in range(40)]
    assert refused(tmp_path, *sound, label(99, score=9999)) == (
        "hs.jsonl:41: safety is 9999, and the other scores lie on 1 to 5; correct it, or name what people could give"
        " with --scale LOW HIGH"
    )
    assert len(read(tmp_path, *sound, label(99, score=9999), scale=Scale(0, 10_000)).kept) == 41
    with pytest.raises(BadData, match="hs.jsonl:41: safety is 45, and people could give 0 to 10"):
        read(tmp_path, *sound, label(99, score=45), scale=Scale(0, 10))
    assert refused(tmp_path, *(label(n, score=100 * n) for n in range(40))) == (
        "hs.jsonl:40: safety is 3900, and no scale up to 100 holds it; correct it, or name what people could give"
        " with --scale LOW HIGH (the first of 40 such rows)"
    )


def test_a_code_for_no_score_is_refused_too(tmp_path: Path) -> None:
    """As a score it would make the scale one of -5 to 5, and pull the map down."""
    sound = [label(n) for n in range(40)]
    codes = [label(n, score=-1) for n in range(40, 45)]
    assert refused(tmp_path, *sound, *codes) == (
        "hs.jsonl:41: safety is -1, and the other scores lie on 1 to 5; correct it, or name what people could give with"
        " --scale LOW HIGH (the first of 5 such rows)"
    )
    assert len(read(tmp_path, *sound, *codes, scale=Scale(-5, 5)).kept) == 45


def test_an_id_that_a_spreadsheet_made_a_decimal_is_shown_as_the_run_writes_it(tmp_path: Path) -> None:
    labels = read_labels(csv(tmp_path, "question_id,system,metric,score", "1.0,a,safety,4", "2,a,safety,4"))
    marks = [
        {"question_id": name, "system": "a", "value": value} for name, value in (("1", 50.0), ("2", None))
    ]
    place = tmp_path / "hs.csv"
    assert unmatched("safety", "r", marks, labels.of("safety")) == [
        f'safety: 1 of 2 scored answers are not in run r, such as question_id "1.0", system "a" ({place}:2);'
        ' write question_id "1", as the run does',
        f'safety: 1 of 2 scored answers have no mark in run r, such as question_id "2", system "a" ({place}:3)',
    ]
