"""Data that would leave every main metric empty, and headings that a person names, at the command."""

from pathlib import Path

import pytest

from medassay.flows.commands.run_flow import refuse_nothing_to_measure, run_flow
from medassay.models.intake import IntakeError
from medassay.models.settings import Settings


def settings(path: Path, *columns: str) -> Settings:
    return Settings(str(path), judge="none", columns=columns)


def test_a_sheet_that_would_leave_every_metric_empty_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("question,verdict of the panel,answer\nIs it?,It is.,Yes.\n")
    with pytest.raises(IntakeError) as error:
        refuse_nothing_to_measure(settings(path))
    assert "every main metric would be empty" in str(error.value)
    assert '--column reference_answer="…"' in str(error.value)
    refuse_nothing_to_measure(settings(path, "reference_answer=Verdict of the panel"))


def test_a_refusal_names_the_heading_that_is_in_doubt(tmp_path: Path) -> None:
    path = tmp_path / "frame.csv"
    path.write_text("input,output,reference\nIs it?,Yes.,It is.\n")
    with pytest.raises(IntakeError, match=r"\(--column contexts=reference\) is not read: reference"):
        refuse_nothing_to_measure(settings(path))


@pytest.mark.parametrize(
    "row",
    [
        '{"question": "Is it?", "answer": "Yes [1].", "references": [{"pmid": "1"}]}',
        '{"question": "Is it?", "answer": "Yes (PMID: 1)."}',
        '{"question": "Is it?", "answer": "Yes.", "nuggets": ["It is."]}',
        '{"question": "Is it?"}',
    ],
)
def test_what_can_be_measured_or_asked_is_not_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(row + "\n")
    refuse_nothing_to_measure(settings(path))


@pytest.mark.parametrize("text", ["question,question,answer\na,b,c\n", 'question,answer\na,"never closed\n'])
def test_a_file_that_cannot_be_read_is_refused_before_prefect_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "sheet.csv").write_text(text)
    monkeypatch.setenv("MEDASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("medassay.flows.engine.prepare_prefect", lambda: pytest.fail("Prefect was started"))
    with pytest.raises(IntakeError):
        run_flow("evaluate", False, False, tmp_path / "sheet.csv", {"judge": "http://127.0.0.1:9/v1#m"})
    assert "Prefect" not in capsys.readouterr().err
