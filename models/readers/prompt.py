"""The reader's prompt: what the adapter was trained on, to the letter."""

from collections.abc import Callable
from typing import Any

from medassay.models.entailment.joining import joined_premise
from medassay.models.readers.quantities import in_one_notation

PASSAGE = "Passage: "
STATEMENT = "\nStatement: "
QUESTION = "\nDoes the passage say so? A yes, B it says otherwise, C neither.\nAnswer:"
LETTERS = (" A", " B", " C")
"""Entailment, contradiction, neutral: each is one token."""

PASSAGE_TOKENS = 640
STATEMENT_TOKENS = 160
"""The longest passage and statement that the adapter saw in training, in tokens."""

Encode = Callable[[str], list[int]]


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
