"""The self-test of a model: once for the same weights."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from medassay.models.nli.known_answers import KNOWN, STAMP, check_once
from medassay.models.nli.labels import Pair, SelfTestFailed
from medassay.models.records import PairVerdict


class Knowing:
    """A model that knows the known answers, or says neutral to all."""

    pairs_at_once = 8

    def __init__(self, *, is_sound: bool = True, dtype: str = "float32") -> None:
        self.fingerprint = {"name": "m", "dtype": dtype}
        self.is_sound, self.asked = is_sound, 0

    def score(self, pairs: Sequence[Pair], on_progress: object = None) -> list[PairVerdict]:
        self.asked += 1
        gold = {(premise, hypothesis): label for premise, hypothesis, label in KNOWN}
        labels = [gold[pair] if self.is_sound else 1 for pair in pairs]
        return [PairVerdict(*(0.9 if label == place else 0.05 for place in range(3))) for label in labels]


def test_weights_that_passed_are_not_asked_again_until_they_or_the_arithmetic_change(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"one")
    first, second, other = Knowing(), Knowing(), Knowing(dtype="bfloat16")
    for model in (first, second, other, other):
        check_once(model, "m", weights)
    assert (first.asked, second.asked, other.asked) == (1, 0, 1)
    weights.write_bytes(b"another")
    with pytest.raises(SelfTestFailed):
        check_once(Knowing(is_sound=False, dtype="bfloat16"), "m", weights)
    assert (tmp_path / STAMP).exists()
    with pytest.raises(SelfTestFailed):
        check_once(Knowing(is_sound=False, dtype="bfloat16"), "m", weights)
