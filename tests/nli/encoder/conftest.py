"""Tiny random models with a word tokenizer: real files, real loading, no meaning."""

import json
from pathlib import Path

import pytest

WORDS = (
    "aspirin lowered raised the risk of stroke in adults children blood heart was stored at night . , "
    "trial found no difference exercise sleep improved worsened patients mg 50 5 and with to a"
).split()


def write_tokenizer(folder: Path, kind: str) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    first, last, pad, unknown = (
        ("<s>", "</s>", "<pad>", "[UNK]") if kind == "mpnet" else ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
    )
    mask = "<mask>" if kind == "mpnet" else "[MASK]"
    tokens = [first, pad, last, unknown, *dict.fromkeys(WORDS), mask]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    middle = f"{last} {last}" if kind == "mpnet" else last
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {middle} $B:1 {last}:1",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    tokenizer.enable_truncation(16)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings: dict[str, object] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": pad,
        "model_max_length": 64,
    }
    if kind == "bert":
        settings["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")


@pytest.fixture(scope="session")
def checkpoint_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT classifier whose labels come in an order of their own."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("classifier")
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        pad_token_id=1,
        initializer_range=0.6,
        id2label={0: "CONTRADICTION", 1: "Neutral", 2: "entailment"},
        label2id={"CONTRADICTION": 0, "Neutral": 1, "entailment": 2},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    write_tokenizer(folder, "bert")
    return folder


@pytest.fixture(scope="session")
def base_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random MPNet of three layers, as an embedder's base lies in the registry."""
    import torch
    from transformers import MPNetConfig, MPNetModel

    folder = tmp_path_factory.mktemp("base")
    torch.manual_seed(4)
    config = MPNetConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=80,
        initializer_range=0.4,
    )
    MPNetModel(config).save_pretrained(folder)
    write_tokenizer(folder, "mpnet")
    return folder
