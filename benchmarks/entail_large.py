"""What a larger reader of the same pairs would bring: a chat model's lower layers with adapters, alone and mixed.

Run from the checkout; an hour and a half on two cores, and a GPU is used where there is one:
    python -m benchmarks.entail_large ../shared/data/nli ../shared/data/corpus [--minutes 68] [--epochs 1] [--out FILE]

The base is the embedded judge's own file (twenty layers of it, 1.1 billion parameters), read by the package `gguf`
(pip install gguf). Both networks read the same first windows of the development parts. The table says what each gets
right, and both together, their weights fitted on one half of the documents and measured on the other.
"""

import argparse
import math
import random
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from torch import Tensor, nn
from torch.nn import functional as F

from medassay.models.chat.vocabulary import gguf_tokenizer
from medassay.models.entailment.embedded import load_embedded
from medassay.models.entailment.evidence import choose_windows
from medassay.models.entailment.inputs import packed
from medassay.models.entailment.loading import EMBEDDED_BASE
from medassay.models.entailment.network import Adapted
from medassay.models.entailment.scoring import Scorer
from medassay.models.entailment.training.abstracts import read_abstracts
from medassay.models.entailment.training.pairs import LabelledPair
from medassay.models.entailment.training.run import SETS, encode, gather, macro_f1
from medassay.models.registry import ensure

BASE = "qwen2.5-coder-1.5b-instruct-q4_k_m"
LAYERS, FIRST, RANK = 20, 10, 16
BEFORE, BETWEEN = "Evidence: ", "\nClaim: "
AFTER = "\nIs the claim supported, contradicted, or left open? Answer:"
MOST = {"evidence_inference": 450, "registered": 450, "reported": 450}
NAMES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
}  # fmt: skip
Asked = tuple[list[int], int, int]


def load_base(file: Path) -> Any:
    """Read the embedding and lower layers of a Qwen2 model from its GGUF file: bfloat16, nothing trainable."""
    from gguf import GGUFReader
    from gguf.quants import dequantize
    from transformers import Qwen2Config, Qwen2Model
    from transformers.models.qwen2.modeling_qwen2 import Qwen2RotaryEmbedding

    reader = GGUFReader(file)
    said = {name: reader.get_field(f"qwen2.{name}").contents() for name in (
        "embedding_length", "feed_forward_length", "attention.head_count", "attention.head_count_kv",
        "attention.layer_norm_rms_epsilon", "context_length", "rope.freq_base",
    )}  # fmt: skip
    state = {}
    for tensor in reader.tensors:
        parts = tensor.name.split(".")
        if tensor.name == "token_embd.weight":
            name = "embed_tokens.weight"
        elif parts[0] == "blk" and int(parts[1]) < LAYERS:
            name = f"layers.{parts[1]}.{NAMES[parts[2]]}.{parts[3]}"
        else:
            continue
        state[name] = torch.tensor(dequantize(tensor.data, tensor.tensor_type)).bfloat16()
    config = Qwen2Config(
        vocab_size=len(state["embed_tokens.weight"]),
        hidden_size=said["embedding_length"],
        intermediate_size=said["feed_forward_length"],
        num_hidden_layers=LAYERS,
        num_attention_heads=said["attention.head_count"],
        num_key_value_heads=said["attention.head_count_kv"],
        rms_norm_eps=said["attention.layer_norm_rms_epsilon"],
        max_position_embeddings=said["context_length"],
        rope_parameters={"rope_type": "default", "rope_theta": said["rope.freq_base"]},
    )
    with torch.device("meta"):
        model = Qwen2Model(config)
    model.norm = nn.Identity()
    model.load_state_dict(state, assign=True)
    model.rotary_emb = Qwen2RotaryEmbedding(config)
    return model.requires_grad_(False)


