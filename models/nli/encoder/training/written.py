"""Hand-written pairs of everyday medicine: paraphrased, denied, not mentioned, half stated."""

import json
import random
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from medassay.models.nli.encoder.training.pairs import LabelledPair, Shares

FILE = "written.jsonl"
ALONE = 0.45
"""How often a passage stands alone; else sentences about something else stand around it, as in an answer."""

SAYS, NEITHER, OTHERWISE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def written_items() -> list[dict[str, Any]]:
    """Read the items of the package.

    Each has a `nugget`; passages that say it (`says`), that say otherwise (`against`) and that do neither (`silent`);
    the nugget joined to a claim that none of them states (`invented`); and under `halves` a statement of two facts with
    a passage that states the first alone.
    """
    text = files("medassay.models.nli.encoder.training").joinpath(FILE).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def written_pairs(seed: int) -> list[LabelledPair]:
    """Make the pairs of all items, in their order."""
    chance = random.Random(seed)
    items = written_items()
    elsewhere = [text for item in items for text in item["silent"]]

    def amid(text: str) -> str:
        if chance.random() < ALONE:
            return text
        before, after = chance.sample(elsewhere, 2)
        return " ".join(chance.choice(([text, after], [before, text], [before, text, after])))

    return [
        LabelledPair(premise, hypothesis, shares, "written", f"written/{number}")
        for number, item in enumerate(items)
        for premise, hypothesis, shares in _pairs_of(item, chance.choice(items), amid)
    ]


def _pairs_of(item: dict[str, Any], other: dict[str, Any], amid: Any) -> Iterator[tuple[str, str, Shares]]:
    nugget, halves = item["nugget"], item["halves"]
    for text in item["says"]:
        yield amid(text), nugget, SAYS
        yield text, item["invented"], NEITHER
    for text in item["against"]:
        yield text, nugget, OTHERWISE
        yield amid(text), nugget, OTHERWISE
    for text in item["silent"]:
        yield amid(text), nugget, NEITHER
    yield nugget, item["says"][0], SAYS
    yield nugget, item["against"][0], OTHERWISE
    yield halves["passage"], halves["statement"], NEITHER
    yield halves["statement"], halves["passage"], SAYS
    if other is not item:
        yield amid(other["says"][0]), nugget, NEITHER
