"""`medassay calibrate`, as a person runs it: what it prints, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.models.settings import Settings
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.run import started_run
from tests.rows import write_rows


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


def calibrate(*arguments: str | Path | float) -> Result:
    return CliRunner().invoke(main, ["calibrate", *(str(argument) for argument in arguments)])


def rows_of(n_questions: int) -> list[dict[str, Any]]:
    """People find every answer a tenth of its mark and one less."""
    return [
        {
            "question_id": f"q{n:03d}", "system": system, "annotator": "ada", "metric": "safety",
            "score": mark / 10 - 1, "role": "tune",
        }
        for n in range(n_questions)
        for system, mark in (("a", 50 + n % 40), ("b", 40 + (7 * n) % 40))
    ]  # fmt: skip


def write(folder: Path, rows: list[dict[str, Any]]) -> Path:
    return write_rows(folder / "human_scores.jsonl", rows)


def scores(folder: Path, n_questions: int, **more: Any) -> Path:
    return write(folder, [row | more for row in rows_of(n_questions)])


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


def test_what_is_printed_says_how_far_it_is_off(judged: Path, tmp_path: Path) -> None:
    found = calibrate(scores(tmp_path, 40), "--map", "linear")
    assert "safety: off by 0.00 on questions it was not fitted on (linear)" in found.stdout
    assert "the map removes 100% of the squared error" in found.stdout


def test_without_labels_of_a_system_there_is_no_mean_of_all(judged: Path, tmp_path: Path) -> None:
    only_a = [row for row in rows_of(60) if row["system"] == "a"]
    found = calibrate(write(tmp_path, only_a), "--json")
    told = {row["system"]: row for row in json.loads(found.stdout)}
    assert told["a"]["low"] < told["a"]["raw"] / 10 - 1 < told["a"]["high"]
    assert (told["b"]["corrected"], told[None]["corrected"], told[None]["low"]) == (None, None, None)
    assert told[None]["reason"] == (
        "no mean of all systems: b has 0 labelled questions, and each system needs 20"
    )
    printed = calibrate(write(tmp_path, only_a)).stdout
    assert "  safety, b: 0 labelled questions are too few to correct predictions\n" in printed
    assert f"  safety, all systems: {told[None]['reason']}\n" in printed


def test_an_answer_that_one_row_tests_is_left_out_whole(judged: Path, tmp_path: Path) -> None:
    tested = [row | {"role": "test", "annotator": "bo", "metric": "fluency"} for row in rows_of(2)]
    found = json.loads(calibrate(write(tmp_path, rows_of(40) + tested), "--json").stdout)
    assert found[-1]["n_labels"] == 76
    path = tmp_path / "human_scores.jsonl"
    assert found[-1]["notes"] == [
        '4 rows of metric "fluency" not used: marks are of rubric_score, medical_correctness, evidence_sufficiency,'
        " response_alignment, safety, and are held against scores of the same name",
        "4 rows not used: their answers are of role test in other rows; the first is"
        f' question_id "q000", system "a" ({path}:1)',
    ]


def test_too_few_questions_and_a_useless_map_are_named_as_what_they_are(judged: Path, tmp_path: Path) -> None:
    same = calibrate(scores(tmp_path, 40, score=3))
    assert (
        "0.00 by always giving the mean; no telling whether the map is better than that: every human score is the same"
    ) in same.stdout
    (stored,) = read_results(judged, "select reason, map_reason from calibrations where system = 'a'")
    assert stored == {
        "reason": "every label is the same, so no prediction can add to them: their mean alone",
        "map_reason": "every human score is the same",
    }
    noise = [row | {"score": (n * 7919) % 5 + 1} for n, row in enumerate(rows_of(40))]
    assert "the map is worse than that, its squared error" in calibrate(write(tmp_path, noise)).stdout


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
