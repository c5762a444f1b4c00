"""A file of pairs in, verdicts and what was left out back; a model that stands in for another is never silent."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.records import PairVerdict
from medassay.models.usage import UsageError
from medassay.models.weights import ModelMissing, ensure
from medassay.tasks.nli.pairs import entail_file
from medassay.tasks.run import BadData
from tests.rows import write_rows


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        ensure("all-mpnet-base-v2")
    except ModelMissing:
        pytest.skip("all-mpnet-base-v2 is not pulled: medassay models pull all-mpnet-base-v2")
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


@pytest.mark.usefixtures("offline")
def test_verdicts_are_a_line_a_pair_and_a_substitute_is_named(tmp_path: Path) -> None:
    rows = [
        {
            "id": "1",
            "premise": "Metformin lowers blood glucose.",
            "hypothesis": "Metformin lowers glucose in blood.",
        },
        {"id": "2", "premise": "", "hypothesis": "Metformin lowers glucose."},
        {"id": "3", "premise": "Metformin lowers blood glucose."},
    ]
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    write_rows(pairs, rows)
    said = list(entail_file(pairs, out, "hf:nobody/nothing"))
    assert said[0] == "nobody/nothing is not on this machine: huggingface.co is asked for it"
    assert said[1].startswith("entailment model 'nobody/nothing' cannot be loaded")
    assert said[-4:] == [
        "the general model FacebookAI/roberta-large-mnli is not on this machine either",
        "nobody/nothing is replaced by the embedded model",
        f"{pairs}:3: hypothesis missing or not text; left out",
        f"{out}: 2 pairs, 1 entailment, 1 without a verdict; 1 row left out",
    ]
    first, second = map(json.loads, out.read_text("utf-8").splitlines())
    assert (first["id"], first["label"]) == ("1", "entailment")
    assert sum(first[name] for name in ("entailment", "neutral", "contradiction")) == pytest.approx(
        1, abs=1e-5
    )
    assert second == {
        "id": "2", "label": None, "entailment": None, "neutral": None, "contradiction": None,
        "reason": "the passage is empty",
    }  # fmt: skip


class Agreeing:
    """Finds every claim entailed, as far as it gets texts."""

    def score(self, pairs: list[tuple[str, str]], _: object) -> list[PairVerdict]:
        assert all(isinstance(text, str) for pair in pairs for text in pair)
        return [PairVerdict(0.8, 0.1, 0.1) for _ in pairs]


@pytest.fixture
def agreeing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medassay.models.nli.load_entailment", lambda *_, **__: Agreeing())


def ids(out: Path) -> list[Any]:
    return [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()]


PAIR = {"premise": "Rest helps.", "hypothesis": "Rest helps."}


@pytest.mark.usefixtures("agreeing")
def test_a_row_that_no_model_can_read_leaves_the_others_alone(tmp_path: Path) -> None:
    whole = PAIR | {"id": 7}
    broken = [{"premise": 5}, {"hypothesis": True}, {"id": True}]
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    write_rows(pairs, [whole | change for change in (*broken, {})])
    assert [line.partition(": ")[2] for line in entail_file(pairs, out, "embedded")] == [
        "premise missing or not text; left out",
        "hypothesis missing or not text; left out",
        "id missing or not text; left out",
        "1 pair, 1 entailment; 3 rows left out",
    ]
    assert ids(out) == [7]


@pytest.mark.usefixtures("agreeing")
def test_an_id_that_is_taken_gets_no_second_line(tmp_path: Path) -> None:
    rows = [{"id": "a"}, {"id": 7}, {"id": "b", "premise": 5}, {"id": "a"}, {"id": "b"}, {"id": "7"}]
    mend = "keep one of the rows, or give each its own id; left out"
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    write_rows(pairs, [PAIR | row for row in rows])
    assert list(entail_file(pairs, out, "embedded")) == [
        f"{pairs}:3: premise missing or not text; left out",
        f"{pairs}:4: id is repeated: a was read before, at {pairs}:1; {mend}",
        f"{pairs}:6: id is repeated: 7 was read before, at {pairs}:2; {mend}",
        f"{out}: 3 pairs, 3 entailment; 3 rows left out",
    ]
    assert ids(out) == ["a", 7, "b"]

    one_line = json.dumps([PAIR | {"id": "a"}] * 2)
    pairs.rename(tmp_path / "pairs.json").write_text(one_line, "utf-8")
    said, _ = entail_file(tmp_path / "pairs.json", out, "embedded")
    assert said.startswith(f"{tmp_path / 'pairs.json'}:1, item 2: id is repeated: a was read before, at ")


@pytest.mark.parametrize("model", ["none", "hf:", "http://127.0.0.1:9#m"])
def test_a_model_that_reads_no_pairs_is_refused_before_anything_is_loaded(tmp_path: Path, model: str) -> None:
    with pytest.raises(
        UsageError, match="reads no pairs by itself: name encoder, llm, cascade or hf:<id or folder>"
    ):
        list(entail_file(tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl", model))


@pytest.mark.usefixtures("agreeing")
@pytest.mark.parametrize("other", ["away/../pairs.jsonl", "linked.jsonl", "hard.jsonl"])
def test_verdicts_never_take_the_place_of_the_pairs(tmp_path: Path, other: str) -> None:
    pairs, text = tmp_path / "pairs.jsonl", '{"id": 1, "premise": "Rest helps.", "hypothesis": "It helps."}\n'
    pairs.write_text(text, "utf-8")
    (tmp_path / "away").mkdir()
    (tmp_path / "linked.jsonl").symlink_to(pairs)
    (tmp_path / "hard.jsonl").hardlink_to(pairs)
    with pytest.raises(UsageError, match="would take the place of the pairs; name another file with --out"):
        list(entail_file(pairs, tmp_path / other, "embedded"))
    assert pairs.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("hf", "--out {out} is a folder; name the file in it that the verdicts go to"),
        ("gone/v.jsonl", "--out {out}: there is no folder {out.parent}; make it, or name another file"),
        ("pairs.jsonl/v", "--out {out}: there is no folder {out.parent}; make it, or name another file"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_before_a_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, said: str
) -> None:
    def no_model(*_: object, **__: object) -> object:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("medassay.models.nli.load_entailment", no_model)
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": 1, "premise": "Rest helps.", "hypothesis": "It helps."}\n', "utf-8")
    (tmp_path / "hf").mkdir()
    with pytest.raises(UsageError) as refused:
        list(entail_file(pairs, tmp_path / out, "embedded"))
    assert str(refused.value) == said.format(out=tmp_path / out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hf", "pairs.jsonl"]


def test_verdicts_that_come_to_an_end_halfway_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Agreeing):
        def score(self, pairs: list[tuple[str, str]], _: object) -> list[PairVerdict]:
            raise MemoryError("no room")

    monkeypatch.setattr("medassay.models.nli.load_entailment", lambda *_, **__: Failing())
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": 1, "premise": "Rest helps.", "hypothesis": "It helps."}\n', "utf-8")
    with pytest.raises(MemoryError):
        list(entail_file(pairs, tmp_path / "verdicts.jsonl", "embedded"))
    assert list(tmp_path.iterdir()) == [pairs]


@pytest.mark.usefixtures("offline")
def test_a_file_without_pairs_is_said_to_have_none(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    pairs.write_text("[]\n", "utf-8")
    with pytest.raises(BadData, match="no pair in it"):
        list(entail_file(pairs, out, "embedded"))
    assert list(tmp_path.iterdir()) == [pairs]


@pytest.mark.usefixtures("agreeing")
def test_a_pair_without_an_id_goes_by_its_number(tmp_path: Path) -> None:
    rows = [PAIR, PAIR | {"id": "b"}, PAIR | {"id": None}, PAIR | {"id": ""}]
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    write_rows(pairs, rows)
    assert list(entail_file(pairs, out, "embedded")) == [f"{out}: 4 pairs, 4 entailment"]
    assert ids(out) == ["#1", "b", "#3", "#4"]

    table = tmp_path / "pairs.csv"
    table.write_text("premise,hypothesis\nRest helps.,Rest helps.\nIt rains.,It rains.\n", "utf-8")
    assert list(entail_file(table, out, "embedded")) == [f"{out}: 2 pairs, 2 entailment"]
    assert ids(out) == ["#1", "#2"]

    pairs.rename(tmp_path / "pairs.json").write_text(json.dumps([PAIR, PAIR]), "utf-8")
    assert list(entail_file(tmp_path / "pairs.json", out, "embedded")) == [f"{out}: 2 pairs, 2 entailment"]
    assert ids(out) == ["#1", "#2"]
