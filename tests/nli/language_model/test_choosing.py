"""Which reader `auto` means, and what a run says about its reader."""

from pathlib import Path

import pytest

from medassay.models.nli.choosing import (
    CASCADE,
    ENCODER,
    LANGUAGE_MODEL,
    LEFT_OUT,
    long_reading,
    named_reader,
    weaker_than_could_be,
)


@pytest.mark.parametrize(("models_are_here", "reader"), [(True, CASCADE), (False, ENCODER)])
def test_auto_is_the_cascade_where_its_models_are_here(
    monkeypatch: pytest.MonkeyPatch, models_are_here: bool, reader: str
) -> None:
    monkeypatch.delenv("MEDASSAY_READER")
    monkeypatch.setattr("medassay.models.nli.language_model.merging.reader_is_here", lambda: models_are_here)
    rows = [type("Row", (), {"name": "all-mpnet-base-v2", "pulled": models_are_here})]
    monkeypatch.setattr("medassay.models.weights.listing", lambda cache=None: rows)
    assert named_reader("auto") == reader
    assert (weaker_than_could_be(ENCODER) is None) == models_are_here


def test_what_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (named_reader("encoder"), named_reader(" llm ")) == (ENCODER, "llm")
    monkeypatch.setenv("MEDASSAY_READER", "cascade")
    assert named_reader("auto") == CASCADE
    assert weaker_than_could_be(ENCODER) is None


def test_a_long_reading_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medassay.models.processor.arithmetic_on", lambda _: "int8")
    said = long_reading(CASCADE, 2_000, on_gpu=False)
    assert said is not None and said.startswith(
        "the language model reads up to 2,000 pairs, about 30 minutes"
    )
    assert long_reading(CASCADE, 100, on_gpu=False) is None
    assert long_reading(CASCADE, 2_000, on_gpu=True) is None
    assert long_reading(ENCODER, 2_000, on_gpu=False) is None


def test_figures_of_the_packaged_readers_are_those_of_the_documentation() -> None:
    """A line of the table is `| measure | reader | seen | other rows | left out |`."""
    page = (Path(__file__).parents[3] / "docs" / "reader.md").read_text("utf-8")
    names = {ENCODER: "encoder", LANGUAGE_MODEL: "language model"}
    measure, found = "", {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 5:
            measure = cells[0] or measure
            found[measure, cells[1]] = cells[4].partition(" (")[0]
    for reader, said in LEFT_OUT.items():
        covered, seen, kappa = (
            found[name, names[reader]]
            for name in (
                "inversions_dev: true ones covered",
                "inversions_dev: inversions contradicted",
                "K-QA dev2: κ with physicians, 121 labels",
            )
        )
        assert said.startswith(f"{covered} true paraphrases covered, {seen} turned around seen")
        assert said.endswith(kappa)
