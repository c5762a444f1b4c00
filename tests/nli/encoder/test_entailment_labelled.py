"""Labelled pairs for training: a row that cannot be used is named, with its place and what to do."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.nli.encoder.training.material import MOST_CHARACTERS, gather, recipe_pairs
from medassay.models.nli.encoder.training.pairs import LabelledPair, read_set
from medassay.models.nli.encoder.training.written import written_items, written_pairs
from medassay.models.nli.language_model.training.sets import LabelledSet
from medassay.models.usage import UsageError

GOOD = {"premise": "Strokes fell.", "hypothesis": "Aspirin lowers stroke.", "label": "neutral", "doc": 7}


def written(folder: Path, *lines: str) -> Path:
    made = folder / "scifact"
    made.mkdir()
    (made / "train.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return made


def test_pairs_are_read_and_an_absent_part_is_empty(tmp_path: Path) -> None:
    folder = written(tmp_path, json.dumps(GOOD), "")
    assert read_set(folder, "train") == [
        LabelledPair("Strokes fell.", "Aspirin lowers stroke.", (0.0, 1.0, 0.0), "scifact", "7")
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


def test_a_teachers_word_is_three_probabilities_and_not_entailed_is_none(tmp_path: Path) -> None:
    rows = [GOOD | {"shares": [0.2, 0.1, 0.7]}, GOOD | {"label": "not_entailment"}]
    taught, refused = read_set(written(tmp_path, *map(json.dumps, rows)), "train")
    assert (taught.shares, taught.label) == ((0.2, 0.1, 0.7), 2)
    assert (refused.shares, refused.label) == (None, None)
    (tmp_path / "scifact" / "dev.jsonl").write_text(json.dumps(GOOD | {"shares": [1]}), "utf-8")
    with pytest.raises(UsageError, match="pair 1: `shares` are not three probabilities"):
        read_set(tmp_path / "scifact", "dev")


def test_parts_of_a_set_are_found_in_folders_and_by_their_names(tmp_path: Path) -> None:
    written(tmp_path, json.dumps(GOOD))
    (tmp_path / "healthver_train.jsonl").write_text(json.dumps(GOOD), "utf-8")
    (tmp_path / "healthver_dev.jsonl").write_text(json.dumps(GOOD), "utf-8")
    train, dev = gather([tmp_path], 1, without=["written"])
    assert sorted(pair.source for pair in train) == ["healthver", "scifact"]
    assert [pair.source for pair in dev["healthver"]] == ["healthver"]


def test_no_pairs_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no labelled pairs; NAME/train\.jsonl"):
        gather([tmp_path], 1)


def test_written_pairs_have_all_three_labels_and_the_same_words_serve_each() -> None:
    pairs = written_pairs(1)
    assert {pair.label for pair in pairs} == {0, 1, 2}
    nugget = written_items()[0]["nugget"]
    assert {pair.label for pair in pairs if pair.hypothesis == nugget} == {0, 1, 2}


def test_what_the_readers_recipe_makes_by_rule_is_learnt_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sets of pairs and the written statements come from elsewhere; a long page is read near the claim."""
    page = "Weather is fine today. " * 200 + "Aspirin lowers fever in adults. " + "Trains run late. " * 100
    claims = [
        {"claim": "Aspirin lowers fever in adults.", "support": said, "evidence": [{"text": page}]}
        for said in ("Complete", "Partial")
    ]
    (tmp_path / "c.jsonl").write_text(json.dumps({"question_id": "q", "claims": claims}), "utf-8")
    recipe = (
        LabelledSet(name="cited", files=("c.jsonl",), licence=None, form="cited_claims"),
        LabelledSet(name="pairs", files=("absent.jsonl",), licence=None),
        LabelledSet(name="written", files=(), licence=None, form="written"),
    )
    monkeypatch.setattr("medassay.models.nli.language_model.training.sets.read_recipe", lambda: recipe)
    complete, partial = recipe_pairs(tmp_path, 1)
    assert (complete.source, complete.shares, partial.shares) == ("cited", (1.0, 0.0, 0.0), None)
    assert len(complete.premise) <= MOST_CHARACTERS < len(page)
    assert "Aspirin lowers fever" in complete.premise
