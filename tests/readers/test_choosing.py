"""Which reader `auto` means: the better one where it is fast enough, else the encoder, and that is said."""

import pytest

from medassay.models.readers import choosing
from medassay.models.readers.choosing import CASCADE, ENCODER, named_reader, weaker_than_could_be


@pytest.mark.parametrize(
    ("bfloat16", "gpu", "models_are_here", "reader"),
    [
        (True, False, True, CASCADE),
        (False, True, True, CASCADE),
        (False, False, True, ENCODER),
        (True, True, False, ENCODER),
    ],
)
def test_auto_is_the_cascade_where_it_is_fast_and_its_models_are_here(
    monkeypatch: pytest.MonkeyPatch, bfloat16: bool, gpu: bool, models_are_here: bool, reader: str
) -> None:
    monkeypatch.delenv("MEDASSAY_READER")
    monkeypatch.setattr(choosing, "multiplies_bfloat16", lambda: bfloat16)
    monkeypatch.setattr(choosing, "has_gpu", lambda: gpu)
    monkeypatch.setattr("medassay.models.readers.merging.reader_is_here", lambda: models_are_here)
    rows = [type("Row", (), {"name": "all-mpnet-base-v2", "pulled": models_are_here})]
    monkeypatch.setattr("medassay.models.registry.listing", lambda: rows)
    assert named_reader("auto") == reader
    assert (weaker_than_could_be(reader) is not None) == (reader == ENCODER and not bfloat16 and not gpu)


def test_what_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (named_reader("encoder"), named_reader(" llm ")) == (ENCODER, "llm")
    monkeypatch.setenv("MEDASSAY_READER", "cascade")
    assert named_reader("auto") == CASCADE
    assert weaker_than_could_be(ENCODER) is None
