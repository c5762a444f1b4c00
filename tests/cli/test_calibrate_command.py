"""`medassay calibrate`, as a person runs it: what it prints, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from flows.cli import main
from models.settings import Settings
from sql.snapshot import read_results
from sql.warehouse import close_warehouse
from tasks.run import started_run


@pytest.fixture
def judged(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with a finished run whose 200 answers have marks of safety."""
    monkeypatch.setenv("MEDASSAY_HOME", str(home))
    with started_run(home, Settings("d")) as run:
        run.warehouse.append(
            "mart.score",
            [
                {
                    "run_id": run.run_id, "question_id": f"q{n:03d}", "system": system, "profile": "any",
                    "metric": "safety", "numerator": mark, "denominator": 1.0, "value": mark,
                }
                for n in range(100)
                for system, mark in (("a", 50.0 + n % 40), ("b", 40.0 + (7 * n) % 40))
            ],
        )  # fmt: skip
        run.warehouse.execute("update run set state = 'finished', finished_at = now()")
    close_warehouse(home)
    return home


def calibrate(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["calibrate", *(str(argument) for argument in arguments)])


def scores(folder: Path, n_questions: int, **more: Any) -> Path:
    """People find every answer a tenth of its mark and one less."""
    rows = [
        {
            "question_id": f"q{n:03d}", "system": system, "annotator": "ada", "metric": "safety",
            "score": mark / 10 - 1, "role": "tune", **more,
        }
        for n in range(n_questions)
        for system, mark in (("a", 50 + n % 40), ("b", 40 + (7 * n) % 40))
    ]  # fmt: skip
    path = folder / "human_scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_raw_and_corrected_stand_side_by_side_and_are_published(judged: Path, tmp_path: Path) -> None:
    found = calibrate(scores(tmp_path, 40), "--map", "linear", "--json")
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    assert [(row["system"], row["n_answers"], row["n_labels"], row["raw"]) for row in rows] == [
        ("a", 100, 40, pytest.approx(67.5)),
        ("b", 100, 40, pytest.approx(59.1, abs=0.5)),
        (None, 200, 80, pytest.approx(63.3, abs=0.5)),
    ]
    for row in rows:
        truth = row["raw"] / 10 - 1
        assert row["low"] < truth < row["high"]
        assert (row["corrected"], row["error"]) == (pytest.approx(truth, abs=0.1), pytest.approx(0, abs=1e-6))
    (published,) = read_results(judged, "select corrected from calibrations where system is null")
    assert published == {"corrected": rows[-1]["corrected"]}


def test_a_second_calibration_takes_the_place_of_the_first(judged: Path, tmp_path: Path) -> None:
    for kind in ("linear", "isotonic"):
        assert calibrate(scores(tmp_path, 40), "--map", kind).exit_code == 0
    assert read_results(judged, "select distinct map from calibrations") == [{"map": "isotonic"}]


def test_what_is_printed_says_how_far_it_is_off(judged: Path, tmp_path: Path) -> None:
    found = calibrate(scores(tmp_path, 40), "--map", "linear")
    assert "safety: off by 0.00 on questions it was not fitted on (linear)" in found.stdout
    assert "the map removes 100% of the error" in found.stdout


@pytest.mark.parametrize(
    ("more", "n_questions", "said"),
    [
        ({}, 20, "safety: 40 answers have both a mark and a human score, and 50 are needed"),
        ({"role": "test"}, 40, "with a role other than test; name the metric so"),
        ({"metric": "fluency"}, 40, "no score of rubric_score, medical_correctness"),
        ({"score": "good"}, 40, 'human_scores.jsonl:1: score is "good"; give a number'),
        (
            {"system": None},
            40,
            "human_scores.jsonl:1: no system; every row needs question_id, system, metric",
        ),
    ],
)
def test_scores_that_cannot_serve_are_refused_with_what_is_missing(
    judged: Path, tmp_path: Path, more: dict[str, Any], n_questions: int, said: str
) -> None:
    found = calibrate(scores(tmp_path, n_questions, **more))
    assert (found.exit_code, said in found.stderr) == (2, True), found.stderr


def test_without_a_run_or_a_file_there_is_one_clear_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDASSAY_HOME", str(home))
    assert calibrate(scores(tmp_path, 40)).exit_code == 3
    with started_run(home, Settings("d")):
        pass
    close_warehouse(home)
    found = calibrate(tmp_path / "nowhere.csv")
    assert (found.exit_code, found.stderr) == (
        2,
        f"{tmp_path / 'nowhere.csv'}: no such file; check the path\n",
    )
