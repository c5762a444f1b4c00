"""How fast the entailment stage is: ours, a one-pair loop and CrossEncoder.predict, on the same weights and texts.

Run from the checkout:
    python -m benchmarks.entail_throughput PAIRS.jsonl.gz … --base FOLDER [--n 256] [--threads 2]
        [--fewest 226 --most 286 --passages-once --only-ours]
    python -m benchmarks.entail_throughput PAIRS.jsonl.gz … --base FOLDER --n 20000 --claims-each 3 --n-rivals 1000

The last one is for a GPU, which has read the labelled sets before it is warm: each passage stands against three claims.

The network of the comparison is a classifier on the base's own encoder with a random head, saved to a temporary folder:
speed does not depend on what the weights know. Three questions are asked:
1. distinct pairs, whole passages: our batching and dtype against the loop and CrossEncoder, equal verdicts counted;
2. an evaluation's work (every pair three times): what doing less adds;
3. the ceiling: the measured matrix rate over the multiplications these lengths need, and how near the network alone
   comes to it when its inputs lie ready.

All run where the product would: on a GPU where there is one. Pairs are made ready in plain Python, and how fast that
goes without any network stands in a row of its own: there it is what a GPU waits for.

Beside the clock stands the processor time of a pair: on a machine that others use, only that can be compared.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "10000000000")
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "10000000000")

import numpy as np

from medassay.models.nli.encoder.checkpoints import load_checkpoint
from medassay.models.nli.encoder.embedded import load_embedded
from medassay.models.nli.encoder.inputs import Batch, packed
from medassay.models.nli.encoder.scoring import Scorer
from medassay.models.nli.encoder.tokenisation import Reader
from medassay.models.nli.encoder.training.pairs import read_rows
from medassay.models.nli.encoder.worker_pool import BatchSizes, WorkerPool, threads_of_one
from medassay.models.nli.window_verdicts import batches
from medassay.models.processor import fast_dtype

Pairs = list[tuple[str, str]]
WINDOW, CLAIM = 320, 200


def matrix_rate(dtype: Any, device: str, seconds: float = 2.0) -> float:
    """Multiply-adds × 2 a second of a matrix product of the network's own shape."""
    import torch

    rows = 4096 if device == "cpu" else 65536
    a, b = (torch.randn(n, 768).to(device, dtype) for n in (rows, 3072))
    wait = torch.cuda.synchronize if device == "cuda" else int
    torch.nn.functional.linear(a, b)
    wait()
    started, n = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        for _ in range(1 if device == "cpu" else 50):
            torch.nn.functional.linear(a, b)
            n += 1
        wait()
    return 2 * rows * 768 * 3072 * n / (time.perf_counter() - started)


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


def one_pair_loop(folder: Path, pairs: Pairs, device: str) -> np.ndarray:
    """The usual snippet: one tokenizer call and one forward pass a pair."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval().to(device)
    said = []
    with torch.inference_mode():
        for premise, hypothesis in pairs:
            inputs = tokenizer(premise, hypothesis, truncation=True, max_length=512, return_tensors="pt")
            said.append(network(**inputs.to(device)).logits[0].cpu().numpy())
    return np.array(said)


def cross_encoder(folder: Path, pairs: Pairs, device: str) -> np.ndarray:
    """sentence-transformers' own batching."""
    from sentence_transformers import CrossEncoder

    return np.asarray(CrossEncoder(str(folder), max_length=512, device=device).predict(pairs, batch_size=32))


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


def probabilities(scorer: Scorer, pairs: Pairs) -> np.ndarray:
    """Score pairs: (n, 3) probabilities."""
    return np.array([(v.entailment, v.neutral, v.contradiction) for v in scorer.score(pairs)])


def network_alone(scorer: Scorer, pairs: Pairs) -> Callable[[], None]:
    """What the network takes when all inputs lie ready: first windows, in the batches of the scorer's pace."""
    judge = scorer.judge
    inputs = [judge.planner.input(work, 0) for work in judge.planner.plan(pairs) if work.windows]
    ready = [packed([inputs[i] for i in b]) for b in batches(inputs, judge.tokens_a_batch)]

    def work() -> None:
        with ThreadPoolExecutor(3) if scorer.worker_pool else threads_of_one(scorer.pace.workers) as pool:
            list(pool.map(scorer.forward, ready))

    return work


def without_network(batch: Batch) -> np.ndarray:
    """Decide every pair at once, so that one window of it is read and nothing multiplied."""
    return np.tile(np.array([[0.7, 0.1, 0.2]], dtype=np.float32), (len(batch), 1))


def flops(lengths: Sequence[int], layers: int, width: int = 768) -> float:
    """Multiplications × 2 of an encoder's forward pass over inputs of these lengths."""
    return float(sum(layers * (24 * width * width * t + 4 * width * t * t) for t in lengths))


def distinct_pairs(
    reader: Reader, said: Iterable[tuple[str, str]], n: int, fewest: int, most: int, *, passages_once: bool
) -> tuple[Pairs, list[int]]:
    """Take the first `n` pairs whose lengths lie in the bounds, each once, with their lengths in tokens."""
    found: dict[Any, tuple[tuple[str, str], int]] = {}
    n_tokens = cache(lambda text: len(reader.ids(text)))
    for pair in said:
        premise, hypothesis = (n_tokens(text) for text in pair)
        length = premise + hypothesis + reader.n_special
        if premise <= WINDOW - 20 and hypothesis <= CLAIM and fewest <= length <= most:
            found.setdefault(pair[0] if passages_once else pair, (pair, length))
        if len(found) == n:
            break
    return [pair for pair, _ in found.values()], [length for _, length in found.values()]


