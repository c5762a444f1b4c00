"""A guard on what leaves the machine: names, dates, contacts and numbers of patients, found by rule.

Rules find what is written in the usual ways and miss the rest; the guard lowers a risk, it certifies nothing.
What it finds is blocked, or replaced by placeholders whose meaning stays on this machine, or let through.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.fence import blocks_in, with_blocks
from medassay.models.chat.reply import Complaint
from medassay.models.judges.judgement import JudgeInput
from medassay.models.phi.finding import NOTHING_KNOWN, FoundValues, find_phi, found_everywhere
from medassay.models.phi.grammar import Kind
from medassay.models.phi.placeholders import numbered, redacted, restored

Policy = Literal["block", "redact", "allow"]

GUARDED_FIELDS = ("question", "profile", "messages", "answer", "guidance", "risk_level")
GUARDED_OF_A_REFERENCE = ("title", "content", "source", "url", "document")
PATIENTS_OWN = ("question", "profile", "messages")
"""Where a date is the patient's even if it says "updated"."""
PASSAGE = ".'passage'"
"""Where a request about a citation holds the source's words."""


class PhiBlocked(ValueError):
    """Something that may name a patient would have left the machine; the message says what kind, never the text."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A judge input as it may leave, what was found in it, and what the placeholders mean (kept on this machine)."""

    judge_input: JudgeInput
    n_found: Mapping[Kind, int]
    meaning: Mapping[str, str]


def guard(judge_input: JudgeInput, policy: Policy, known: FoundValues = NOTHING_KNOWN) -> Guarded:
    """Apply the policy to everything a judge is shown, the references among it: block, redact or allow.

    The same text always gets the same placeholder, so that a judge can still tell two people apart. A date in a
    reference counts only where the reference names somebody too: publications are full of dates. What is `known` from
    elsewhere counts, too: an answer may name whom another question of its case has named.

    Raises:
        PhiBlocked: under `block`, when anything was found.
    """
    texts = {name: getattr(judge_input, name) or "" for name in GUARDED_FIELDS}
    for n, reference in enumerate(judge_input.references):
        texts |= {f"{n}/{name}": getattr(reference, name) or "" for name in GUARDED_OF_A_REFERENCE}
    counts, clean, meaning = guard_texts(texts, policy, known)
    if policy != "redact":
        return Guarded(judge_input, counts, {})
    references = tuple(
        replace(
            reference,
            **{
                name: clean[f"{n}/{name}"]
                for name in GUARDED_OF_A_REFERENCE
                if clean[f"{n}/{name}"] != texts[f"{n}/{name}"]
            },
        )
        for n, reference in enumerate(judge_input.references)
    )
    changed: dict[str, Any] = {name: clean[name] for name in GUARDED_FIELDS if clean[name] != texts[name]}
    return Guarded(replace(judge_input, references=references, **changed), counts, meaning)


def guard_texts(
    texts: Mapping[str, str], policy: Policy, known: FoundValues = NOTHING_KNOWN
) -> tuple[dict[Kind, int], dict[str, str], dict[str, str]]:
    """Apply the policy to named texts; return counts, the texts as they may leave, and what placeholders mean.

    Texts named `number/field` belong to one reference. What one text gives away is found in all of them, and so is what
    is `known` from texts that stay here.

    Raises:
        PhiBlocked: under `block`, when anything was found.
    """
    found = {
        name: find_phi(text, own=name in PATIENTS_OWN, published=_reference(name) is not None)
        for name, text in texts.items()
    }
    found = found_everywhere(texts, found, known)
    naming = {_reference(name) for name, several in found.items() for one in several if one.kind != "date"}
    found = {
        name: [
            one for one in several if one.kind != "date" or not _reference(name) or _reference(name) in naming
        ]
        for name, several in found.items()
    }
    counts: dict[Kind, int] = {}
    for one in (one for several in found.values() for one in several):
        counts[one.kind] = counts.get(one.kind, 0) + 1
    if policy == "block" and counts:
        raise PhiBlocked(
            f"found {in_words(counts)}; nothing was sent. Use --phi redact to send placeholders instead, or "
            "--phi allow if the data names nobody"
        )
    if policy != "redact":
        return counts, dict(texts), {}
    placeholders = numbered(texts, found)
    clean = {name: redacted(text, found[name], placeholders) for name, text in texts.items()}
    return counts, clean, {placeholder: text for text, placeholder in placeholders.items()}


