"""Which responses stand side by side, in which orders, and which question serves what."""

import random
from collections.abc import Mapping, Sequence
from typing import Literal

from medassay.models.judge_training.questions import Drop, Question, question_text_key
from medassay.models.judge_training.records import REFERENCE
from medassay.models.judges.addressed.removal import leave_out_addressed
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS, ListwiseInput, balanced_orders
from medassay.models.keys import content_key

Part = Literal["strong", "weak", "test"]
Orders = Literal["all", "one"]
PARTS: tuple[Part, ...] = ("strong", "weak", "test")


def parts_of(
    questions: Sequence[Question], *, test_share: float, strong_share: float, seed: int
) -> dict[str, Part]:
    """Describe what each question serves: the test, or the training of the strong or the weak evaluator.

    Questions are drawn by a key of the seed and their words; shares are of all, and of what is left for training.
    """
    drawn = sorted(questions, key=lambda q: content_key([seed, question_text_key(q.question)]))
    n_test = round(test_share * len(drawn))
    n_strong = round(strong_share * (len(drawn) - n_test))
    parts: dict[str, Part] = {}
    for number, question in enumerate(drawn):
        part: Part = "test" if number < n_test else "strong" if number < n_test + n_strong else "weak"
        parts[question.question_id] = part
    return parts


def usable_responses(
    question: Question, responses: Mapping[str, str], *, with_reference: bool
) -> tuple[dict[str, str], list[Drop]]:
    """Return the responses that can stand side by side, by system, the reference among them, and what was dropped."""
    kept: dict[str, str] = {}
    drops: list[Drop] = []
    offered = dict(sorted(responses.items()))
    if with_reference and question.reference:
        offered = {REFERENCE: question.reference, **offered}
    for system, text in offered.items():
        rule = _unusable(text, kept)
        if rule is None:
            kept[system] = text
        else:
            drops.append(Drop("responses", rule[0], question.question_id, rule[1], rule[2], system))
    return kept, drops


def _unusable(text: str, kept: Mapping[str, str]) -> tuple[str, str, str] | None:
    if not text.strip():
        return "empty", "", "there is nothing to compare"
    same = next((system for system, other in kept.items() if other.strip() == text.strip()), None)
    if same is not None:
        return "same_text", f"the same as {same}", "two equal answers teach nothing"
    cleaned = leave_out_addressed(text)
    if cleaned.n_left_out:
        return "addresses_the_judge", f"{cleaned.n_left_out} passages", "it speaks to whoever evaluates it"
    return None


def listwise_input(
    question: Question, responses: Mapping[str, str], n_doctors: int, seed: int
) -> ListwiseInput | None:
    """Choose at most `n_doctors` responses, the reference always, others by lot; None where too few are there."""
    systems = sorted(responses, key=lambda s: (s != REFERENCE, content_key([seed, question.question_id, s])))
    chosen = sorted(systems[:n_doctors])
    if len(chosen) < FEWEST_ANSWERS:
        return None
    return ListwiseInput(
        question.question_id, question.question, tuple((system, responses[system]) for system in chosen)
    )


def orders_of(shown: ListwiseInput, orders: Orders, number: int) -> list[tuple[str, ...]]:
    """Return the orders in which responses are shown.

    `all`: each response stands at each place once. `one`: a single order, turned by one place from question to
    question (`number` counts them), so that over questions each stands equally often at each.
    """
    if orders == "all":
        return balanced_orders(shown)
    systems = sorted(system for system, _ in shown.answers)
    turn, n = divmod(number, len(systems))
    random.Random(turn).shuffle(systems)
    return [(*systems[n:], *systems[:n])]
