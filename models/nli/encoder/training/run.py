"""`train`: from labelled sets to the adapters and the head of an encoder, and a record of how they were made."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from medassay.models.nli.encoder.encoder import load_encoder
from medassay.models.nli.encoder.network import EntailmentNetwork, add_adapters, trained_state
from medassay.models.nli.encoder.tokenisation import Encoded, Reader, read_window
from medassay.models.nli.encoder.training.calibrating import fit_calibration
from medassay.models.nli.encoder.training.loop import Example, Schedule, Trainer, predict
from medassay.models.nli.encoder.training.material import SHARES, Share, gather, recipe_pairs
from medassay.models.nli.encoder.training.packing import write_model
from medassay.models.nli.encoder.training.pairs import LabelledPair
from medassay.models.nli.evidence import choose_windows, rarity_of
from medassay.models.nli.labels import LABELS
from medassay.models.nli.settings import NEARNESS, OTHER_DRUGS, VERBATIM, WindowSettings
from medassay.models.processor import device_here

SETTINGS = {
    "layers": 9,
    "first_layer": 0,
    "rank": 32,
    "head_width": 256,
}
"""How many of the base's lower layers are used, the first that learns, the adapters' rank, the head's width."""

AT_ONCE: dict[str, dict[str, Any]] = {
    "cpu": {},
    "cuda": {
        "device": "cuda",
        "tokens_a_batch": 12_000,
        "pairs_a_batch": 96,
        "rate": 4e-4,
        "head_rate": 8e-4,
    },
}
"""What a GPU is given at a time; its larger batches are learnt from at a higher rate."""
PREMISE_TOKENS, CLAIM_TOKENS = 120, 256
MANY_PAIRS = 20_000
MEASURED = 300
"""Pairs of each development part that calibration and the record are made on."""


def encode(pair: LabelledPair, reader: Reader, rarity: Sequence[float]) -> Encoded | None:
    """Read a pair through its first evidence window; None where one of its texts has no token."""
    claim = reader.ids(pair.hypothesis)[:CLAIM_TOKENS]
    pieces = reader.pieces(pair.premise, PREMISE_TOKENS)
    if not claim or not pieces:
        return None
    return read_window(reader, pieces, choose_windows(pieces, claim, rarity, PREMISE_TOKENS, 1)[0], claim)


def encode_all(
    pairs: Sequence[LabelledPair], reader: Reader, rarity: Sequence[float]
) -> list[Encoded | None]:
    """Read pairs as `encode` does, on all processors where they are many."""
    if len(pairs) < MANY_PAIRS or "fork" not in get_all_start_methods():
        return [encode(pair, reader, rarity) for pair in pairs]
    _shared.update(pairs=pairs, reader=reader, rarity=rarity)
    try:
        with ProcessPoolExecutor(mp_context=get_context("fork")) as workers:
            return list(workers.map(_encode_at, range(len(pairs)), chunksize=500))
    finally:
        _shared.clear()


_shared: dict[str, Any] = {}
"""What forked processes read without a copy being sent to them."""


def _encode_at(place: int) -> Encoded | None:
    return encode(_shared["pairs"][place], _shared["reader"], _shared["rarity"])


def token_rarity(reader: Reader, texts: Sequence[str], vocabulary: int) -> list[float]:
    """Inverse document frequency of every token over texts."""
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(set(reader.ids(text)))
    return rarity_of([counts[i] for i in range(vocabulary)], len(texts))


def macro_f1(labels: Sequence[int], predicted: Sequence[int]) -> float:
    """Mean F1 over the labels that occur in gold."""
    scores = []
    for label in sorted(set(labels)):
        hits = sum(g == p == label for g, p in zip(labels, predicted, strict=True))
        scores.append(2 * hits / (list(labels).count(label) + list(predicted).count(label)))
    return float(np.mean(scores))