def known_from(texts: Iterable[tuple[str, str]]) -> FoundValues:
    """Learn who and what is named in the patient's own texts and others, as (name of the field, text)."""
    return FoundValues(one for name, text in texts for one in find_phi(text, own=name in PATIENTS_OWN))


def count_phi(texts: Mapping[str, str]) -> dict[Kind, int]:
    """Count by kind what may name a person in named texts; those of one reference are called `number/field`."""
    return guard_texts(texts, "allow")[0]


def _reference(name: str) -> str | None:
    """Return which reference a text belongs to; a system's name may have a slash in it, too."""
    number = re.match(r"\d+(?=/)", name)
    return number and number.group()


def in_words(counts: Mapping[Kind, int]) -> str:
    """Name the kinds with their numbers, and never what was found."""
    return ", ".join(f"{n} × {kind}" for kind, n in sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class GuardedRequest:
    """A request as it may leave, what was found in it, and what the placeholders mean (kept on this machine)."""

    request: Request[Any]
    n_found: Mapping[Kind, int]
    meaning: Mapping[str, str]


def guard_request(
    request: Request[Any], policy: Policy, known: FoundValues = NOTHING_KNOWN
) -> GuardedRequest:
    """Guard what a request says; in a turn that is JSON or has fences, the texts in it one by one.

    Dates in the passage of a source count as they do in a reference. Under `block` all dates do: the run's own texts
    were looked at whole before it began, and a sentence that is cut from them, without its "published on", is no news.
    What is `known` from elsewhere counts, too: a sentence that is sent alone does not say whose name is in it.
    """
    turns = {
        place: _read(turn.content) for place, turn in enumerate(request.messages) if turn.role != "system"
    }
    texts = {
        f"{place}{'/' if policy == 'block' or path == PASSAGE else ''}{path}": text
        for place, value in turns.items()
        for path, text in _texts_in(value)
    }
    counts, clean, meaning = guard_texts(texts, "allow" if policy == "block" else policy, known)
    if not meaning:
        return GuardedRequest(_marked(request), counts, meaning)
    in_json = {placeholder: json.dumps(text)[1:-1] for placeholder, text in meaning.items()}
    fresh = iter(clean.values())
    messages = tuple(
        Message(turn.role, _written(_with(turns[place], fresh), turn.content)) if place in turns else turn
        for place, turn in enumerate(request.messages)
    )
    leaves = replace(request, messages=messages, read=_Restoring(request.read, in_json))
    return GuardedRequest(_marked(leaves), counts, meaning)


def _marked(request: Request[Any]) -> Request[Any]:
    """Name what leaves, so that its calls, whatever is added to ask again, can be told to be of it."""
    return replace(request, guard_key=request.prompt_digest)


@dataclass(frozen=True, slots=True)
class _Restoring:
    """Reads a reply with what its placeholders stand for; what is wrong with it is said without.

    A complaint goes back to the model and quotes the reply: a reply that names a placeholder in the wrong place would
    be told its meaning.
    """

    read: Callable[[str], Any]
    meaning: Mapping[str, str]

    def __call__(self, text: str) -> Any:
        as_it_came = self.read(text)
        whole = restored(text, self.meaning)
        if whole == text:
            return as_it_came
        try:
            return self.read(whole)
        except Complaint:
            raise Complaint("a placeholder in square brackets stands where none can be put back") from None


def _read(content: str) -> Any:
    """Return a turn's material: the texts between its fences, the value where it is JSON, otherwise all of it."""
    if blocks := blocks_in(content):
        return blocks
    try:
        value = json.loads(content)
    except ValueError:
        return content
    return value if isinstance(value, dict | list) else content


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _texts_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of the material with its path, such as `.'passage'` or `.0.'sentence'`."""
    if isinstance(value, str):
        yield path, value
    for name, part in _parts(value):
        yield from _texts_in(part, f"{path}.{name!r}")


def _with(value: Any, fresh: Iterator[str]) -> Any:
    """Put fresh texts in the places of the old ones, in their order."""
    if isinstance(value, str):
        return next(fresh)
    if isinstance(value, dict):
        return {name: _with(part, fresh) for name, part in value.items()}
    return [_with(part, fresh) for part in value] if isinstance(value, list) else value


def _written(value: Any, content: str) -> str:
    """Write material in the form in which it was read from a turn."""
    if blocks_in(content):
        return with_blocks(content, value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