class LargeReader(nn.Module):
    """The base with adapters, and a head over the last token, which has seen all, and the mean over the claim."""

    def __init__(self, base: Any) -> None:
        super().__init__()
        self.base = base
        for layer in list(base.layers)[FIRST:]:
            for name in (n for n in NAMES.values() if n.endswith("_proj")):
                layer.set_submodule(name, Adapted(layer.get_submodule(name), RANK))
        width = base.config.hidden_size
        last = nn.Linear(256, 3)
        nn.init.zeros_(last.weight)
        self.head = nn.Sequential(
            nn.LayerNorm(2 * width), nn.Linear(2 * width, 256), nn.GELU(), nn.Dropout(0.1), last
        )

    def forward(self, asked: Sequence[Asked]) -> Tensor:
        """Score inputs: (n, 3) logits on the processor."""
        device = self.head[1].weight.device
        longest = max(len(ids) for ids, _, _ in asked)
        ids = torch.zeros(len(asked), longest, dtype=torch.long)
        mask, claim = torch.zeros_like(ids), torch.zeros(len(asked), longest)
        for row, (tokens, start, end) in enumerate(asked):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
            claim[row, start:end] = 1 / (end - start)
        states = self.base(
            input_ids=ids.to(device), attention_mask=mask.to(device), use_cache=False
        ).last_hidden_state.float()
        last = states[torch.arange(len(asked), device=device), (mask.sum(1) - 1).to(device)]
        mean = torch.einsum("ntw,nt->nw", states, claim.to(device))
        return self.head(torch.cat([last, mean], 1)).cpu()  # type: ignore[no-any-return]


