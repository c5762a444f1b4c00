"""Labelled pairs for training: a row that cannot be used is named, with its place and what to do."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.entailment.training.pairs import LabelledPair, read_set
from medassay.models.entailment.training.run import train
from medassay.models.settings import UsageError

GOOD = {"premise": "Strokes fell.", "hypothesis": "Aspirin lowers stroke.", "label": "neutral", "doc": 7}


def written(folder: Path, *lines: str) -> Path:
    made = folder / "scifact"
    made.mkdir()
    (made / "train.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return made


def test_pairs_are_read_and_an_absent_part_is_empty(tmp_path: Path) -> None:
    folder = written(tmp_path, json.dumps(GOOD), "")
    assert read_set(folder, "train") == [
        LabelledPair("Strokes fell.", "Aspirin lowers stroke.", 1, "scifact", "7")
    ]
    assert read_set(folder, "dev") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "train.jsonl, line 2: no JSON object can be read there"),
        ("[1]", "train.jsonl, line 2: no JSON object can be read there (not an object); mend or remove it"),
        (json.dumps(GOOD | {"label": "supports"}), "pair 2: label 'supports' is none of entailment, neutral"),
        (json.dumps(GOOD | {"premise": " "}), "pair 2: `premise` has no text"),
        (json.dumps({"premise": "Strokes fell.", "label": "neutral"}), "pair 2: `hypothesis` has no text"),
    ],
)
def test_a_bad_row_is_named_by_file_and_place(tmp_path: Path, line: str, said: str) -> None:
    folder = written(tmp_path, json.dumps(GOOD), line)
    with pytest.raises(UsageError) as refused:
        read_set(folder, "train")
    assert said in str(refused.value)


def test_a_file_that_was_cut_off_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl.gz").write_bytes(gzip.compress(json.dumps(GOOD).encode() * 50)[:-20])
    with pytest.raises(UsageError, match=r"train\.jsonl\.gz, line 1: no JSON object can be read there"):
        read_set(tmp_path, "train")


TINY = {"layers": 2, "first_layer": 1, "rank": 2, "head_width": 4}


def test_training_without_abstracts_says_what_they_look_like(base_folder: Path, tmp_path: Path) -> None:
    written(tmp_path, json.dumps(GOOD))
    with pytest.raises(UsageError, match="no abstracts; JSON lines with title and sentences, or with text"):
        train(base_folder, tmp_path, tmp_path, tmp_path / "out", settings=TINY)
    assert not (tmp_path / "out").exists()


def test_training_without_pairs_says_where_they_belong(base_folder: Path, tmp_path: Path) -> None:
    abstract = {"id": "1", "title": "Aspirin", "sentences": ["We asked.", "Strokes fell.", "It helps."]}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(abstract), "utf-8")
    with pytest.raises(UsageError, match="no labelled pairs; a folder with train.jsonl"):
        train(base_folder, tmp_path, tmp_path, tmp_path / "out", settings=TINY)
