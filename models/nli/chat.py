"""A language model as citation checker: Supports, Contradicts, Neutral or Not relevant, by JSON schema.

The four labels are those of citation checking in BioGen (Supports, Contradicts, Neutral, Not relevant); the last
two both count as neutral, and the last one is kept as a remark. The model gives no probabilities, so its word
counts as 1 and cut-offs change nothing.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.fence import neutralise
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.deciding_sentence import deciding_sentence
from medassay.models.keys import content_key
from medassay.models.nli.labels import STAGE_VERSION
from medassay.models.records import PairVerdict, Span
from medassay.models.specs import parse_spec

LABELS = ("Supports", "Contradicts", "Neutral", "Not relevant")
NOT_QUOTED = "the quotation does not stand in the passage"
NOT_RELEVANT = "the model calls the source not relevant to the claim"
PREMISE_CHARACTERS = 8_000
LONGEST_PREMISE_CHARACTERS = 60_000
# In place of the empty quotation that the prompt asks for.
_NOTHING = re.compile(r"\W*(?:none|null|nil|n\W?a)?\W*", re.IGNORECASE)
# Servers that ignore the schema still mean one of the four.
_ALIKE = {
    word: label
    for label, words in zip(
        LABELS,
        (
            "supports support supported supporting",
            "contradicts contradict contradicted contradicting contradiction",
            "neutral",
            "notrelevant irrelevant unrelated",
        ),
        strict=True,
    )
    for word in words.split()
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sentence": {
            "type": "string",
            "description": "the sentence of the passage that decides, word for word",
        },
        "label": {"type": "string", "enum": list(LABELS)},
    },
    "required": ["sentence", "label"],
    "additionalProperties": False,
}


@cache
def checking_prompt() -> str:
    """Read the instructions; their digest is part of the fingerprint."""
    return files("medassay.models.nli").joinpath("prompts/citation_check.md").read_text(encoding="utf-8")


def describe_checker(spec: str) -> dict[str, Any]:
    """Name everything that a checker's verdict depends on.

    Raises:
        SpecError: for a spec that cannot be read.
    """
    parsed = parse_spec(spec)
    return {
        "model": parsed.model,
        "base_url": parsed.base_url,
        "prompt": content_key([checking_prompt(), SCHEMA]),
        "temperature": 0.0,
        "material": "neutralised",
        "reading": {"caution": 0.0, "premise_characters": PREMISE_CHARACTERS},
        "stage_version": STAGE_VERSION,
    }


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """One passage beside one claim."""

    premise: str
    hypothesis: str

    def request(self, item_key: str) -> Request[PairVerdict]:
        """Ask about it; the fixed part comes first, so that a provider's prefix cache serves it.

        Neither text can end its quotation marks, look like a control sign, or hold what nobody sees.
        """
        told = {"passage": neutralise(self.premise), "claim": neutralise(self.hypothesis)}
        material = json.dumps(told, ensure_ascii=False)
        return Request(
            item_key=item_key,
            messages=(Message("system", checking_prompt()), Message("user", material)),
            read=self.read,
            schema=SCHEMA,
            schema_name="citation_check",
            max_tokens=512,
        )

    def read(self, text: str) -> PairVerdict:
        """Read a reply as a verdict, and find the sentence that it quotes.

        The last object that names a label is meant: behind it may stand others, such as the schema once more. A
        quotation that the passage does not hold is remarked upon where it would be evidence.

        Raises:
            Complaint: naming the labels, for any other one.
        """
        reply = _meant([found.value for found in read_objects(text)])
        label = _ALIKE.get(re.sub(r"[^a-z]", "", str(reply.get("label", "")).lower()))
        if label is None:
            raise Complaint(f'"label" is {reply.get("label")!r} and must be one of {", ".join(LABELS)}')
        quoted = _quotation(reply.get("sentence"))
        place = _deciding(quoted, self.premise)
        remark = NOT_RELEVANT if label == "Not relevant" else None
        if label in ("Supports", "Contradicts") and quoted and not place:
            remark = NOT_QUOTED
        return PairVerdict(
            entailment=float(label == "Supports"),
            neutral=float(label in ("Neutral", "Not relevant")),
            contradiction=float(label == "Contradicts"),
            sentence=place and deciding_sentence(self.premise, self.hypothesis, place),
            remark=remark,
        )


def _quotation(told: Any) -> str:
    """Return what a reply quotes, without the words that stand for nothing."""
    return "" if not isinstance(told, str) or _NOTHING.fullmatch(told) else told


def _deciding(quoted: str, premise: str) -> Span | None:
    """Find a quotation and widen it to the sentences that it is taken from; one word quotes a sentence of one word."""
    from medassay.models.atomic.facts import locate_quote
    from medassay.models.folding import folded
    from medassay.models.text.sentences.splitting import sentences

    plain = folded(premise)
    found = locate_quote(folded(quoted).text, plain.text, Span(0, len(plain.text)))
    if found is None:
        return None
    touched = [s for s in sentences(plain.text) if s.start < found.end and found.start < s.end] or [found]
    whole = Span(touched[0].start, touched[-1].end)
    words = [len(plain.text[span.start : span.end].split()) for span in (found, whole)]
    return None if words[0] == 1 < words[1] else plain.original(whole)


def _meant(objects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the first of objects, told last first, that names a label, with its keys in lower case.

    It may stand alone inside another one. Where none names a label, the first is meant.
    """
    for value in objects:
        inner = [one for one in value.values() if isinstance(one, dict)]
        for one in (value, *inner) if len(inner) == 1 else (value,):
            named = {key.lower(): told for key, told in one.items()} | one
            # What is told as an object is the schema of a label.
            if "label" in named and not isinstance(named["label"], dict):
                return named
    return objects[0]
