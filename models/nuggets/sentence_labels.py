"""Sentence labels by a language model, as in BioACE and TREC BioGen.

Source: Gupta, Bartels & Demner-Fushman, BioACE (2026), answer completeness; the four labels are those of the TREC
2024 BioGen track. Pure functions: they build requests and read replies; whoever calls them does the network.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from medassay.models.nuggets.requests import (
    ModelRequest,
    digest_of,
    numbered,
    template,
    verdicts_by_id,
    verdicts_schema,
)

SentenceLabel = Literal["required", "unnecessary", "borderline", "inappropriate"]
LABELS: tuple[SentenceLabel, ...] = get_args(SentenceLabel)
BATCH = 20
VERSION = 2


def describe() -> dict[str, Any]:
    """Return what is asked: the prompt by its digest, the batch and the labels there are."""
    return {
        "method": "sentence labels by a model",
        "prompt": digest_of("sentence_labels"),
        "batch": BATCH,
        "labels": list(LABELS),
        "stage_version": VERSION,
    }


def label_requests(question: str, sentences: Sequence[str], batch: int = BATCH) -> list[ModelRequest]:
    """Build the requests that label every sentence of an answer; ids are `s1`, `s2` and on."""
    requests = []
    for first in range(0, len(sentences), batch):
        part = sentences[first : first + batch]
        ids = tuple(f"s{first + place + 1}" for place in range(len(part)))
        material = {"question": question, "sentences": numbered(ids, part)}
        schema = verdicts_schema("label", LABELS, ids)
        digest = digest_of("sentence_labels")
        requests.append(ModelRequest(template("sentence_labels"), material, schema, digest, ids))
    return requests


def read_labels(request: ModelRequest, reply: Any) -> dict[int, tuple[SentenceLabel | None, str | None]]:
    """Read one reply as sentence position → (label, None), or (None, why there is none)."""
    by_name: dict[str | None, SentenceLabel] = {label: label for label in LABELS}
    return {
        int(name[1:]) - 1: (by_name.get(label), reason)
        for name, (label, reason) in verdicts_by_id(reply, "label", LABELS, request.ids).items()
    }
