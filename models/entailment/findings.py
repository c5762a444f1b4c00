"""Whether a sentence of a passage reports a finding, or an aim, a method, a background.

A claim is borne out by what was found. Its words stand in the aim and in the methods as well, often all of them and
together, so that a choice by words alone reads what was asked in place of what came out.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|%")


def telling_words(text: str) -> frozenset[str]:
    """Words of a text, case folded; numbers are left out, the percent sign is a word."""
    return frozenset(_WORD.findall(text.casefold()))


@dataclass(frozen=True, slots=True)
class Findings:
    """A logistic regression over the words of a sentence: the log odds of each, and of none."""

    words: Mapping[str, float]
    bias: float

    def probability(self, text: str) -> float:
        """How probable it is that a sentence reports a result or a conclusion, 0 to 1."""
        odds = self.bias + sum(self.words.get(word, 0.0) for word in telling_words(text))
        return 1 / (1 + math.exp(-odds))


@lru_cache(maxsize=1)
def known_findings() -> Findings:
    """What was learnt from the headings of structured abstracts (`training/headings.py`), as it was shipped."""
    read = json.loads(_shipped())
    return Findings(read["words"], read["bias"])


@lru_cache(maxsize=1)
def findings_digest() -> str:
    """The sha256 of what was shipped: it decides which sentences are read, so verdicts stand on it."""
    return hashlib.sha256(_shipped().encode()).hexdigest()


def write_findings(findings: Findings, path: Path) -> None:
    """Write what was learnt, a word a line, in the form that is shipped."""
    told = {"bias": findings.bias, "words": dict(sorted(findings.words.items()))}
    path.write_text(json.dumps(told, indent=0) + "\n", "utf-8")


def _shipped() -> str:
    return (files("medassay.models.entailment") / "weights" / "findings.json").read_text("utf-8")


@lru_cache(maxsize=65_536)
def reports_finding(text: str) -> float:
    """How probable it is that a sentence reports a result or a conclusion, 0 to 1."""
    return known_findings().probability(text)