def all_pairs(files: Sequence[Path], claims_each: int) -> Pairs:
    """Read the pairs of files; with `claims_each`, every passage against so many claims drawn from all."""
    pairs = [(row["premise"], row["hypothesis"]) for path in files for row in read_rows(path)]
    if not claims_each:
        return pairs
    chance, claims = random.Random(0), sorted({claim for _, claim in pairs})
    return [
        (passage, claim)
        for passage in dict.fromkeys(p for p, _ in pairs)
        for claim in chance.sample(claims, claims_each)
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument(
        "--n-rivals", type=int, help="as many of them for the loop and CrossEncoder; all if not given"
    )
    parser.add_argument(
        "--claims-each", type=int, default=0, help="hold every passage against so many claims"
    )
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
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = getattr(torch, fast_dtype(device))
    ours = load_embedded(asked.base)
    pairs, lengths = distinct_pairs(
        ours.reader,
        all_pairs(asked.pairs, asked.claims_each),
        asked.n,
        asked.fewest,
        asked.most,
        passages_once=asked.passages_once,
    )
    print(
        f"{len(pairs)} distinct pairs, {np.mean(lengths):.0f} tokens on average, {asked.layers} layers, "
        f"{dtype} on {device}"
    )
    if asked.only_ours:
        ours.score(pairs[:8])
        rates, costs, _ = best_rates({"first": (lambda: ours.score(pairs), len(pairs))}, asked.rounds)
        print(f"ours, evidence first {rates['first']:8.1f} pairs/s  {costs['first']:6.0f} ms")
        return
    exact = load_embedded(asked.base, dtype=torch.float32)
    ready = replace(
        ours,
        forward=without_network,
        worker_pool=WorkerPool(ours.worker_pool.size) if ours.worker_pool else None,
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        classifier(asked.base, asked.layers, folder)
        whole = load_checkpoint(str(folder), dtype=dtype)[0]
        for scorer in (ours, ready, whole):
            scorer.score(pairs[: min(len(pairs), scorer.pairs_at_once)])  # compiled, started and warm
        some = slice(0, 4096)  # making them ready takes one process a while
        n, few = len(pairs), pairs[: asked.n_rivals]
        rates, costs, found = best_rates(
            {
                "loop": (lambda: one_pair_loop(folder, few, device), len(few)),
                "cross": (lambda: cross_encoder(folder, few, device), len(few)),
                "whole": (lambda: probabilities(whole, pairs), n),
                "network": (network_alone(whole, pairs[some]), len(pairs[some])),
                "first": (lambda: ours.score(pairs), n),
                "alone": (lambda: replace(ours, pace=replace(ours.pace, workers=1)).score(pairs), n),
                "thrice": (lambda: ours.score(pairs * 3), 3 * n),
                "ready": (lambda: ready.score(pairs), n),
                "ready alone": (lambda: replace(ready, pace=BatchSizes()).score(few), len(few)),
                "float32": (lambda: probabilities(exact, few), len(few)),
            },
            asked.rounds,
        )
    same = float((found["whole"][: len(few)].argmax(1) == found["loop"].argmax(1)).mean())
    as_exact = float((probabilities(ours, few).argmax(1) == found["float32"].argmax(1)).mean())
    rate = max(matrix_rate(dtype, device) for _ in range(asked.rounds))
    ceiling = rate / (flops(lengths, asked.layers) / len(pairs))
    loop_rate = rates["loop"]
    of_ceiling = rates["whole"] / ceiling
    alone = rates["network"] * flops(lengths[some], asked.layers) / len(lengths[some]) / rate
    rows = [
        ("one-pair loop", "loop", ""),
        ("CrossEncoder.predict", "cross", ""),
        (
            "ours, whole passages",
            "whole",
            f"{same:.1%} of verdicts as the loop's, {of_ceiling:.0%} of the ceiling",
        ),
        ("  the network alone", "network", f"its inputs laid ready before: {alone:.0%} of the ceiling"),
        (
            "ours, evidence first",
            "first",
            f"the embedded model as it is served; {as_exact:.1%} of verdicts as in float32",
        ),
        ("  one turn at a time", "alone", "the same, all cores at one batch, nothing made ready meanwhile"),
        ("ours, pairs thrice", "thrice", "as a real evaluation repeats its pairs"),
        ("made ready, no network", "ready", "as many at once as when it is served"),
        ("  in one thread", "ready alone", ""),
    ]
    for name, key, note in rows:
        print(
            f"{name:22} {rates[key]:8.1f} pairs/s  {rates[key] / loop_rate:5.1f}×  {costs[key]:6.1f} ms  {note}"
        )
    said = f"matrix rate {rate / 1e9:.0f} GFLOP/s over whole passages"
    print(f"{'ceiling':22} {ceiling:8.1f} pairs/s  {ceiling / loop_rate:5.1f}×  {'':9}  {said}")


if __name__ == "__main__":
    main()
