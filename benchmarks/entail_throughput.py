"""How fast the entailment stage is: ours, a one-pair loop and CrossEncoder.predict, on the same weights and texts.

Run from the checkout:
    python -m benchmarks.entail_throughput PAIRS.jsonl.gz --base FOLDER [--n 256] [--threads 2]
        [--fewest 226 --most 286 --passages-once --only-ours]

The network of the comparison is a classifier on the base's own encoder with a random head, saved to a temporary folder:
speed does not depend on what the weights know. Three questions are asked:
1. distinct pairs, whole passages: our batching and dtype against the loop and CrossEncoder, equal verdicts counted;
2. an evaluation's work (every pair three times): what doing less adds;
3. the ceiling: the measured matrix rate over the multiplications these lengths need.

Beside the clock stands the processor time of a pair: on a machine that others use, only that can be compared.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "10000000000")
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "10000000000")

import numpy as np

from models.entailment.checkpoints import load_checkpoint
from models.entailment.embedded import fast_dtype, load_embedded
from models.entailment.reading import Reader
from models.entailment.training.pairs import read_rows

Pairs = list[tuple[str, str]]
WINDOW = 320


def matrix_rate(dtype: Any, seconds: float = 2.0) -> float:
    """Multiply-adds × 2 a second of a matrix product of the network's own shape."""
    import torch

    a, b = torch.randn(4096, 768).to(dtype), torch.randn(3072, 768).to(dtype)
    torch.nn.functional.linear(a, b)
    started, n = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        torch.nn.functional.linear(a, b)
        n += 1
    return 2 * 4096 * 768 * 3072 * n / (time.perf_counter() - started)


def classifier(base: Path, layers: int, folder: Path) -> None:
    """Save a three-way classifier on the first layers of a base, with a random head."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(0)
    labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
    network = AutoModelForSequenceClassification.from_pretrained(
        base, num_hidden_layers=layers, num_labels=3, id2label=labels
    )
    network.save_pretrained(folder)
    AutoTokenizer.from_pretrained(base, model_max_length=512).save_pretrained(folder)


def one_pair_loop(folder: Path, pairs: Pairs) -> np.ndarray:
    """The usual snippet: one tokenizer call and one forward pass a pair."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    said = []
    with torch.inference_mode():
        for premise, hypothesis in pairs:
            inputs = tokenizer(premise, hypothesis, truncation=True, max_length=512, return_tensors="pt")
            said.append(network(**inputs).logits[0].numpy())
    return np.array(said)


def cross_encoder(folder: Path, pairs: Pairs) -> np.ndarray:
    """sentence-transformers' own batching."""
    from sentence_transformers import CrossEncoder

    return np.asarray(CrossEncoder(str(folder), max_length=512, device="cpu").predict(pairs, batch_size=32))


def best_rates(
    works: dict[str, tuple[Callable[[], Any], int]], rounds: int
) -> tuple[dict[str, float], dict[str, float], dict[str, Any]]:
    """Run all in turn, several rounds, so that a busy moment hits each alike.

    The best pairs a second of each, its least milliseconds of processor time a pair, and what it said.
    """
    rates: dict[str, float] = dict.fromkeys(works, 0.0)
    costs: dict[str, float] = dict.fromkeys(works, float("inf"))
    found: dict[str, Any] = {}
    for _ in range(rounds):
        for name, (work, n) in works.items():
            started, spent = time.perf_counter(), time.process_time()
            found[name] = work()
            rates[name] = max(rates[name], n / (time.perf_counter() - started))
            costs[name] = min(costs[name], 1000 * (time.process_time() - spent) / n)
    return rates, costs, found


def whole_passages(folder: Path, dtype: Any) -> Callable[[Pairs], np.ndarray]:
    """Our reading of a checkpoint with every passage in one window, in the dtype that the embedded model uses."""
    import torch

    scorer, _ = load_checkpoint(str(folder), dtype=dtype)

    def work(pairs: Pairs) -> np.ndarray:
        with torch.inference_mode():
            return np.array([(v.entailment, v.neutral, v.contradiction) for v in scorer.score(pairs)])

    return work


