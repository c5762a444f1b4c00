"""A guard on what leaves the machine: names, dates, contacts and numbers of patients, found by rule.

Rules find what is written in the usual ways and miss the rest; the guard lowers a risk, it certifies nothing.
What it finds is blocked, or replaced by placeholders whose meaning stays on this machine, or let through.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from models.judges.judgement import JudgeInput

Policy = Literal["block", "redact", "allow"]
Kind = Literal["name", "date", "phone", "email", "record number", "insurance number", "address"]

_NAME = r"[A-Z][\w'’-]+(?:\s+(?:van|von|de|der|di|la|el|bin)\s+|\s+[A-Z]\.\s*|\s+)?(?:[A-Z][\w'’-]+)?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_NUMBER_SIGN = r"(?:\s*(?:no\.?|number|nr\.?|id|#|№))?\s*(?:is\s+)?[:#=]?\s*"
_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("email", re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")),
    (
        "insurance number",
        re.compile(
            rf"\b(?i:insurance|policy|member(?:ship)?|medicare|medicaid|NHS|SSN|social security){_NUMBER_SIGN}"
            r"(?P<found>(?=[\w -]*\d{3})[A-Z0-9][A-Z0-9 -]{5,16}[A-Z0-9])"
        ),
    ),
    ("insurance number", re.compile(r"\b(?P<found>\d{3}-\d{2}-\d{4})\b")),
    (
        "record number",
        re.compile(
            r"\b(?i:MRN|medical record|hospital|patient|chart|case|file|record)"
            r"(?:\s*(?i:no\.?|number|nr\.?|id)|\s*#|(?<=MRN))\s*(?:is\s+)?[:#=]?\s*(?P<found>(?=[\w-]*\d{3})[\w-]{4,})"
        ),
    ),
    (
        "date",
        re.compile(
            rf"(?<![\w/-])(?:\d{{1,2}}[./-]\d{{1,2}}[./-](?:19|20)?\d{{2}}|(?:19|20)\d{{2}}-\d{{2}}-\d{{2}}|"
            rf"{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:19|20)\d{{2}}|"
            rf"\d{{1,2}}(?:st|nd|rd|th)?\.?\s+{_MONTH}\.?,?\s+(?:19|20)\d{{2}})(?![\w/-])"
        ),
    ),
    (
        "phone",
        re.compile(
            r"(?<![\w.-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\)[ .-]?|\d{2,5}[ .-])\d{3,4}[ .-]\d{3,5}(?![\w.]*\d)"
        ),
    ),
    ("phone", re.compile(r"(?<!\w)\+\d{1,3}(?:[ .-]?\d{2,6}){2,5}\b")),
    (
        "address",
        re.compile(
            r"\b\d{1,5}\s+(?:[A-Z][\w'’-]+\s+){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|"
            r"Court|Ct|Square|Way|Terrace)\b\.?(?:,\s*[A-Z][\w' -]+)?(?:,?\s+[A-Z]{2}\s+\d{5})?"
        ),
    ),
    (
        "address",
        re.compile(r"\b[A-ZÄÖÜ][\wäöüß-]*(?:straße|strasse|weg|gasse|platz|allee)\s+\d{1,4}[a-z]?\b"),
    ),
    (
        "name",
        re.compile(
            rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau|Señora?|Sr|Sra|Mme|Monsieur)\b\.?\s+(?P<found>{_NAME})"
        ),
    ),
    (
        "name",
        re.compile(
            rf"\b(?i:my name is|i am called|patient name|name of the patient|signed|name\s*:)\s*:?\s*(?P<found>{_NAME})"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of text that may name a person; offsets into the text, half open."""

    kind: Kind
    start: int
    end: int
    text: str


class PhiBlocked(ValueError):
    """Something that may name a patient would have left the machine; the message says what kind, never the text."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A judge input as it may leave, what was found in it, and what the placeholders mean (kept on this machine)."""

    judge_input: JudgeInput
    n_found: Mapping[Kind, int]
    meaning: Mapping[str, str]

    def restored(self, text: str) -> str:
        """Put back what the placeholders stand for."""
        return restored(text, self.meaning)


def find_phi(text: str) -> list[Found]:
    """List what may name a person, in order, without overlaps; where two rules overlap the earlier rule wins."""
    found: list[Found] = []
    for kind, rule in _RULES:
        for match in rule.finditer(text):
            start, end = match.span("found") if "found" in rule.groupindex else match.span()
            text_found = text[start:end].rstrip()
            end = start + len(text_found)
            if all(end <= other.start or start >= other.end for other in found):
                found.append(Found(kind, start, end, text_found))
    return sorted(found, key=lambda one: one.start)


GUARDED_FIELDS = ("question", "profile", "messages", "answer", "guidance", "risk_level")
GUARDED_OF_A_REFERENCE = ("title", "content", "source", "url", "document")


def guard(judge_input: JudgeInput, policy: Policy) -> Guarded:
    """Apply the policy to everything a judge is shown, the references among it: block, redact or allow.

    The same text always gets the same placeholder, so that a judge can still tell two people apart. A date in a
    reference counts only where the reference names somebody too: publications are full of dates.

    Raises:
        PhiBlocked: under `block`, when anything was found.
    """
    texts = {name: getattr(judge_input, name) or "" for name in GUARDED_FIELDS}
    for n, reference in enumerate(judge_input.references):
        texts |= {f"{n}/{name}": getattr(reference, name) or "" for name in GUARDED_OF_A_REFERENCE}
    counts, clean, meaning = guard_texts(texts, policy)
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
    texts: Mapping[str, str], policy: Policy
) -> tuple[dict[Kind, int], dict[str, str], dict[str, str]]:
    """Apply the policy to named texts; return counts, the texts as they may leave, and what placeholders mean.

    Texts named `number/field` belong to one reference.

    Raises:
        PhiBlocked: under `block`, when anything was found.
    """
    found = {name: find_phi(text) for name, text in texts.items()}
    naming = {
        name.partition("/")[0] for name, several in found.items() for one in several if one.kind != "date"
    }
    found = {
        name: [
            one
            for one in several
            if one.kind != "date" or "/" not in name or name.partition("/")[0] in naming
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
    placeholders: dict[str, str] = {}
    clean = {name: _redacted(text, found[name], placeholders) for name, text in texts.items()}
    return counts, clean, {placeholder: text for text, placeholder in placeholders.items()}


def count_phi(texts: Mapping[str, str]) -> dict[Kind, int]:
    """Count by kind what may name a person in named texts; those of one reference are called `number/field`."""
    return guard_texts(texts, "allow")[0]


def restored(text: str, meaning: Mapping[str, str]) -> str:
    """Put back what placeholders stand for."""
    return re.sub(r"\[[a-z ]+ \d+\]", lambda place: meaning.get(place.group(), place.group()), text)


def _redacted(text: str, found: list[Found], placeholders: dict[str, str]) -> str:
    pieces, position = [], 0
    for one in found:
        if one.text not in placeholders:
            number = sum(p.startswith(f"[{one.kind} ") for p in placeholders.values()) + 1
            placeholders[one.text] = f"[{one.kind} {number}]"
        pieces += [text[position : one.start], placeholders[one.text]]
        position = one.end
    return "".join([*pieces, text[position:]])


def in_words(counts: Mapping[Kind, int]) -> str:
    """Name the kinds with their numbers, and never what was found."""
    return ", ".join(f"{n} × {kind}" for kind, n in sorted(counts.items()))
