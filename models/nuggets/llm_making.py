"""Nuggets made and graded by a language model, with AutoNuggetizer's windows and caps.

Source: Pradeep et al. 2024, sections 3.1 and 3.2: the list is updated window by window, at most 30 nuggets,
then graded in batches of 10. Pure functions; whoever calls them does the network.
"""

from collections.abc import Sequence
from typing import Any

from medassay.models.nuggets.evidence import MadeNugget
from medassay.models.nuggets.requests import (
    ModelRequest,
    digest_of,
    numbered,
    template,
    verdicts_by_id,
    verdicts_schema,
)
from medassay.models.nuggets.words import keys, share, words
from medassay.models.records import Importance
from medassay.models.text.sentences.splitting import sentences

MAX_NUGGETS = 30
SENTENCES_A_WINDOW = 10
GRADED_AT_ONCE = 10
GRADES: tuple[Importance, ...] = ("vital", "okay")
VERSION = 3


def describe() -> dict[str, Any]:
    """Return what is asked: the prompts by digest, the windows and the caps."""
    return {
        "method": "nuggets by a model",
        "creation": digest_of("creation"),
        "importance": digest_of("importance"),
        "sentences_a_window": SENTENCES_A_WINDOW,
        "max_nuggets": MAX_NUGGETS,
        "graded_at_once": GRADED_AT_ONCE,
        "stage_version": VERSION,
    }


def windows(reference: str, size: int = SENTENCES_A_WINDOW) -> list[str]:
    """Cut a reference answer into windows of whole sentences, in order; nothing between them is lost."""
    spans = sentences(reference)
    if not spans:
        return []
    firsts = [spans[index].start for index in range(0, len(spans), size)]
    edges = [0, *firsts[1:], len(reference)]
    return [reference[start:end].strip() for start, end in zip(edges, edges[1:], strict=False)]


def creation_request(
    question: str, window: str, so_far: Sequence[str], cap: int = MAX_NUGGETS
) -> ModelRequest:
    """Build the request that updates the list of nuggets with one window of the reference."""
    listed = "\n".join(f"- {' '.join(nugget.split())}" for nugget in so_far) or "(none yet)"
    material = {"question": question, "nuggets so far": listed, "context": window}
    schema = {
        "type": "object",
        "properties": {"nuggets": {"type": "array", "items": {"type": "string"}, "maxItems": cap}},
        "required": ["nuggets"],
        "additionalProperties": False,
    }
    instructions = template("creation").replace("{max_nuggets}", str(cap))
    return ModelRequest(instructions, material, schema, digest_of("creation"))


def read_creation(reply: Any, so_far: Sequence[str], cap: int = MAX_NUGGETS) -> tuple[list[str], str | None]:
    """Return the updated list, or the list as it was and the reason why the reply could not be used."""
    rows = reply.get("nuggets") if isinstance(reply, dict) else None
    if not isinstance(rows, list):
        return list(so_far), "the reply holds no list of nuggets"
    texts = [" ".join(row.split()) for row in rows if isinstance(row, str) and row.strip()]
    firsts: dict[str, str] = {}
    for text in texts:
        firsts.setdefault(text.casefold(), text)
    if not firsts and so_far:
        return list(so_far), "the reply drops every nugget found so far"
    return list(firsts.values())[:cap], None


def importance_requests(
    question: str, nuggets: Sequence[str], batch: int = GRADED_AT_ONCE
) -> list[ModelRequest]:
    """Build the requests that grade nuggets as vital or okay; ids are `n1`, `n2` and on."""
    requests = []
    for first in range(0, len(nuggets), batch):
        part = nuggets[first : first + batch]
        ids = tuple(f"n{first + place + 1}" for place in range(len(part)))
        material = {"question": question, "nuggets": numbered(ids, part)}
        schema = verdicts_schema("importance", GRADES, ids)
        requests.append(ModelRequest(template("importance"), material, schema, digest_of("importance"), ids))
    return requests


def read_importance(request: ModelRequest, reply: Any) -> dict[int, tuple[Importance | None, str | None]]:
    """Read one reply as nugget position → (grade, None), or (None, reason)."""
    found = verdicts_by_id(reply, "importance", GRADES, request.ids)
    grade_of: dict[str, Importance] = {"vital": "vital", "okay": "okay"}
    return {
        int(name[1:]) - 1: (None if grade is None else grade_of[grade], reason)
        for name, (grade, reason) in found.items()
    }


def placed(text: str, grade: Importance | None, reference: str) -> MadeNugget:
    """Tie a nugget in the model's words to the sentence of the reference that holds most of its words.

    One without a grade counts as vital, as given nuggets do.
    """
    importance, graded = grade or "vital", grade is not None
    wanted = keys(words(text))
    shares = {
        span: share(wanted, keys(words(reference[span.start : span.end]))) for span in sentences(reference)
    }
    # A nugget without telling words is not known to stand elsewhere.
    held = {span: 1.0 if part is None else part for span, part in shares.items()}
    if not held:
        return MadeNugget(text, importance, 0, len(reference), 0.0, graded)
    best = max(held, key=lambda span: (held[span], -span.start))
    return MadeNugget(text, importance, best.start, best.end, held[best], graded)
