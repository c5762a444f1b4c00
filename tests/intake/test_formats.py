"""One list of formats: a row in it is all that reading, messages and names of data sets need."""

from pathlib import Path

import pytest

from medassay.models.intake import RawRow, formats, read_rows
from medassay.models.intake.formats import FORMATS, Format, advised
from medassay.models.intake.rows import IntakeError, Place
from medassay.tasks.run import dataset_name

ENDINGS = [
    ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".xlsm", ".xls", ".ods",
    ".eval", ".nbib", ".ris", ".bib", ".pdf", ".txt", ".md",
]  # fmt: skip


def test_every_ending_is_known_once():
    assert [end for form in FORMATS for end in form.endings] == ENDINGS


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("more", ["", ".gz"])
def test_a_data_set_is_named_by_its_file_without_endings(tmp_path, ending, more):
    assert dataset_name(str(tmp_path / f"Answers v1.2{ending}{more}"), None) == "Answers v1.2"
    assert dataset_name(str(tmp_path / f"answers{ending.upper()}{more.upper()}"), None) == "answers"


@pytest.mark.parametrize(
    ("name", "dataset"),
    [
        ("answers", "answers"),
        ("answers.2026", "answers.2026"),
        (".jsonl", ".jsonl"),
        ("answers.gz", "answers"),
    ],
)
def test_a_data_set_of_another_name(tmp_path, name, dataset):
    assert dataset_name(str(tmp_path / name), None) == dataset


def test_a_folder_keeps_its_whole_name(tmp_path):
    folder = tmp_path / "answers.csv"
    folder.mkdir()
    assert dataset_name(str(folder), None) == "answers.csv"


def test_one_row_makes_a_format_known(tmp_path, monkeypatch):
    def words(path: Path):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            yield RawRow(str(path), Place(number), {"answer": line})

    path = tmp_path / "answers.words"
    path.write_text("Aspirin helps.\n", encoding="utf-8")
    with pytest.raises(IntakeError, match="not a form that is read"):
        list(read_rows(path))

    words_format = Format("words", (".words",), words, is_packed=False, is_advised=True)
    monkeypatch.setattr(formats, "FORMATS", (*FORMATS, words_format))
    assert [row.value for row in read_rows(path)] == [{"answer": "Aspirin helps."}]
    assert dataset_name(str(path), None) == "answers"
    assert advised() == ".jsonl, .ndjson, .json, .csv, .tsv, .parquet, plain or .gz, or .xlsx, .words"
