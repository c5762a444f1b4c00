"""`medassay train reader` on a tiny random Qwen2 and sets written here, from the files to the reader's verdicts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from medassay.flows.commands.training import train
from medassay.models.nli.encoder.training.pairs import read_rows
from medassay.models.nli.language_model.adapter import file_digest, read_adapter
from medassay.models.nli.language_model.bases import UnfitBase
from medassay.models.nli.language_model.merging import merge
from medassay.models.nli.language_model.reader import LanguageModelReader, describe_reader, load_reader
from medassay.models.nli.language_model.training import loop
from medassay.models.nli.language_model.training.loop import (
    Encoded,
    TrainingFailed,
    TrainingSettings,
    batches,
    schedule,
)
from medassay.models.nli.language_model.training.run import Plan, leave_out_each, train_reader
from medassay.models.nli.language_model.training.sets import LABELS, LabelledSet, drawn, read_recipe, read_set
from medassay.models.usage import UsageError

# What is learnt: the statement's first word decides.
SAYS, OTHERWISE, NEITHER = ("Yes, rest helps.", "No, rest harms.", "Ice is cold.")
ROWS = [
    {"premise": passage, "hypothesis": statement, "label": label}
    for passage in ("Rest helps.", "Rest is good.", "One rests.", "Sleep.")
    for statement, label in ((SAYS, "entailment"), (OTHERWISE, "contradiction"), (NEITHER, "neutral"))
]
TWO_WAY = [{**row, "label": "not_entailment"} if row["label"] != "entailment" else row for row in ROWS]
RECIPE = [
    {"name": "three", "files": ["three.jsonl"], "licence": "MIT", "times": 2},
    {"name": "two", "files": ["two.jsonl"], "licence": None},
]
PACE = TrainingSettings(epochs=40, rate=2e-2, tokens_a_step=1_500, tokens_at_once=800)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    for name, rows in (("three", ROWS), ("two", TWO_WAY)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "recipe.json").write_text(json.dumps(RECIPE), "utf-8")
    return folder


@pytest.fixture(scope="module")
def plan(data: Path) -> Plan:
    return Plan(read_recipe(data / "recipe.json"), rank=4, dtype="float32", pace=PACE)


@pytest.fixture(scope="module")
def trained(gguf_file: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "out"
    arguments = (
        f"reader {data} --base {gguf_file} --recipe {data / 'recipe.json'} --out {out} --rank 4 --dtype float32"
        " --epochs 40 --learning-rate 2e-2 --tokens-a-step 1500 --tokens-at-once 800 --leave-out two"
    )
    result = CliRunner().invoke(train, arguments.split(), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "two, left out: macro-F1 1.000 of 12 pairs" in result.output
    assert "step 80 of 80, loss " in result.output
    return out


def letters(reader: LanguageModelReader) -> str:
    verdicts = reader.score([(row["premise"], row["hypothesis"]) for row in ROWS])
    shares = [(v.entailment, v.contradiction, v.neutral) for v in verdicts]
    return "".join("ABC"[max(range(3), key=lambda i, share=share: share[i])] for share in shares)


@pytest.mark.parametrize("adapter", ["adapter.gguf", "adapter.safetensors"])
def test_what_was_trained_changes_the_verdicts_as_trained(
    trained: Path, gguf_file: Path, adapter: str, tmp_path: Path
) -> None:
    merge(gguf_file, trained / adapter, tmp_path / "merged")
    assert letters(LanguageModelReader(tmp_path / "merged", arithmetic="float32")) == "ABC" * 4
    merge(gguf_file, None, tmp_path / "base")
    assert letters(LanguageModelReader(tmp_path / "base", arithmetic="float32")) != "ABC" * 4


def test_the_card_says_what_was_seen_and_how_good_it_is_on_what_was_not(
    trained: Path, gguf_file: Path, data: Path
) -> None:
    card = json.loads((trained / "card.json").read_text("utf-8"))
    assert card["base"] == {"name": "tiny.gguf", "sha256": file_digest(gguf_file)}
    assert card["adapter_sha256"]["adapter.gguf"] == file_digest(trained / "adapter.gguf")
    told = [
        (one["name"], one["licence"], one["n_rows"], one["n_trained"], one["why_not"]) for one in card["sets"]
    ]
    assert told == [("three", "MIT", 12, 12, None), ("two", None, 12, 0, "left out")]
    assert card["sets"][0]["files"] == {"three.jsonl": file_digest(data / "three.jsonl")}
    assert card["left_out"]["two"] == {
        "macro_f1": 1.0, "accuracy": 1.0, "labels": ["entailment", "not_entailment"],
        "n_measured": 12, "n_rows": 12, "measured_with": "this adapter",
    }  # fmt: skip
    how = card["training"]
    assert (how["rank"], how["alpha"], how["epochs"], how["seed"], how["n_steps"]) == (4, 8.0, 40, 1, 80)
    assert how["last_loss"] < 0.2 < how["first_loss"]
    text = (trained / "card.md").read_text("utf-8")
    assert "| three | MIT | 12 | 12 | 2 |\n| two | none stated | 12 | 0 | left out |" in text
    assert "| two | 1.000 | 1.000 | 12 | 12 | this adapter |\n| mean | 1.000 |" in text
    assert sorted(path.name for path in trained.iterdir()) == [
        "adapter.gguf", "adapter.safetensors", "card.json", "card.md",
    ]  # fmt: skip


def test_the_reader_in_use_is_the_one_that_is_named(
    trained: Path, gguf_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = describe_reader()
    monkeypatch.setenv("MEDASSAY_READER_ADAPTER", str(trained / "adapter.gguf"))
    monkeypatch.setenv("MEDASSAY_READER_BASE", str(gguf_file))
    reader = load_reader(tmp_path, arithmetic="float32")
    assert letters(reader) == "ABC" * 4
    described = describe_reader()
    assert described["adapter_sha256"] == file_digest(trained / "adapter.gguf") != packaged["adapter_sha256"]
    assert described["base_sha256"] == reader.fingerprint["base_sha256"] == file_digest(gguf_file)
    monkeypatch.setenv("MEDASSAY_READER_ADAPTER", str(tmp_path / "none.gguf"))
    with pytest.raises(UsageError, match="which is no file"):
        describe_reader()


def test_a_folder_of_transformers_is_a_base_too(
    model_folder: Path, data: Path, plan: Plan, tmp_path: Path
) -> None:
    card = train_reader(model_folder, data, tmp_path / "out", plan)
    assert card["training"]["last_loss"] < 0.3
    merge(model_folder, tmp_path / "out/adapter.safetensors", tmp_path / "merged")
    assert letters(LanguageModelReader(tmp_path / "merged", arithmetic="float32")) == "ABC" * 4


def test_a_base_of_another_shape_is_refused(
    trained: Path, gguf_file: Path, model_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', "utf-8")
    with pytest.raises(UnfitBase, match="a model of the kind llama; only qwen2 is read"):
        merge(tmp_path, None, tmp_path / "merged")
    with pytest.raises(UnfitBase, match="name a GGUF file, or the folder"):
        merge(tmp_path / "config.json", None, tmp_path / "merged")
    from safetensors.torch import load_file, save_file

    wide = {
        name: held for name, held in load_file(trained / "adapter.safetensors").items() if "blk.1" in name
    }
    save_file(
        {name.replace("blk.1", "blk.2"): held for name, held in wide.items()}, tmp_path / "deep.safetensors"
    )
    with pytest.raises(UnfitBase, match="it has more layers"):
        merge(gguf_file, tmp_path / "deep.safetensors", tmp_path / "deep")


class Stopped(Exception):
    pass


def test_a_training_that_was_stopped_goes_on_to_the_same_adapter(
    gguf_file: Path, data: Path, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(plan, pace=replace(PACE, epochs=4))
    whole = train_reader(gguf_file, data, tmp_path / "whole", short)
    kept = loop._keep

    def keep_and_stop(*held: Any) -> None:
        kept(*held)
        if held[4] == 5:
            raise Stopped

    monkeypatch.setattr(loop, "_keep", keep_and_stop)
    said: list[str] = []
    often = replace(short, pace=replace(short.pace, checkpoint_s=0))
    with pytest.raises(Stopped):
        train_reader(gguf_file, data, tmp_path / "stopped", often)
    monkeypatch.setattr(loop, "_keep", kept)
    other = replace(short, pace=replace(short.pace, seed=2))
    with pytest.raises(UsageError, match="of a training with other data or settings"):
        train_reader(gguf_file, data, tmp_path / "stopped", other)
    card = train_reader(gguf_file, data, tmp_path / "stopped", short, said.append)
    n_steps = card["training"]["n_steps"]
    assert f"goes on after step 5 of {n_steps}" in said and n_steps > 8
    assert card["adapter_sha256"] == whole["adapter_sha256"]
    with pytest.raises(UsageError, match="holds an adapter of other data or settings"):
        train_reader(gguf_file, data, tmp_path / "stopped", other)
    said.clear()
    assert train_reader(gguf_file, data, tmp_path / "stopped", short, said.append) == card
    assert said[-1].endswith("holds this training already")


def test_each_set_is_measured_by_an_adapter_that_did_not_see_it(
    gguf_file: Path, data: Path, plan: Plan, tmp_path: Path
) -> None:
    card = leave_out_each(gguf_file, data, tmp_path, replace(plan, pace=replace(PACE, epochs=20)))
    assert [one["n_trained"] for one in card["sets"]] == [12, 12]
    assert {name: one["measured_with"] for name, one in card["left_out"].items()} == {
        "three": "left-out/three, trained without it", "two": "left-out/two, trained without it",
    }  # fmt: skip
    # From two labels nobody learns the third.
    assert card["left_out"]["two"]["macro_f1"] > card["left_out"]["three"]["macro_f1"]
    without = json.loads((tmp_path / "left-out/three/card.json").read_text("utf-8"))
    assert [one["n_trained"] for one in without["sets"]] == [0, 12]
    assert json.loads((tmp_path / "card.json").read_text("utf-8")) == card
    assert (tmp_path / "card.md").read_text("utf-8").count("trained without it") == 2


def test_sets_without_a_licence_can_be_left_away(plan: Plan) -> None:
    licensed = replace(plan, without_unlicensed=True)
    assert [licensed.why_not(one) for one in licensed.sets] == [None, "states no licence"]
    with pytest.raises(UsageError, match="nothing to train on"):
        replace(licensed, leave_out=("three",)).refuse_unknown()
    with pytest.raises(UsageError, match="--leave-out four: the recipe's sets are three, two"):
        replace(plan, leave_out=("four",)).refuse_unknown()


def test_a_loss_that_is_no_number_ends_the_training(
    gguf_file: Path, data: Path, plan: Plan, tmp_path: Path
) -> None:
    with pytest.raises(TrainingFailed, match=r"the loss of step \d+ is nan: choose a lower --learning-rate"):
        train_reader(gguf_file, data, tmp_path, replace(plan, pace=replace(PACE, rate=1e30)))
    assert not (tmp_path / "card.json").exists()


def test_steps_do_not_depend_on_how_much_is_read_at_once(
    gguf_file: Path, data: Path, plan: Plan, tmp_path: Path
) -> None:
    found = []
    for at_once in (300, 4_000):
        pace = replace(PACE, epochs=1, tokens_at_once=at_once, class_weights=(1.0, 2.0, 0.5))
        train_reader(gguf_file, data, tmp_path / str(at_once), replace(plan, pace=pace))
        found.append(read_adapter(tmp_path / str(at_once) / "adapter.gguf")["blk.1.attn_q"])
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, atol=2e-3)


def test_batches_hold_no_more_tokens_than_asked_for() -> None:
    rows = [Encoded([0] * n, 0) for n in (5, 30, 7, 6, 5)]
    assert list(batches(rows, [0, 3, 2, 1, 4], 21)) == [[0, 3, 2], [1], [4]]
    planned = schedule(rows, TrainingSettings(epochs=2, tokens_a_step=21))
    assert sorted(i for batch in planned for i in batch) == sorted([*range(5), *range(5)])
    assert planned == schedule(rows, TrainingSettings(epochs=2, tokens_a_step=21))


def test_forms_of_sets(tmp_path: Path) -> None:
    page = "A page of more than a hundred characters. " * 3
    claim = {"claim": "Rest helps.", "evidence": [{"text": page}, {"text": "404"}], "support": "Partial"}
    answers = [{"claims": [claim, {**claim, "support": "Complete"}, {**claim, "support": "Missing"}]}]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    named = LabelledSet(name="c", files=("c.jsonl",), licence="MIT", form="cited_claims")
    read = read_set(named, tmp_path, 1)
    assert [(pair.passage, LABELS[pair.label]) for pair in read.pairs] == [
        (page, "not_entailment"),
        (page, "entailment"),
    ]
    nugget = {"answer": "Rest.", "nugget": "Rest helps", "label": "neutral"}
    (tmp_path / "n.jsonl").write_text(
        "\n".join(json.dumps({**nugget, "answer": str(i)}) for i in range(9)), "utf-8"
    )
    few = LabelledSet(name="n", files=("n.jsonl",), licence=None, form="nuggets", at_most=3)
    first = read_set(few, tmp_path, 1)
    assert (len(first.pairs), first.n_rows, first.pairs[0].statement) == (3, 9, "Rest helps")
    assert read_set(few, tmp_path, 1) == first != read_set(few, tmp_path, 2)
    assert len(drawn(first.pairs, 9, "n", 1)) == 3


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ("[]", "name at least one set"),
        (
            '[{"name": "a", "files": ["a"], "licence": null}, {"name": "a", "files": ["b"], "licence": null}]',
            "each once",
        ),
        ('[{"name": "a", "files": ["a"]}]', "0.licence: Field required"),
        ('[{"name": "a", "files": ["a"], "licence": null, "weight": 2}]', "0.weight: Extra inputs"),
        ("{", "the file: Invalid JSON"),
    ],
)
def test_a_recipe_that_cannot_be_read_is_refused(recipe: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(recipe, "utf-8")
    with pytest.raises(UsageError, match=said):
        read_recipe(tmp_path / "r.json")


def test_a_set_that_is_not_all_there_is_refused(tmp_path: Path) -> None:
    named = LabelledSet(name="a", files=("a.jsonl",), licence=None)
    with pytest.raises(UsageError, match="the set a is not all there: no file"):
        read_set(named, tmp_path, 1)
    (tmp_path / "a.jsonl").write_text('{"premise": "p", "hypothesis": "h", "label": "maybe"}', "utf-8")
    with pytest.raises(
        UsageError, match="a label that is none of entailment, contradiction, neutral, not_entailment"
    ):
        read_set(named, tmp_path, 1)


@pytest.mark.slow
@pytest.mark.shared_data
def test_the_packaged_recipe_reads_the_sets_that_the_adapter_saw(shared_data: Path) -> None:
    read = [read_set(named, shared_data, 1) for named in read_recipe()]
    assert sum(len(one.pairs) * one.named.times for one in read) == 49_985
    kept = {i for one in read for i in one.named.keep_questions}
    labelled = {row["question_id"] for row in read_rows(shared_data / "kqa/nugget_labels_dev2.jsonl.gz")} - {
        None
    }
    assert labelled <= kept
    unlicensed = [one.named.name for one in read if one.named.licence is None]
    assert unlicensed == ["healthver", "covidfact", "nli4ct"]


def test_a_training_goes_on_from_an_adapter_of_its_base_and_rank(
    gguf_file: Path, trained: Path, data: Path, plan: Plan, tmp_path: Path
) -> None:
    """One step at a rate of next to nothing leaves the factors where they were, but for their 8 bits."""
    start = trained / "adapter.safetensors"
    pace = replace(PACE, epochs=1, rate=1e-7)
    card = train_reader(gguf_file, data, tmp_path / "on", replace(plan, pace=pace, start_from=start))
    assert card["start_from"] == file_digest(start)
    before, after = read_adapter(start), read_adapter(tmp_path / "on" / "adapter.safetensors")
    for name, (a, b) in before.items():
        torch.testing.assert_close(after[name][1] @ after[name][0], b @ a, atol=2e-2, rtol=2e-2)
    (tmp_path / "text.safetensors").write_text("no adapter", "utf-8")
    with pytest.raises(UsageError, match="no reader's adapter can be read there"):
        train_reader(
            gguf_file, data, tmp_path / "bad", replace(plan, start_from=tmp_path / "text.safetensors")
        )
    with pytest.raises(UsageError, match="its rank is not 2"):
        train_reader(gguf_file, data, tmp_path / "other", replace(plan, rank=2, start_from=start))


def test_forms_that_follow_by_rule_and_what_is_kept_of_them(tmp_path: Path) -> None:
    questions = [
        {
            "question_id": i,
            "reference_answer": f"Answer {i}.",
            "nuggets": [{"text": f"Nugget {i}"}, {"text": " "}],
        }
        for i in ("q1", "q2")
    ]
    abstracts = [
        {"id": n, "title": f"A trial of {drug}", "sentences": [
            f"We gave {drug} to {n} adults with {illness} for twelve weeks.",
            f"Patients who took {drug} had fewer episodes of {illness} than others.",
            f"The risk of {illness} fell by {n} percent with {drug} in adults.",
            f"No patient stopped {drug} because of severe side effects in this trial.",
            f"Adults with {illness} may be offered {drug} as the first treatment.",
        ]} for n, (drug, illness) in enumerate([("aspirin", "migraine"), ("codeine", "migraine"), ("aspirin", "fever")])
    ]  # fmt: skip
    for name, rows in (("q.jsonl", questions), ("a.jsonl", abstracts)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), "utf-8")
    own = LabelledSet(
        name="own", files=("q.jsonl",), licence=None, form="own_nuggets", keep_questions=("q2",)
    )
    assert [(p.passage, p.statement, p.label) for p in read_set(own, tmp_path, 1).pairs] == [
        ("Answer q1.", "Nugget q1", LABELS.index("entailment"))
    ]
    foreign = LabelledSet(name="foreign", files=("a.jsonl",), licence=None, form="foreign")
    read = read_set(foreign, tmp_path, 1).pairs
    assert read
    assert {pair.label for pair in read} == {LABELS.index("neutral")}
    assert not any(pair.statement in pair.passage for pair in read)
    written = LabelledSet(name="written", files=(), licence=None, form="written", at_most=50)
    assert {pair.label for pair in read_set(written, tmp_path, 1).pairs} == {0, 1, 2}
    with pytest.raises(ValueError, match="name its files"):
        LabelledSet(name="none", files=(), licence=None)


@pytest.mark.parametrize("weights", ["1,2", "1,2,x", "1,0,1", "nan,1,1"])
def test_class_weights_are_three_numbers_above_zero(weights: str, data: Path) -> None:
    result = CliRunner().invoke(train, ["reader", str(data), "--out", "o", "--class-weights", weights])
    assert result.exit_code == 2
    assert "'--class-weights'" in result.output