def train(
    base: Path,
    sets: Sequence[Path],
    out: Path,
    *,
    minutes: float = 60.0,
    epochs: float = 2.0,
    settings: dict[str, int] | None = None,
    start_from: Path | None = None,
    without: Sequence[str] = (),
    most: int | None = None,
    recipe_data: Path | None = None,
    seed: int = 17,
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Train adapters and head on a base embedder and write them to the folder `out`.

    Args:
        base: folder of the base model (config.json, model.safetensors, tokenizer.json), named as in the registry.
        sets: folders of labelled sets, and files; see `gather`.
        out: where `adapter.safetensors` and `config.json` go.
        minutes: wall time after which the learning rate has reached its end.
        epochs: passes over the data after which it has, whichever comes first.
        settings: changes to `SETTINGS`.
        start_from: an `adapter.safetensors` to go on from; what it lacks starts anew.
        without: sets that are kept out of training and measured.
        most: pairs that are taken of any one set; see `gather`.
        recipe_data: folder of the reader's recipe; see `recipe_pairs`.
        seed: for data, order and initial weights.
        say: receives one line of progress at a time.

    Returns:
        The record in the config: macro-F1 of each development part, pairs by set, settings.

    Raises:
        UsageError: when a file cannot be read or there is no training pair.
    """
    from safetensors.torch import load_file

    chosen = {**SETTINGS, **(settings or {})}
    torch.manual_seed(seed)
    reader = Reader.from_folder(base)
    encoder = load_encoder(base, chosen["layers"]).bfloat16().requires_grad_(False)
    add_adapters(encoder, chosen["rank"], chosen["first_layer"])
    network = EntailmentNetwork(encoder, chosen["head_width"])
    pairs, dev = gather(sets, seed, without, most)
    if recipe_data:
        pairs += [pair for pair in recipe_pairs(recipe_data, seed) if pair.source not in without]
    known: dict[str, torch.Tensor] = {}
    if start_from:
        known = {name: value.float() for name, value in load_file(start_from).items()}
    rarity = known.pop("rarity", torch.empty(0)).tolist() or token_rarity(
        reader, list({pair.premise for pair in pairs}), encoder.shape.vocabulary
    )
    network.load_state_dict(known, strict=False)
    examples = [
        Example(encoded, pair.shares, SHARES.get(pair.source, Share()).weight, pair.source)
        for pair, encoded in zip(pairs, encode_all(pairs, reader, rarity), strict=True)
        if encoded is not None
    ]
    counts = Counter(example.source for example in examples)
    say(f"{len(examples)} pairs, {sum(len(e.encoded.ids) for e in examples)} tokens; {dict(counts)}")
    schedule = Schedule(epochs, minutes, seed=seed, **AT_ONCE[device_here()])
    trainer = Trainer(network, chosen["first_layer"], schedule, say)
    trainer.train(examples)
    found = measured(network, dev, reader, rarity, seed)
    calibration = fit_calibration({n: rows for n, rows in found.items() if n not in without})
    scores = {
        name: round(macro_f1(labels.tolist(), (logits + calibration.shift).argmax(1).tolist()), 4)
        for name, (labels, logits) in found.items()
    }
    record = {
        "dev_macro_f1": scores,
        "n_pairs": dict(counts),
        "left_out": list(without),
        "epochs": epochs,
        "minutes": minutes,
        "seed": seed,
    }
    write_model(
        out,
        trained_state(network),
        rarity,
        base=base,
        base_name=base.name,
        network=chosen,
        reading=WindowSettings(
            PREMISE_TOKENS, CLAIM_TOKENS, nearness=NEARNESS, other_drugs=OTHER_DRUGS, verbatim=VERBATIM
        ),
        calibration=calibration,
        record=record,
    )
    return record


def measured(
    network: EntailmentNetwork,
    dev: dict[str, list[LabelledPair]],
    reader: Reader,
    rarity: Sequence[float],
    seed: int,
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Score a sample of every development part that has three labels: (n,) labels and (n, 3) logits by set."""
    chance = random.Random(seed)
    found = {}
    for name, pairs in dev.items():
        some = chance.sample(pairs, min(MEASURED, len(pairs)))
        read = [(pair.label, encode(pair, reader, rarity)) for pair in some if pair.label is not None]
        rows = [(label, encoded) for label, encoded in read if encoded is not None]
        if len({label for label, _ in rows}) > 1:
            labels = np.array([label for label, _ in rows])
            found[name] = labels, predict(network, [encoded for _, encoded in rows])
    assert all(0 <= label < len(LABELS) for labels, _ in found.values() for label in labels)
    return found
