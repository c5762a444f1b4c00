"""Rows that fit: each case as tokens of the prompt and of the evaluation, of which the loss is on the latter alone.

A trainer that truncates cuts the scores off, which stand last. So a row is measured with the tokenizer beforehand:
answers are shortened, the evaluation never, and what still does not fit is refused with its reason.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.reply import Complaint
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS, MOST_ANSWERS, ListwiseInput, ListwiseJudge
from medassay.models.judges.listwise.reply import read_listwise

IGNORED = -100
"""The label of a token that no loss is on, as PyTorch's cross entropy has it."""
FEWEST_WORDS = 12
SHORTENED = "[…]"
_JUDGE = ListwiseJudge(Endpoint("", "trained"))

Messages = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Row:
    """One case as a trainer takes it: token ids, and the same ids as labels with the prompt's left out."""

    case_id: str
    input_ids: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Rows that fit, how many of them have shortened answers, and (case, reason) for each that was refused."""

    rows: tuple[Row, ...]
    n_shortened: int
    refused: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Target:
    """What a case's prompt is to be answered with; `notes` go between the prompt and the answer (introspection)."""

    case: EvaluationCase
    reply: str
    notes: str = ""


def names_of(case: EvaluationCase) -> tuple[str, ...]:
    """Return the systems by place; numbered where two have one name."""
    if len(set(case.systems)) == len(case.responses) == len(case.systems):
        return case.systems
    return tuple(f"response {number}" for number in range(1, len(case.responses) + 1))


def input_of(case: EvaluationCase, responses: Sequence[str] | None = None) -> ListwiseInput:
    """Return a case as the listwise judge is asked about it, with other texts in place of its responses if given."""
    names = names_of(case)
    return ListwiseInput(
        case.question_id, case.question, tuple(zip(names, responses or case.responses, strict=True))
    )


def messages_of(case: EvaluationCase, responses: Sequence[str] | None = None, notes: str = "") -> Messages:
    """Return the very messages that the listwise judge sends, the doctors in the case's order."""
    request = _JUDGE.request(input_of(case, responses), names_of(case))
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    if notes:
        messages[-1]["content"] += f"\n\n{notes}"
    return messages


def fit_rows(
    targets: Sequence[Target],
    tokenizer: Any,
    max_tokens: int,
    on_done: Callable[[int], None] = lambda _: None,
) -> Fitted:
    """Tokenise targets so that none is longer than `max_tokens`; the evaluation and its end are always whole."""
    rows, refused, n_shortened = [], [], 0
    for target in targets:
        reason = unfit(target)
        row, was_shortened = (None, False) if reason else _fit(target, tokenizer, max_tokens)
        if row is None:
            refused.append(
                (target.case.case_id, reason or f"longer than {max_tokens} tokens even with short answers")
            )
        else:
            rows.append(row)
            n_shortened += was_shortened
        on_done(1)
    return Fitted(tuple(rows), n_shortened, tuple(refused))


def unfit(target: Target) -> str | None:
    """Tell why a case cannot be learnt from, None where it can: its target has to hold readable scores, and its own."""
    case = target.case
    if not FEWEST_ANSWERS <= len(case.responses) <= MOST_ANSWERS:
        return f"{len(case.responses)} responses; the judge compares {FEWEST_ANSWERS} to {MOST_ANSWERS}"
    if case.scores is None:
        return case.reason or "it has no scores"
    try:
        read = read_listwise(target.reply, len(case.responses))
    except Complaint as complaint:
        return f"its evaluation cannot be read: {complaint}"
    if target.reply == case.evaluation and read.points != case.scores:
        return f"its evaluation gives {read.points}, the record {case.scores}"
    return None


def tokens_of(messages: Messages, tokenizer: Any) -> list[int]:
    """Return the tokens of a prompt, up to where the reply begins."""
    found = tokenizer.apply_chat_template(
        messages, tokenize=True, add_generation_prompt=True, return_dict=False
    )
    return [int(token) for token in found]


def _fit(target: Target, tokenizer: Any, max_tokens: int) -> tuple[Row | None, bool]:
    reply = tokenizer.encode(target.reply.strip(), add_special_tokens=False) + [tokenizer.eos_token_id]
    room = max_tokens - len(reply)

    def prompt(most_words: int | None) -> list[int]:
        texts = [_shortened(text, most_words) for text in target.case.responses]
        return tokens_of(messages_of(target.case, texts, target.notes), tokenizer)

    whole = prompt(None)
    if len(whole) <= room:
        return _row(target, whole, reply), False
    low, high = FEWEST_WORDS, max(len(text.split()) for text in target.case.responses)
    shortest = prompt(low)
    if len(shortest) > room:
        return None, False
    best = shortest
    while low + 1 < high:
        middle = (low + high) // 2
        tried = prompt(middle)
        if len(tried) <= room:
            low, best = middle, tried
        else:
            high = middle
    return _row(target, best, reply), True


def _row(target: Target, prompt: list[int], reply: list[int]) -> Row:
    return Row(target.case.case_id, (*prompt, *reply), (*[IGNORED] * len(prompt), *reply))


def _shortened(text: str, most_words: int | None) -> str:
    words = text.split(" ")
    return (
        text if most_words is None or len(words) <= most_words else " ".join([*words[:most_words], SHORTENED])
    )
