"""Responses for a judge's data: given ones, those asked for, and what evaluators are shown of them."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from medassay.models.chat.cap import Cap
from medassay.models.judge_training.chain import Posed
from medassay.models.judge_training.composing import Part, listwise_input, orders_of, usable_responses
from medassay.models.judge_training.questions import Drop, Question
from medassay.models.judge_training.records import REFERENCE
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.answering.answers import Limits, ask_system, refuse_names
from medassay.tasks.answering.asked_questions import Questions
from medassay.tasks.judge_training.evaluating import refuse_texts
from medassay.tasks.judge_training.recipe import Recipe
from medassay.tasks.run import BadData


def given_answers(asked_of: Questions, recipe: Recipe) -> dict[str, dict[str, str]]:
    """Return the given answers by system and question.

    Raises:
        BadData: when a system is both asked and given, or a test system is neither.
    """
    found: dict[str, dict[str, str]] = {}
    for row in asked_of.given if recipe.with_given else ():
        text = row.get("answer") or " ".join(part["text"] for part in row.get("sentences") or ())
        found.setdefault(row["system"], {})[row["question_id"]] = text
    names = {system.name for system in recipe.systems}
    if both := sorted(names & found.keys()):
        raise BadData(f"{', '.join(both)}: both asked and given; give the system that is asked another name")
    if REFERENCE in found:
        raise BadData(f"an answer is given by a system called {REFERENCE!r}: give it another name")
    if unknown := sorted(set(recipe.test_systems) - names - found.keys()):
        advice = (
            "name them with --system" if recipe.with_given else "name them with --system, or use --with-given"
        )
        raise BadData(f"--test-systems {', '.join(unknown)}: neither asked nor given; {advice}")
    n_training = len((names | found.keys()) - set(recipe.test_systems)) + recipe.reference_as_doctor
    if n_training < FEWEST_ANSWERS:
        raise BadData(
            f"{n_training} responses a question would be trained on, and {FEWEST_ANSWERS} are needed: name more"
            " with --system that are not kept for the test"
        )
    return found


def refuse_named(
    warehouse: Warehouse,
    recipe: Recipe,
    questions: Sequence[Question],
    given: Mapping[str, Mapping[str, str]],
    limits: Limits,
) -> None:
    """Look at questions, reference answers and given answers before any of them leaves this machine.

    Raises:
        PhiFound: under `block`, naming the places.
    """
    rows: list[Row] = [{"question_id": q.question_id, "question": q.question} for q in questions]
    refuse_names(warehouse, recipe.systems, rows, limits)
    texts = [(f"question {q.question_id}", q.question) for q in questions]
    if recipe.reference_as_doctor:
        texts += [(f"reference answer of {q.question_id}", q.reference or "") for q in questions]
    known = {question.question_id for question in questions}
    texts += [
        (f"answer of {system} to {question_id}", text)
        for system, answers in given.items()
        for question_id, text in answers.items()
        if question_id in known
    ]
    refuse_texts(warehouse, recipe.endpoints, texts, limits)


def asked_answers(
    warehouse: Warehouse,
    home: Path,
    recipe: Recipe,
    questions: Sequence[Question],
    parts: Mapping[str, Part],
    given: Mapping[str, Mapping[str, str]],
    limits: Limits,
    cap: Cap,
) -> tuple[dict[str, dict[str, str]], list[Drop], int]:
    """Return responses by question and system, a row for each that a system did not give, and the calls made now."""
    found: dict[str, dict[str, str]] = {question.question_id: {} for question in questions}
    drops, n_calls = [], 0
    for system in recipe.systems:
        is_test = system.name in recipe.test_systems
        rows: list[Row] = [
            {"question_id": q.question_id, "question": q.question}
            for q in questions
            if (parts[q.question_id] == "test") == is_test
        ]
        asked = ask_system(warehouse, home, system, rows, limits, cap)
        n_calls += int(asked.summary()["n_sent"])
        for answer in asked.answers:
            if "failed" in answer:
                drops.append(
                    Drop(
                        "responses", "not_answered", answer["question_id"], answer["failed"],
                        "the question waits for this answer; the next build asks again", system.name,
                    )
                )  # fmt: skip
            else:
                found[answer["question_id"]][system.name] = answer["answer"]
    for name, answers in given.items():
        for question_id, text in answers.items():
            if question_id in found and (parts[question_id] == "test") == (name in recipe.test_systems):
                found[question_id][name] = text
    return found, drops, n_calls


def posed_cases(
    recipe: Recipe,
    questions: Sequence[Question],
    parts: Mapping[str, Part],
    responses: Mapping[str, Mapping[str, str]],
    waiting: Collection[str | None],
) -> tuple[list[tuple[Posed, Part]], list[Drop]]:
    """Return what evaluators are shown, in each order, and a row for what cannot be shown.

    Questions that wait for an answer are counted like the others, so that the orders of those stay when it has come.
    """
    posed: list[tuple[Posed, Part]] = []
    drops: list[Drop] = []
    seen: Counter[Part] = Counter()
    for question in questions:
        part = parts[question.question_id]
        number = seen[part]
        seen[part] += 1
        if question.question_id in waiting:
            continue
        with_reference = recipe.reference_as_doctor and part != "test"
        usable, unusable = usable_responses(
            question, responses[question.question_id], with_reference=with_reference
        )
        drops += unusable
        shown = listwise_input(question, usable, recipe.n_doctors, recipe.seed)
        if shown is None:
            why = f"an evaluator compares {FEWEST_ANSWERS} responses at least"
            drops.append(Drop("responses", "too_few", question.question_id, f"{len(usable)} responses", why))
            continue
        posed += [(Posed(shown, order), part) for order in orders_of(shown, recipe.orders, number)]
    return posed, drops