def flops(lengths: Sequence[int], layers: int, width: int = 768) -> float:
    """Multiplications × 2 of an encoder's forward pass over inputs of these lengths."""
    return float(sum(layers * (24 * width * width * t + 4 * width * t * t) for t in lengths))


def distinct_pairs(
    reader: Reader, path: Path, n: int, fewest: int, most: int, *, passages_once: bool
) -> tuple[Pairs, list[int]]:
    """Take the first `n` pairs of a file whose lengths lie in the bounds, each once, with their lengths in tokens."""
    found: dict[Any, tuple[tuple[str, str], int]] = {}
    for row in read_rows(path):
        pair = row["premise"], row["hypothesis"]
        premise, hypothesis = (len(reader.ids(text)) for text in pair)
        length = premise + hypothesis + reader.n_special
        if premise <= WINDOW - 20 and fewest <= length <= most:
            found.setdefault(pair[0] if passages_once else pair, (pair, length))
        if len(found) == n:
            break
    return [pair for pair, _ in found.values()], [length for _, length in found.values()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument("--layers", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--fewest", type=int, default=0, help="least tokens of a pair, both texts and specials"
    )
    parser.add_argument("--most", type=int, default=10**6, help="most tokens of a pair")
    parser.add_argument("--passages-once", action="store_true", help="take one pair of each passage")
    parser.add_argument(
        "--only-ours", action="store_true", help="time the embedded model as it is served alone"
    )
    asked = parser.parse_args()
    import torch

    torch.set_num_threads(asked.threads)
    dtype = fast_dtype("cpu")
    ours = load_embedded(asked.base)
    pairs, lengths = distinct_pairs(
        ours.reader, asked.pairs, asked.n, asked.fewest, asked.most, passages_once=asked.passages_once
    )
    print(
        f"{len(pairs)} distinct pairs, {np.mean(lengths):.0f} tokens on average, {asked.layers} layers, {dtype}"
    )
    if asked.only_ours:
        ours.score(pairs[:8])
        rates, costs, _ = best_rates({"first": (lambda: ours.score(pairs), len(pairs))}, asked.rounds)
        print(f"ours, evidence first {rates['first']:8.1f} pairs/s  {costs['first']:6.0f} ms")
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        classifier(asked.base, asked.layers, folder)
        ours_whole = whole_passages(folder, dtype)
        ours_whole(pairs[:8])
        ours.score(pairs[:8])
        n = len(pairs)
        rates, costs, found = best_rates(
            {
                "loop": (lambda: one_pair_loop(folder, pairs), n),
                "cross": (lambda: cross_encoder(folder, pairs), n),
                "whole": (lambda: ours_whole(pairs), n),
                "first": (lambda: ours.score(pairs), n),
                "shared": (lambda: replace(ours, workers=1).score(pairs), n),
                "thrice": (lambda: ours.score(pairs * 3), 3 * n),
            },
            asked.rounds,
        )
    same = float((found["whole"].argmax(1) == found["loop"].argmax(1)).mean())
    rate = max(matrix_rate(dtype) for _ in range(asked.rounds))
    ceiling = rate / (flops(lengths, asked.layers) / len(pairs))
    loop_rate = rates["loop"]
    of_ceiling = rates["whole"] / ceiling
    rows = [
        ("one-pair loop", "loop", ""),
        ("CrossEncoder.predict", "cross", ""),
        (
            "ours, whole passages",
            "whole",
            f"{same:.1%} of verdicts as the loop's, {of_ceiling:.0%} of the ceiling",
        ),
        ("ours, evidence first", "first", "the embedded model as it is served"),
        ("  all cores a batch", "shared", "the same, its cores sharing each batch"),
        ("ours, pairs thrice", "thrice", "as a real evaluation repeats its pairs"),
    ]
    for name, key, note in rows:
        print(
            f"{name:22} {rates[key]:8.1f} pairs/s  {rates[key] / loop_rate:5.1f}×  {costs[key]:6.0f} ms  {note}"
        )
    said = f"matrix rate {rate / 1e9:.0f} GFLOP/s over whole passages"
    print(f"{'ceiling':22} {ceiling:8.1f} pairs/s  {ceiling / loop_rate:5.1f}×  {'':9}  {said}")


if __name__ == "__main__":
    main()
