"""The reader's prompt: wording, notation of numbers, and packing of many statements behind one passage."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from medassay.models.nli.joint_premises import joined_premise

_VULGAR = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.33", "⅔": "0.67"}
_MIXED = re.compile(r"(\d+)\s?([½¼¾⅓⅔])")
_MIDDLE_DOT = re.compile(r"(?<=\d)[·∙⋅](?=\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[\u00a0\u2009\u202f ]\d{3}|,\d{3})+(?![\d,])(?!\.\d{4})")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d{1,2}|0\d{2,})(?![\d,])")
_BARE_POINT = re.compile(r"(?<![\w.)])\.(?=\d)")
_MICROGRAMS = re.compile(r"(?<![A-Za-zµμ])(?:[µμ]g|ug|micrograms?)(?![A-Za-z])")
_MASS = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)\s?(g|mg|mcg|grams?|milligrams?)(?![\w/²³])")
_IN_MILLIGRAMS = {"g": Decimal(1000), "mg": Decimal(1), "mcg": Decimal("0.001")}

PASSAGE = "Passage: "
STATEMENT = "\nStatement: "
QUESTION = "\nDoes the passage say so? A yes, B it says otherwise, C neither.\nAnswer:"
LETTERS = (" A", " B", " C")
"""Entailment, contradiction, neutral: each is one token."""
PASSAGE_TOKENS = 640
STATEMENT_TOKENS = 160
"""The longest passage and statement that the adapter saw in training, in tokens."""
Encode = Callable[[str], list[int]]
Ids = Sequence[int]


def in_one_notation(text: str) -> str:
    """Return the text with its numbers in plain decimal notation and masses in the unit that fits their size.

    A mass under 1 mg is given in mcg, one under 10 g in mg, a larger one in g; masses per something (`mg/kg`) keep
    their unit. A comma before three digits separates thousands unless a 0 stands before it.
    """
    text = _MIXED.sub(lambda m: str(Decimal(m[1]) + Decimal(_VULGAR[m[2]])), text)
    for sign, number in _VULGAR.items():
        text = text.replace(sign, number)
    text = _MIDDLE_DOT.sub(".", text)
    text = _THOUSANDS.sub(_joined, text)
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    text = _BARE_POINT.sub("0.", text)
    text = _MICROGRAMS.sub("mcg", text)
    return _MASS.sub(_in_its_unit, text)


def _joined(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("0,") else re.sub(r"\D", "", found[0])


def _in_its_unit(found: re.Match[str]) -> str:
    unit = found[2]
    unit = {"gram": "g", "milligram": "mg"}.get(unit.rstrip("s"), unit)
    amount = Decimal(found[1]) * _IN_MILLIGRAMS[unit]
    unit = "mcg" if amount < 1 else "mg" if amount < 10_000 else "g"
    return f"{_plain(amount / _IN_MILLIGRAMS[unit])} {unit}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def passage_ids(encode: Encode, passage: str) -> list[int]:
    """Return the tokens of the prompt's first part; parts are tokenised one by one, as in training."""
    return encode(PASSAGE + in_one_notation(passage.strip()))


def statement_ids(encode: Encode, statement: str) -> list[int]:
    """Return the tokens of the prompt's second part, without the fixed question behind it."""
    return encode(STATEMENT + in_one_notation(statement.strip()))


def window(encode: Encode, premise: str, hypothesis: str) -> str:
    """Return what is read of a premise: all of it where it fits, else its sentences nearest to the hypothesis."""
    if len(premise) < PASSAGE_TOKENS - 40 or len(passage_ids(encode, premise)) <= PASSAGE_TOKENS:
        return premise
    for room in (2400, 1600, 1000, PASSAGE_TOKENS - 40):
        joined = joined_premise(hypothesis, [[premise]], room)
        if joined is not None and len(passage_ids(encode, joined)) <= PASSAGE_TOKENS:
            return joined
    return premise[: PASSAGE_TOKENS - 40]  # no sentence is short enough


def describe_prompt() -> dict[str, Any]:
    """Name what a verdict depends on beside the weights."""
    return {
        "prompt": PASSAGE + "{passage}" + STATEMENT + "{statement}" + QUESTION,
        "premise_tokens": PASSAGE_TOKENS,
        "statement_tokens": STATEMENT_TOKENS,
    }


@dataclass(frozen=True, slots=True)
class Group:
    """The tokens of one passage, and of the statements that are read against it (each with the question behind it)."""

    passage: Ids
    statements: tuple[Ids, ...]

    @property
    def n_tokens(self) -> int:
        """Tokens that are multiplied."""
        return len(self.passage) + sum(map(len, self.statements))


def packed(groups: Sequence[Group], budget: int) -> Iterator[list[tuple[int, Group]]]:
    """Pack groups, by their place in the list, into rows of at most `budget` tokens, longest first.

    A group that is longer is cut between statements, its passage repeated; one statement may still exceed the budget.
    """
    pieces = [
        (place, piece) for place, group in enumerate(groups) for piece in _within(group, max(budget, 1))
    ]
    pieces.sort(key=lambda piece: -piece[1].n_tokens)
    row: list[tuple[int, Group]] = []
    held = 0
    for place, piece in pieces:
        if row and held + piece.n_tokens > budget:
            yield row
            row, held = [], 0
        row.append((place, piece))
        held += piece.n_tokens
    if row:
        yield row


def _within(group: Group, budget: int) -> Iterator[Group]:
    taken: list[Ids] = []
    room = budget - len(group.passage)
    for statement in group.statements:
        if taken and len(statement) > room:
            yield Group(group.passage, tuple(taken))
            taken, room = [], budget - len(group.passage)
        taken.append(statement)
        room -= len(statement)
    if taken:
        yield Group(group.passage, tuple(taken))
