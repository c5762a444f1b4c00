"""A guard on what leaves the machine: names, dates, contacts and numbers of patients, found by rule.

Rules find what is written in the usual ways and miss the rest; the guard lowers a risk, it certifies nothing.
What it finds is blocked, or replaced by placeholders whose meaning stays on this machine, or let through.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from medassay.models.judges.judgement import JudgeInput
from medassay.models.judges.phi.finding import NOTHING_KNOWN, Known, find_phi, found_everywhere
from medassay.models.judges.phi.grammar import Kind
from medassay.models.judges.phi.placeholders import numbered, redacted

Policy = Literal["block", "redact", "allow"]


class PhiBlocked(ValueError):
    """Something that may name a patient would have left the machine; the message says what kind, never the text."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A judge input as it may leave, what was found in it, and what the placeholders mean (kept on this machine)."""

    judge_input: JudgeInput
    n_found: Mapping[Kind, int]
    meaning: Mapping[str, str]


GUARDED_FIELDS = ("question", "profile", "messages", "answer", "guidance", "risk_level")
GUARDED_OF_A_REFERENCE = ("title", "content", "source", "url", "document")
PATIENTS_OWN = ("question", "profile", "messages")
"""Where a date is the patient's even if it says "updated"."""


def guard(judge_input: JudgeInput, policy: Policy, known: Known = NOTHING_KNOWN) -> Guarded:
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
    texts: Mapping[str, str], policy: Policy, known: Known = NOTHING_KNOWN
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


def known_from(texts: Iterable[tuple[str, str]]) -> Known:
    """Learn who and what is named in the patient's own texts and others, as (name of the field, text)."""
    return Known(one for name, text in texts for one in find_phi(text, own=name in PATIENTS_OWN))


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
