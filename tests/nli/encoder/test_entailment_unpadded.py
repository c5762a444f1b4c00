"""Layers without padding say what transformers' own say; the kernels, where Triton is installed, what torch says."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from medassay.models.nli.encoder.checkpoints import load_checkpoint, quickest_forward
from medassay.models.nli.encoder.inputs import Batch, packed
from medassay.models.nli.encoder.tokenisation import Encoded
from medassay.models.nli.encoder.unpadded import Unpadded, classifier_encoder, first_token_logits, padded

LENGTHS = (9, 3, 17, 70)


def attend(qkv: Tensor, starts: Tensor, longest: int, heads: int, table: Tensor | None) -> Tensor:
    """Do by torch, text by text, what the kernel does."""
    mixed = []
    for first, last in zip(starts.tolist(), starts.tolist()[1:], strict=False):
        n = last - first
        assert n <= longest
        query, key, value = qkv[first:last].view(n, 3, heads, -1).permute(1, 2, 0, 3)
        away = torch.arange(n)
        reach = 0 if table is None else (table.shape[1] + 1) // 2
        bias = None if table is None else table[:, away[None] - away[:, None] + reach - 1]
        mixed.append(
            F.scaled_dot_product_attention(query, key, value, attn_mask=bias).transpose(0, 1).reshape(n, -1)
        )
    return torch.cat(mixed)


@pytest.fixture
def by_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = SimpleNamespace(attend=attend, add_norm=lambda x, y, norm: norm(x + y))
    monkeypatch.setitem(sys.modules, "medassay.models.nli.encoder.kernels", kernels)  # type: ignore[arg-type]


def classifier(kind: str) -> Any:
    from transformers import AutoConfig, AutoModelForSequenceClassification

    torch.manual_seed(5)
    config = AutoConfig.for_model(
        kind,
        vocab_size=64,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=80,
        initializer_range=0.3,
        num_labels=3,
        pad_token_id=1,
    )
    return AutoModelForSequenceClassification.from_config(config).eval()


def inputs(seed: int = 3) -> tuple[Batch, Tensor, Tensor, Tensor]:
    """Make texts of `LENGTHS`: end to end, and as ids, mask and segments under each other."""
    torch.manual_seed(seed)
    ids = torch.ones(len(LENGTHS), max(LENGTHS), dtype=torch.long)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    encoded = []
    for row, n in enumerate(LENGTHS):
        ids[row, :n], mask[row, :n], types[row, n // 2 : n] = torch.randint(4, 64, (n,)), 1, 1
        halves = (0, n // 2), (n // 2, n)
        encoded.append(Encoded(tuple(ids[row, :n].tolist()), *halves, tuple(types[row, :n].tolist())))
    return packed(encoded), ids, mask, types


def on_processor(batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    starts = torch.from_numpy(batch.starts)
    places = torch.cat([torch.arange(n) for n in batch.lengths.tolist()])
    return torch.from_numpy(batch.ids), places, torch.from_numpy(batch.types), starts


@pytest.mark.usefixtures("by_torch")
@pytest.mark.parametrize("kind", ["bert", "mpnet", "roberta"])
def test_a_classifier_says_the_same_without_padding(kind: str) -> None:
    network = classifier(kind)
    encoder = classifier_encoder(network)
    assert encoder is not None
    batch, ids, mask, types = inputs()
    flat, places, segments, starts = on_processor(batch)
    with torch.no_grad():
        more = {"token_type_ids": types} if kind == "bert" else {}
        theirs = network(input_ids=ids, attention_mask=mask, **more).logits
        states = encoder(flat, places, segments if kind == "bert" else None, starts, max(LENGTHS))
        ours = first_token_logits(network, states[starts[:-1]])
    # The product with gelu in one takes its tanh form.
    assert torch.allclose(ours, theirs, atol=0.01)
    assert theirs.std() > 0.05


@pytest.mark.usefixtures("by_torch")
def test_the_embedded_encoder_says_the_same_without_padding(base_folder: Path) -> None:
    from medassay.models.nli.encoder.encoder import load_encoder

    encoder = load_encoder(base_folder)
    batch, ids, mask, _ = inputs()
    flat, places, _, starts = on_processor(batch)
    with torch.no_grad():
        states = Unpadded(encoder)(flat, places, None, starts, max(LENGTHS))
        beneath = padded(states, places, starts, max(LENGTHS))
        theirs = encoder(ids, mask.bool())
    assert torch.allclose(beneath[mask.bool()], theirs[mask.bool()], atol=0.02)
    assert beneath[~mask.bool()].abs().max() == 0


@pytest.mark.parametrize(
    "change", [{"hidden_act": "relu"}, {"num_attention_heads": 8}, {"model_type": "electra"}]
)
def test_networks_that_are_computed_otherwise_are_left_to_transformers(change: dict[str, Any]) -> None:
    network = classifier("bert")
    config = network.config.to_dict() | change
    network.config = SimpleNamespace(to_dict=lambda: config)
    assert classifier_encoder(network) is None


def test_a_quick_way_that_says_otherwise_is_not_taken(
    checkpoint_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer, order = load_checkpoint(str(checkpoint_folder))
    plain = scorer.forward

    def made(shift: float) -> object:
        return lambda *_: lambda batch: plain(batch) + shift

    network = _network_of(checkpoint_folder)
    batch = packed([scorer.reader.pair((5, 6), (7,))])
    for shift, seen in ((0.01, 0.01), (0.2, 0.0)):
        monkeypatch.setattr("medassay.models.nli.encoder.unpadded.unpadded_forward", made(shift))
        chosen = quickest_forward(network, order, 1, True, torch.device("cpu"), scorer.reader)
        assert chosen(batch) - plain(batch) == pytest.approx(seen, abs=1e-5)


def _network_of(folder: Path) -> Any:
    from transformers import AutoModelForSequenceClassification

    return AutoModelForSequenceClassification.from_pretrained(folder).eval()


KERNELS = """
import torch
from torch import nn
from medassay.models.nli.encoder.kernels import add_norm, attend
from tests.nli.encoder import test_entailment_unpadded as by_torch
torch.manual_seed(0)
qkv, starts = torch.randn(269, 3 * 64), torch.tensor([0, 70, 75, 139, 269])
for table in (torch.randn(4, 2 * 140 - 1), None):
    assert torch.allclose(attend(qkv, starts, 130, 4, table), by_torch.attend(qkv, starts, 130, 4, table), atol=1e-5)
norm = nn.LayerNorm(96)
nn.init.normal_(norm.weight)
x, y = torch.randn(2, 50, 96)
assert torch.allclose(add_norm(x, y, norm), norm(x + y), atol=1e-5)
print("the same")
"""


@pytest.mark.skipif(
    find_spec("triton") is None, reason="Triton is not installed: it comes with torch for GPUs"
)
def test_the_kernels_compute_what_torch_computes() -> None:
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", KERNELS], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "the same\n", done.stderr[-500:]
