"""Readers that a hub serves, by shape: tiny DeBERTa-v3 classifiers with their labels, loaded as `--reader hf:` loads them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from medassay.flows.commands.embedded import models
from medassay.models.nli import SelfTestFailed, load_entailment
from medassay.models.nli.known_answers import KNOWN
from medassay.models.nli.labels import LABELS
from medassay.models.weights import HUB_READERS, HubReader, another_revision

REVISION = "b3546ea6b0346eb6f8d5d68b13c7dc6d0376b3d7"


def written(folder: Path, reader: HubReader, *, learns: bool) -> None:
    """Write a tiny model of a reader's architecture, with its labels, that knows the known answers by heart or nothing."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification, PreTrainedTokenizerFast

    split = pre_tokenizers.BertPreTokenizer()
    words = {w for pair in KNOWN for text in pair[:2] for w, _ in split.pre_tokenize_str(text.lower())}
    tokens = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *sorted(words), "[MASK]"]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    plain.normalizer = normalizers.Lowercase()
    plain.pre_tokenizer = split
    plain.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=512,
    )  # fmt: skip
    torch.manual_seed(2)
    # Relative positions in both directions with shared keys, no absolute ones, no segments: DeBERTa-v3.
    config = DebertaV2Config(
        vocab_size=len(tokens), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=512, relative_attention=True, max_relative_positions=-1, position_buckets=32,
        pos_att_type=["p2c", "c2p"], share_att_key=True, norm_rel_ebd="layer_norm", position_biased_input=False,
        type_vocab_size=0, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pooler_hidden_size=32,
        id2label=dict(enumerate(reader.labels)), label2id={name: i for i, name in enumerate(reader.labels)},
    )  # fmt: skip
    assert config.model_type == reader.kind
    network = DebertaV2ForSequenceClassification(config)
    if learns:
        gold = torch.tensor([reader.labels.index(LABELS[label]) for *_, label in KNOWN])
        inputs = tokenizer(
            [p for p, *_ in KNOWN], [h for _, h, _ in KNOWN], padding=True, return_tensors="pt"
        )
        inputs.pop("token_type_ids", None)
        optimiser = torch.optim.Adam(network.parameters(), lr=5e-3)
        for _ in range(150):
            optimiser.zero_grad()
            loss = network(**inputs, labels=gold).loss
            loss.backward()
            optimiser.step()
            if float(loss.detach()) < 0.05:
                break
        assert float(loss.detach()) < 0.1
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.mark.parametrize("reader", HUB_READERS, ids=lambda reader: reader.repository)
def test_a_listed_reader_loads_and_is_read_in_the_order_of_its_labels(
    reader: HubReader, tmp_path: Path
) -> None:
    written(tmp_path / "model", reader, learns=True)
    said: list[str] = []
    model = load_entailment(f"hf:{tmp_path / 'model'}", warn=said.append)
    assert said == []
    verdicts = model.score([pair[:2] for pair in KNOWN])
    shares = [(v.entailment, v.neutral, v.contradiction) for v in verdicts]
    assert [max(range(3), key=lambda i, share=share: share[i]) for share in shares] == [
        gold for *_, gold in KNOWN
    ]


def test_one_that_fails_on_known_answers_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "model", HUB_READERS[0], learns=False)
    with pytest.raises(SelfTestFailed, match="on known pairs the probability of"):
        load_entailment(f"hf:{tmp_path / 'model'}")


def test_another_commit_than_the_listed_one_is_said() -> None:
    spec = HUB_READERS[0].spec
    assert another_revision(spec, f"commit:{REVISION}") is None
    assert another_revision(spec, "a" * 64) is None  # a folder's digest
    assert another_revision("hf:another/one", "commit:abc") is None
    line = another_revision(spec, "commit:abc")
    assert line is not None and line.endswith(
        f"at the commit abc; {REVISION} is the one that is listed: figures may differ"
    )


def test_they_are_listed_as_not_to_be_pulled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("MEDASSAY_MODELS", str(tmp_path))
    table = CliRunner().invoke(models, ["list"], catch_exceptions=False).output
    assert "no, and no mirror has it: --reader hf:cross-encoder/nli-deberta-v3-large asks the hub" in table
    rows = json.loads(CliRunner().invoke(models, ["list", "--json"], catch_exceptions=False).output)
    told = [(row["name"], row["licence"], row["revision"]) for row in rows if row["role"] == "reader"]
    assert told[0] == ("MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "MIT", REVISION)
    assert [row["pulled"] for row in rows] == [False] * len(rows)
    snapshot = tmp_path / "hub/models--cross-encoder--nli-deberta-v3-large/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot.parent.parent / "refs").mkdir()
    (snapshot.parent.parent / "refs/main").write_text("abc")
    for file in ("config.json", "model.safetensors"):
        (snapshot / file).write_text("{}")
    table = CliRunner().invoke(models, ["list"], catch_exceptions=False).output
    assert "yes: --reader hf:cross-encoder/nli-deberta-v3-large" in table
    refused = CliRunner().invoke(models, ["pull", HUB_READERS[0].repository])
    assert refused.exit_code == 2 and "no embedded model is called" in refused.output
