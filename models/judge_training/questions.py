"""Which questions data for a judge is built from: rules that anybody can read, and a row for each question dropped."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from medassay.models.keys import content_key
from medassay.models.usage import UsageError

Stage = Literal["input", "questions", "responses", "evaluation", "experts", "quality", "split"]
FIELDS = ("question", "reference")
RULE_FORM = (
    '[{"rule": "<name>", "field": "question" or "reference", "pattern": "<regular expression>", "why": "…"}]'
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the answer that counts as good."""

    question_id: str
    question: str
    reference: str | None


@dataclass(frozen=True, slots=True)
class Drop:
    """What was left out: where, by which rule, what was seen, and why that is no use."""

    stage: Stage
    rule: str
    question_id: str | None
    observed: str
    why: str
    system: str | None = None
    case_id: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, letter case aside, that makes a question irrelevant where its field matches."""

    rule: str
    field: Literal["question", "reference"]
    pattern: re.Pattern[str]
    why: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least words and the most characters that texts may have."""

    least_question_words: int = 3
    least_reference_words: int = 3
    most_question_characters: int = 4_000
    most_reference_characters: int = 8_000


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Return the rules that come with the project, `rules/irrelevant.json`."""
    text = (
        files("medassay.models.judge_training")
        .joinpath("rules", "irrelevant.json")
        .read_text(encoding="utf-8")
    )
    return _rules(json.loads(text))


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read rules of one's own.

    Raises:
        UsageError: for a file that cannot be read as rules.
    """
    try:
        return _rules(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, re.error, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read as rules ({error}); its form is {RULE_FORM}") from None


def _rules(rows: Any) -> tuple[Rule, ...]:
    found = []
    for row in rows:
        if row["field"] not in FIELDS:
            raise ValueError(f"{row['rule']}: {row['field']!r} is no field; there are {', '.join(FIELDS)}")
        pattern = re.compile(row["pattern"], re.IGNORECASE | re.DOTALL)
        found.append(Rule(str(row["rule"]), row["field"], pattern, str(row["why"])))
    return tuple(found)


def question_text_key(question: str) -> str:
    """Name a question by its words: capitals, punctuation and spaces make no other question."""
    return content_key(" ".join(re.findall(r"\w+", question.casefold())))


def sift(
    questions: Iterable[Question], rules: Sequence[Rule], bounds: Bounds | None = None
) -> tuple[list[Question], list[Drop]]:
    """Return the questions that no rule drops, in order, and for each other the first rule that drops it."""
    kept, drops, seen = list[Question](), list[Drop](), dict[str, str]()
    for question in questions:
        key = question_text_key(question.question)
        found = _refused(question, rules, bounds or Bounds())
        if found is None and key in seen:
            found = ("duplicate", f"the same as {seen[key]}", "a question counts once")
        if found is None:
            seen[key] = question.question_id
            kept.append(question)
        else:
            rule, observed, why = found
            drops.append(Drop("questions", rule, question.question_id, observed, why))
    return kept, drops


def _refused(question: Question, rules: Sequence[Rule], bounds: Bounds) -> tuple[str, str, str] | None:
    """Return the rule, what was seen and why, None where the question may stay."""
    reference = question.reference or ""
    if not reference.strip():
        return "no_reference", "", "an evaluation is built around a reference answer"
    for name, text, least, most in (
        ("question", question.question, bounds.least_question_words, bounds.most_question_characters),
        ("reference", reference, bounds.least_reference_words, bounds.most_reference_characters),
    ):
        if (n_words := len(re.findall(r"\w+", text))) < least:
            return f"{name}_too_short", f"{n_words} words", f"fewer than {least} words ask or say too little"
        if len(text) > most:
            return (
                f"{name}_too_long",
                f"{len(text):,} characters",
                f"more than {most:,} do not fit beside answers",
            )
    for rule in rules:
        text = question.question if rule.field == "question" else reference
        if found := rule.pattern.search(text):
            return rule.rule, found.group()[:120], rule.why
    return None
