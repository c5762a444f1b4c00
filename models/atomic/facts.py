"""Atomic facts by a language model: the request, and the reply read back to spans of the answer.

Nothing here talks to a model. A fact that cannot be found in its sentence is not believed: its sentence falls
back to the split by rule, with the reason, so that one bad quote costs one sentence and never the answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from medassay.models.chat.fence import found_unseen, neutralise
from medassay.models.records import Claim, Decomposition, Span
from medassay.models.text.claims.needless import needs_no_citation

_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "−": "-", "‑": "-", "\u00a0": " "}
)
_LONGEST_FACT = 1000
# A letter or digit of a script that parts its words by spaces; Thai to Burmese, Khmer, Chinese and Japanese do not.
_OF_A_WORD = r"[^\W\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"


@dataclass(frozen=True, slots=True)
class AtomicFact:
    """A fact as the model worded it, and where in the answer it was read."""

    sentence: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AtomicReading:
    """What came of a reply: facts by sentence, and for each sentence without a usable reading the reason."""

    facts: Mapping[int, tuple[AtomicFact, ...]]
    refused: Mapping[int, str]


@cache
def atomic_prompt() -> str:
    """Read the instructions; their digest belongs in the fingerprint."""
    return files("medassay.models.atomic").joinpath("prompts/atomic_facts.md").read_text(encoding="utf-8")


def atomic_request(sentences: Sequence[str]) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Build the messages and the JSON schema that ask for the facts of these sentences, numbered from 1.

    The fixed part comes first, so that a provider's prefix cache serves it. No sentence can end its quotation marks,
    look like a control sign, or hold what nobody sees.
    """
    numbered = json.dumps(
        [{"id": n, "sentence": neutralise(s)} for n, s in enumerate(sentences, start=1)], ensure_ascii=False
    )
    messages = [{"role": "system", "content": atomic_prompt()}, {"role": "user", "content": numbered}]
    fact = _object({"fact": {"type": "string"}, "quote": {"type": "string"}})
    ids: dict[str, Any] = {"type": "integer", "enum": list(range(1, len(sentences) + 1))}
    sentence = _object({"id": ids, "facts": {"type": "array", "items": fact}})
    return messages, _object({"sentences": {"type": "array", "items": sentence}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_atomic(reply: Mapping[str, Any], text: str, spans: Sequence[Span]) -> AtomicReading:
    """Read a reply to `atomic_request` for the sentences text[span.start:span.end], numbered from 1.

    Args:
        reply: The parsed JSON object; anything may be wrong with it.
        text: The answer.
        spans: The sentences that were asked about, in order.

    Returns:
        The facts of each sentence that came back exactly once with quotes that are in it; for each other one, why not.
    """
    listed = reply.get("sentences")
    given: dict[int, list[Any]] = {}
    for entry in listed if isinstance(listed, list) else []:
        if (
            isinstance(entry, Mapping)
            and isinstance(entry.get("id"), int)
            and not isinstance(entry["id"], bool)
        ):
            given.setdefault(entry["id"], []).append(entry.get("facts"))
    facts: dict[int, tuple[AtomicFact, ...]] = {}
    refused: dict[int, str] = {}
    for number, span in enumerate(spans, start=1):
        answers = given.get(number, [])
        if len(answers) != 1:
            refused[number] = (
                "the reply left the sentence out" if not answers else "the reply has the sentence twice"
            )
            continue
        read = _facts(number, answers[0], text, span)
        if isinstance(read, str):
            refused[number] = read
        else:
            facts[number] = read
    return AtomicReading(facts, refused)


def _facts(number: int, raw: Any, text: str, span: Span) -> tuple[AtomicFact, ...] | str:
    if not isinstance(raw, list):
        return "the reply has no list of facts for the sentence"
    found: list[AtomicFact] = []
    for item in raw:
        fact = item.get("fact") if isinstance(item, Mapping) else None
        quote = item.get("quote") if isinstance(item, Mapping) else None
        if (
            not isinstance(fact, str)
            or not isinstance(quote, str)
            or not fact.strip()
            or len(fact) > _LONGEST_FACT
        ):
            return "a fact of the reply is empty, too long or not text"
        place = locate_quote(quote, text, span)
        if place is None:
            return "a quote of the reply is not in the sentence"
        if fact.strip() not in (f.text for f in found):
            found.append(AtomicFact(number, re.sub(r"\s+", " ", fact).strip(), place.start, place.end))
    return tuple(found)


def locate_quote(quote: str, text: str, span: Span) -> Span | None:
    """Find a quote in text[span.start:span.end]: exactly, else whatever its quotation marks, dashes and case.

    Where it is not there in either way it is looked for in the text as a model is shown it, neutralised. It never
    begins or ends in mid-word.
    """
    wanted = quote.strip(' \t\r\n.…"“”')
    if not wanted:
        return None
    if found := re.compile(_whole_words(re.escape(wanted))).search(text, span.start, span.end):
        return Span(found.start(), found.end())
    words = map(re.escape, wanted.translate(_QUOTES).split())
    pattern = re.compile(_whole_words(r"\s+".join(words)), re.IGNORECASE)
    if found := pattern.search(text[span.start : span.end].translate(_QUOTES)):
        return Span(span.start + found.start(), span.start + found.end())
    as_shown = found_unseen(text[span.start : span.end])
    if as_shown is None:
        return None
    shown, places = as_shown
    found = pattern.search(shown.translate(_QUOTES))
    return (
        Span(span.start + places[found.start()], span.start + places[found.end() - 1] + 1) if found else None
    )


def _whole_words(pattern: str) -> str:
    inside = rf"(?<={_OF_A_WORD})(?={_OF_A_WORD})"
    return rf"(?!{inside}){pattern}(?!{inside})"


def sentences_to_split(decomposition: Decomposition) -> list[Span]:
    """List what is worth asking about: the claims of the rule split, as spans of the answer.

    A fragment of a list or table is left as it is: it is atomic, and the words that introduce it are not in its span.
    """
    return [
        Span(claim.start, claim.end)
        for claim in decomposition.claims
        if claim.kind == "claim" and claim.needs_citation and len(claim.text) <= claim.end - claim.start
    ]


def apply_atomic(text: str, question: str, rule: Decomposition, reading: AtomicReading) -> Decomposition:
    """Put the facts in place of the rule's claims; a claim that was refused or holds one fact stays as it was.

    `reading` must be of `sentences_to_split(rule)`. A fact inherits the citations of the claim it was read from:
    that is already the smallest piece that markers were written for.
    """
    lost = 0
    places = {span: number for number, span in enumerate(sentences_to_split(rule), start=1)}
    claims: list[Claim] = []
    for claim in rule.claims:
        number = places.get(Span(claim.start, claim.end)) if claim.kind == "claim" else None
        facts = reading.facts.get(number, ()) if number is not None else ()
        if len(facts) < 2:
            refused = reading.refused.get(number) if number is not None else None
            claims.append(replace(claim, position=len(claims), split_reason=refused))
            continue
        lost += _left_out(text, claim, facts)
        for fact in facts:
            needless = needs_no_citation(fact.text, question)
            made = Claim(
                position=len(claims),
                text=fact.text,
                start=fact.start,
                end=fact.end,
                kind="claim",
                needs_citation=needless is None,
                needs_reason=needless,
                citations=claim.citations,
            )
            claims.append(made)
    return Decomposition(
        tuple(claims), rule.sources, rule.n_characters, rule.n_characters_covered - lost, rule.has_references
    )


def left_to_the_rules(rule: Decomposition, reason: str) -> Decomposition:
    """Keep every claim of the rules that was asked about, and say why no fact took its place."""
    asked = set(sentences_to_split(rule))
    claims = [
        replace(claim, split_reason=reason)
        if claim.kind == "claim" and Span(claim.start, claim.end) in asked
        else claim
        for claim in rule.claims
    ]
    return replace(rule, claims=tuple(claims))


def _left_out(text: str, claim: Claim, facts: Sequence[AtomicFact]) -> int:
    """Count the letters and digits of a claim that no fact quotes and no citation holds."""
    held = [(f.start, f.end) for f in facts]
    held += [(c.start, c.end) for c in claim.citations if c.start is not None and c.end is not None]
    count, position = 0, claim.start
    for start, end in [*sorted(held), (claim.end, claim.end)]:
        count += sum(c.isalnum() for c in text[position : max(position, start)])
        position = max(position, end)
    return count
