"""Meaning of column headings by people, programs and languages."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from medassay.models.intake.names import ALL_NAMES, KNOWN, SYNONYMS
from medassay.models.intake.rows import IntakeError, Kind, named

_MEANINGS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("headings.json").read_text(encoding="utf-8")
)


@lru_cache(4096)
def folded(name: str) -> str:
    """Write a heading as it is compared: small letters and digits without accents, blanks and signs."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    return re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c))).casefold()


_OF = {folded(name): meant for meant, names in _MEANINGS.items() for name in names}
_OWN = {name: meant for kind in ("question", "answer") for name, meant in SYNONYMS[kind].items()}
_CONTEXT = frozenset(map(folded, ("context", "kontext", "contexto", "contexte", "contesto", "上下文")))
_INSIDE = frozenset({"contexts"})
"""Meanings that are no field of a table and are read as one."""
_SPANS = re.compile(r"attributes\..*|context\.(?:span|trace)_id")
"""What Arize Phoenix's data frames of spans have, whose `reference` is what was retrieved."""
DOUBTS = {
    "modelanswer": 'a gold answer (--column reference_answer="{0}") or that of a model (--column answer="{0}")',
    "reference": "a gold answer (--column reference_answer={0}) or what was retrieved (--column contexts={0})",
    "context": 'what was retrieved (--column contexts="{0}") or the background of the question',
}
"""Headings that may mean two things, and what; in some company they are not read, and a run says so."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a person said that columns mean, by the folded heading (`reference_answer=Gold Answer`); others in doubt."""

    meanings: Mapping[str, str]
    doubtful: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Chosen":
        """Read choices.

        Raises:
            IntakeError: for one that cannot be read or names no field.
        """
        known = frozenset().union(*KNOWN.values()) | _INSIDE
        meanings: dict[str, str] = {}
        for text in texts:
            field, sign, heading = text.partition("=")
            if not sign or not heading.strip() or field.strip() not in known:
                advice = f'write FIELD="heading", with FIELD one of {named(sorted(known), 60)}'
                raise IntakeError(f"--column {text}", None, "it cannot be read", advice)
            meanings[folded(heading)] = field.strip()
        return cls(meanings)


NOTHING_CHOSEN = Chosen({})


def beside_each_other(names: Iterable[str], chosen: Chosen) -> Chosen:
    """Decide what headings mean that stand for different things in different company, where nobody has said it."""
    there = {folded(name): name for name in names}
    meant = {plain: _OF.get(plain) or _OWN.get(name, name) for plain, name in there.items()}
    doubtful = set(chosen.doubtful)
    if "reference" in there and any(_SPANS.fullmatch(name) for name in there.values()):
        return replace(chosen, meanings={"reference": "contexts", **chosen.meanings})
    if {"input", "output"} <= there.keys():  # as Phoenix's question answering evaluations have it
        doubtful.add("reference")
    said = [plain for plain, field in meant.items() if field == "answer"]
    if len(said) > 1 and "reference_answer" not in meant.values():
        doubtful.add("modelanswer")
    doubtful |= {plain for plain, name in there.items() if plain in _CONTEXT and name != "context"}
    return replace(chosen, doubtful=frozenset(doubtful) - chosen.meanings.keys())


def doubts(names: Iterable[str], chosen: Chosen) -> dict[str, str]:
    """Return the headings that are not read since they may mean two things, and which."""
    found = {name: folded(name) for name in names if folded(name) in chosen.doubtful}
    return {
        name: DOUBTS["context" if plain in _CONTEXT else plain].format(name) for name, plain in found.items()
    }


def meaning(name: str, kind: Kind | None, chosen: Chosen = NOTHING_CHOSEN, value: Any = None) -> str | None:
    """Return which field a heading means in a table of a kind; None where it has its own name or means none."""
    if said := chosen.meanings.get(folded(name)):
        return said
    if name in ALL_NAMES or folded(name) in chosen.doubtful:
        return None
    if name.startswith("__"):  # promptfoo's `__expected` is a rule, no answer
        return None
    meant = _OF.get(folded(name))
    if meant == "reference_answer" and isinstance(value, list) and not _are_texts(value):
        meant = "references"
    if meant is None or kind is None or meant in KNOWN[kind]:
        return meant
    return meant if kind == "answer" and meant in ("question", *_INSIDE) else None


def _are_texts(value: list[Any]) -> bool:
    return all(isinstance(part, str) for part in value)


def renamed(
    record: Mapping[str, Any], kind: Kind | None, chosen: Chosen = NOTHING_CHOSEN
) -> tuple[dict[str, Any], dict[str, str]]:
    """Give a record's fields the names of what they mean; return it and the meanings by heading.

    Of two fields with one meaning the first is it; a field under its own name comes before both.
    """
    row: dict[str, Any] = {}
    meanings: dict[str, str] = {}
    chosen = beside_each_other(record, chosen)
    retrieved = any(folded(name) in ("retrievalcontext", "retrievedcontexts") for name in record)
    for name, value in record.items():
        meant = meaning(name, kind, chosen, value)
        if retrieved and folded(name) == "context" and folded(name) not in chosen.meanings:
            meant = None  # DeepEval's ideal context, beside the one that was retrieved
        taken = meant is None or meant in row or (meant in record and name not in meanings and meant != name)
        if meant is None or (taken and folded(name) not in chosen.meanings):
            row.setdefault(name, value)
            continue
        row[meant] = value
        if meant != name:
            meanings[name] = meant
    answers = row.get("reference_answer")
    if isinstance(answers, list) and len(answers) == 1 and isinstance(answers[0], str):
        row["reference_answer"] = answers[0]  # RAGAS's ground_truths
    return row, meanings
