"""Checkpoints that load and cannot be read with are refused in one line; a pair without a number is no verdict."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from medassay.models.nli import EntailmentUnavailable, SelfTestFailed, load_entailment
from medassay.models.nli.encoder.checkpoints import load_checkpoint
from medassay.models.nli.labels import UnknownLabels
from medassay.models.records import PairVerdict


def _more_words(folder: Path) -> None:
    file = folder / "tokenizer.json"
    told = json.loads(file.read_text())
    told["model"]["vocab"]["smoking"] = 99
    file.write_text(json.dumps(told))


def _a_tiny_window(folder: Path) -> None:
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "model_max_length": 8}))


def _no_numbers(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][:] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _a_decoder(folder: Path) -> None:
    from transformers import GPT2Config, GPT2ForSequenceClassification

    (folder / "model.safetensors").unlink()
    labels = dict(enumerate(("entailment", "neutral", "contradiction")))
    size = {"vocab_size": 64, "n_embd": 32, "n_layer": 1, "n_head": 2, "n_positions": 64}
    config = GPT2Config(**size, id2label=labels, bos_token_id=0, eos_token_id=0)
    GPT2ForSequenceClassification(config).save_pretrained(folder)


def _a_decoder_without_padding(folder: Path) -> None:
    _a_decoder(folder)
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "pad_token": None}))


@pytest.mark.parametrize(
    ("spoil", "error", "why"),
    [
        (_more_words, EntailmentUnavailable, "its tokenizer knows 100 tokens and its network 64"),
        (_a_tiny_window, SelfTestFailed, r"reads too few tokens .*has \d+ tokens and the model reads 1"),
        (_no_numbers, SelfTestFailed, "gives no number for any known pair"),
        # It reads, and its random weights know nothing.
        (_a_decoder, SelfTestFailed, "on known pairs the probability"),
        (_a_decoder_without_padding, EntailmentUnavailable, r"cannot read the pairs .* \(.*padding token"),
    ],
)
def test_what_a_checkpoint_cannot_read_is_told_when_it_is_loaded(
    checkpoint_folder: Path, tmp_path: Path, spoil: Callable[[Path], None], error: type[Exception], why: str
) -> None:
    folder = Path(shutil.copytree(checkpoint_folder, tmp_path / "unfit"))
    spoil(folder)
    with pytest.raises(error, match=why) as raised:
        load_entailment(f"hf:{folder}")
    assert str(folder) in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (
            {"id2label": None},
            UnknownLabels,
            "{folder}: its weights have 3 labels and its config.json names none; name them all there (id2label), in "
            "the order of the weights",
        ),
        (
            {"id2label": {"0": "entailment", "1": "not_entailment"}},
            UnknownLabels,
            "{folder}: its weights have 3 labels and its config.json names 'entailment', 'not_entailment'; name them "
            "all there (id2label), in the order of the weights",
        ),
        (
            {"max_position_embeddings": 32},
            EntailmentUnavailable,
            "entailment model '{folder}': its weights do not fit its config.json "
            "(bert.embeddings.position_embeddings.weight is [64, 32], not [32, 32]); put the files together that belong "
            "together, or name another one",
        ),
    ],
)
def test_weights_that_do_not_fit_their_config_are_told_in_one_line(
    checkpoint_folder: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    change: dict[str, object],
    error: type[Exception],
    said: str,
) -> None:
    folder = Path(shutil.copytree(checkpoint_folder, tmp_path / "unfit"))
    file = folder / "config.json"
    told = {**json.loads(file.read_text()), "label2id": None, **change}
    file.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))
    with pytest.raises(error) as raised:
        load_entailment(f"hf:{folder}")
    assert str(raised.value) == said.format(folder=folder)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("lost", [float("nan"), float("inf")])
def test_a_pair_without_a_number_abstains_and_leaves_the_others_alone(
    checkpoint_folder: Path, lost: float
) -> None:
    scorer = load_checkpoint(str(checkpoint_folder))[0]

    def damaged(batch):  # type: ignore[no-untyped-def]
        rows = scorer.forward(batch)
        rows[batch.lengths > 24, 1] = lost
        return rows

    claim = "aspirin raised the risk of stroke"
    pairs = [
        ("Aspirin lowered the risk of stroke in adults. " * 5, claim),
        ("Blood was stored at night.", claim),
    ]
    none, whole = replace(scorer, forward=damaged).score(pairs)
    assert none == PairVerdict(
        None, None, None, n_windows=0, coverage=0.0, reason="the model gave no number for this pair"
    )
    assert whole == scorer.score(pairs)[1]
