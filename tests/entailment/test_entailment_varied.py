"""Training that does not learn its pairs by heart."""

import random
from pathlib import Path

import torch

from medassay.models.entailment.encoder import load_encoder
from medassay.models.entailment.labels import CONTRADICTION
from medassay.models.entailment.reading import Encoded, Reader
from medassay.models.entailment.training.pairs import LabelledPair
from medassay.models.entailment.training.varied import varied

PAIR = LabelledPair(
    "Blood was stored at night. Aspirin lowered the risk of stroke in adults. Exercise improved sleep.",
    "Aspirin raised the risk of stroke.",
    CONTRADICTION,
    "made",
    "1",
)


def readings(base_folder: Path, premise_tokens: int = 40) -> tuple[Reader, list[Encoded]]:
    reader = Reader.from_folder(base_folder)
    rarity = [1.0] * 64
    made = [varied(PAIR, reader, rarity, premise_tokens, 20, random.Random(n)) for n in range(200)]
    return reader, made


def test_a_pair_is_read_otherwise_every_time_and_its_claim_never(base_folder: Path) -> None:
    reader, made = readings(base_folder)
    assert len({one.ids for one in made}) > 20
    assert {one.ids[slice(*one.hypothesis)] for one in made} == {reader.ids(PAIR.hypothesis)}
    again = varied(PAIR, reader, [1.0] * 64, 40, 20, random.Random(7))
    assert again == made[7]


def test_the_sentence_nearest_to_the_claim_is_always_there_and_others_come_and_go(base_folder: Path) -> None:
    reader, made = readings(base_folder)
    nearest = len(reader.ids("Aspirin lowered the risk of stroke in adults."))
    lengths = [stop - start for start, stop in (one.premise for one in made)]
    assert min(lengths) == nearest
    assert max(lengths) == len(reader.ids(PAIR.premise))
    missing = sum(length < max(lengths) for length in lengths)
    assert 0.3 < missing / len(made) < 0.6  # 1 - .75²


def test_one_token_in_twenty_of_the_passage_is_hidden(base_folder: Path) -> None:
    reader, made = readings(base_folder)
    assert reader.mask_id is not None
    hidden = sum(one.ids.count(reader.mask_id) for one in made)
    read = sum(one.premise[1] - one.premise[0] for one in made)
    assert 0.03 < hidden / read < 0.07


def test_dropout_is_of_the_layers_it_is_set_for_and_of_training_only(base_folder: Path) -> None:
    encoder = load_encoder(base_folder)
    encoder.drop_out(0.5, 1)
    ids = torch.tensor([[0, 7, 8, 2]])
    mask = torch.ones_like(ids, dtype=torch.bool)
    below = [encoder.train().climb(encoder.embed(ids), mask, 0, 1) for _ in range(2)]
    assert torch.equal(*below)
    assert not torch.equal(*(encoder.train()(ids, mask) for _ in range(2)))
    assert torch.equal(*(encoder.eval()(ids, mask) for _ in range(2)))