def ask(tokenizer: Any, premise: str, hypothesis: str) -> Asked:
    """Make an input: its ids, and which stretch is the claim."""

    def ids(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    start, claim = ids(f"{BEFORE}{premise}{BETWEEN}"), ids(hypothesis)
    return start + claim + ids(AFTER), len(start), len(start) + len(claim)


def window_of(pair: LabelledPair, small: Scorer) -> tuple[str, str]:
    """The words of the window that the embedded model reads first, and the claim."""
    budget = small.reading.premise_tokens
    pieces = small.reader.pieces(pair.premise, budget)
    claim = small.reader.ids(pair.hypothesis)[: small.reading.longest_claim]
    window = choose_windows(pieces, claim, small.rarity, budget, 1)[0]
    spans = [pieces[i].span for i in window.pieces]
    return " ".join(pair.premise[s.start : s.end].strip() for s in spans), pair.hypothesis


def batches(asked: Sequence[Asked], tokens: int, chance: random.Random) -> list[list[int]]:
    """Pack inputs of like length, in another company and order every time."""
    order = sorted(range(len(asked)), key=lambda i: len(asked[i][0]) * chance.uniform(0.9, 1.1))
    packed: list[list[int]] = [[]]
    for i in order:
        longest = max(len(asked[j][0]) for j in [*packed[-1], i])
        if packed[-1] and longest * (len(packed[-1]) + 1) > tokens:
            packed.append([])
        packed[-1].append(i)
    chance.shuffle(packed)
    return packed


def learn(
    network: LargeReader, asked: Sequence[Asked], pairs: Sequence[LabelledPair], minutes: float, epochs: float
) -> None:
    """AdamW, rates falling to the end, averaged weights from .4 of the way on."""
    of_label, of_set = Counter((p.source, p.label) for p in pairs), Counter(p.source for p in pairs)
    weights = [min(2.0, (of_set[p.source] / (3 * of_label[p.source, p.label])) ** 0.5) for p in pairs]
    head = list(network.head.parameters())
    adapters = [p for p in network.base.parameters() if p.requires_grad]
    rates = ((adapters, 2e-4), (head, 5e-4))
    optimiser = torch.optim.AdamW([{"params": p, "lr": r, "top": r} for p, r in rates], weight_decay=0.01)
    chance, averaged, tally = random.Random(3), dict[str, Tensor](), defaultdict[str, list[bool]](list)
    total = math.ceil(epochs * len(batches(asked, 1500, chance)))
    started, step, progress = time.monotonic(), 0, 0.0
    network.train()
    while progress < 1.0:
        for batch in batches(asked, 1500, chance):
            for group in optimiser.param_groups:
                group["lr"] = group["top"] * min(1.0, (step + 1) / 30) * max(0.03, 1 - progress)
            labels, weight = (
                torch.tensor([values[i] for i in batch]) for values in ([p.label for p in pairs], weights)
            )
            logits = network([asked[i] for i in batch])
            losses = F.cross_entropy(logits, labels, reduction="none", label_smoothing=0.05)
            optimiser.zero_grad(set_to_none=True)
            ((losses * weight).sum() / weight.sum()).backward()
            torch.nn.utils.clip_grad_norm_([*adapters, *head], 1.0)
            optimiser.step()
            step += 1
            progress = max(step / total, (time.monotonic() - started) / 60 / minutes)
            for i, hit in zip(batch, (logits.argmax(1) == labels).tolist(), strict=True):
                tally[pairs[i].source].append(hit)
            for name, p in network.named_parameters() if progress >= 0.4 else ():
                if p.requires_grad:
                    averaged.setdefault(name, p.detach().clone()).lerp_(p.detach(), 0.03)
            if step % 25 == 0:
                print(
                    f"{progress:.0%}",
                    {name: round(float(np.mean(hits)), 2) for name, hits in tally.items()},
                    flush=True,
                )
                tally.clear()
            if progress >= 1.0:
                break
    network.load_state_dict(averaged, strict=False)
    network.eval()


def mixed(low: np.ndarray, high: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Log probabilities of the small network and logits of the large one, weighed, plus a shift."""
    return np.exp(x[0]) * low + np.exp(x[1]) * high + np.array([x[2], 0.0, x[3]])


def fitted(gold: np.ndarray, low: np.ndarray, high: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Weights and shift of least log loss, each set counting alike."""

    def loss(x: np.ndarray) -> float:
        said = log_softmax(mixed(low, high, x), axis=1)[np.arange(len(gold)), gold]
        return float(
            -np.mean([said[sets == name].mean() for name in set(sets)]) + 0.02 * (x[2] ** 2 + x[3] ** 2)
        )

    return np.asarray(minimize(loss, np.zeros(4), method="Nelder-Mead", options={"maxiter": 4000}).x)


def main() -> None:
    """Train, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--minutes", type=float, default=68.0)
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument(
        "--most-dev", type=int, help="development pairs of each set to read; all unless given"
    )
    parser.add_argument("--out", type=Path, help="write what was trained here (safetensors)")
    asked = parser.parse_args()
    torch.manual_seed(3)
    small, file = load_embedded(ensure(EMBEDDED_BASE)), ensure(BASE)
    tokenizer = gguf_tokenizer(file)
    train, dev = gather(asked.sets, list(read_abstracts(asked.corpus)), 0, 71)
    chance, by_source = random.Random(3), defaultdict[str, list[LabelledPair]](list)
    for pair in train:
        by_source[pair.source].append(pair)
    pairs = [
        p
        for s, some in by_source.items()
        for p in chance.sample(some, min(len(some), MOST.get(s, len(some))))
    ]
    network = LargeReader(load_base(file)).to("cuda" if torch.cuda.is_available() else "cpu")
    learn(network, [ask(tokenizer, *window_of(p, small)) for p in pairs], pairs, asked.minutes, asked.epochs)
    if asked.out:
        from safetensors.torch import save_file

        trained = {
            n: p.detach().cpu().half().contiguous() for n, p in network.named_parameters() if p.requires_grad
        }
        save_file(trained, asked.out)
    held = [p for name in SETS for p in dev[name][: asked.most_dev]]
    reading = small.reading
    encoded = [
        encode(p, small.reader, small.rarity, reading.premise_tokens, reading.longest_claim) for p in held
    ]
    low = np.log(np.concatenate([small.forward(packed([e])) for e in encoded]).clip(1e-6))
    with torch.inference_mode():
        high = np.concatenate([network([ask(tokenizer, *window_of(p, small))]).numpy() for p in held])
    gold, sets = np.array([p.label for p in held]), np.array([p.source for p in held])
    half = np.array([zlib.crc32(p.doc.encode()) % 2 for p in held])
    both = np.zeros_like(low)
    for which in (0, 1):
        rest = half != which
        both[~rest] = mixed(low, high, fitted(gold[rest], low[rest], high[rest], sets[rest]))[~rest]
    for name, said in (("embedded", low), ("large", high), ("both, cross-fitted", both)):
        scores = [macro_f1(gold[sets == s].tolist(), said[sets == s].argmax(1).tolist()) for s in SETS]
        print(
            f"{name:20}",
            *(f"{s} {score:.3f} " for s, score in zip(SETS, scores, strict=True)),
            f"mean {np.mean(scores):.3f}",
        )


if __name__ == "__main__":
    main()
