"""Nuggets by a language model for many references concurrently: windows, then grading in batches of ten."""

from collections.abc import Sequence
from typing import Any

from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.nuggets import llm_making
from medassay.models.nuggets.evidence import MadeNugget
from medassay.models.nuggets.making import deduplicated
from medassay.models.nuggets.requests import ModelRequest
from medassay.models.records import Importance
from medassay.sql.warehouse import Row
from medassay.tasks.asking import Ask, request_of

SetAside = tuple[str, str]
"""A state (abstained, failed) and the reason."""


def make(rows: Sequence[Row], ask: Ask, secret: bytes) -> dict[str, list[MadeNugget] | SetAside]:
    """Make the nuggets of each row (item_key, question, reference_answer); what was not made has its reason.

    The windows of one reference follow each other, since each is shown the list so far; those of different
    references are asked at once. A reference of which any window is missing has no nuggets at all: half a list would
    raise every score that is held against it. Nuggets that the model would not grade are kept as vital, and say so.
    """
    windows = {row["item_key"]: llm_making.windows(row["reference_answer"]) for row in rows}
    questions = {row["item_key"]: row["question"] for row in rows}
    listed: dict[str, list[str]] = {key: [] for key in windows}
    aside: dict[str, SetAside] = {}
    for number in range(max(map(len, windows.values()), default=0)):
        turn = [key for key, found in windows.items() if number < len(found) and key not in aside]
        outcomes = ask(
            [creation(key, questions[key], windows[key][number], tuple(listed[key]), secret) for key in turn]
        )
        for key, outcome in zip(turn, outcomes, strict=True):
            if outcome.status == "answered":
                listed[key] = list(outcome.value or ())
            else:
                aside[key] = set_aside(outcome)
    graded, ungraded = grade(
        {key: questions[key] for key in windows if key not in aside}, listed, ask, secret
    )
    aside |= ungraded
    references = {row["item_key"]: row["reference_answer"] for row in rows}
    made: dict[str, list[MadeNugget] | SetAside] = {**aside}
    for key, grades in graded.items():
        made[key] = deduplicated(
            llm_making.placed(text, grades.get(place), references[key])
            for place, text in enumerate(listed[key])
        )
    return made


def creation(
    key: str, question: str, window: str, so_far: tuple[str, ...], secret: bytes
) -> Request[list[str]]:
    """Ask for the list of nuggets, updated with one window of a reference."""
    asked = llm_making.creation_request(question, window, so_far)

    def read(text: str) -> list[str]:
        nuggets, reason = llm_making.read_creation(read_objects(text)[0].value, so_far)
        if reason:
            raise Complaint(reason)
        return nuggets

    return request_of(key, asked, read, "nuggets", secret)


def grade(
    questions: dict[str, str], listed: dict[str, list[str]], ask: Ask, secret: bytes
) -> tuple[dict[str, dict[int, Importance]], dict[str, SetAside]]:
    """Grade every list as vital or okay, position by position.

    Lists about which the model could not be reached come back with the reason: they are asked about again. What it
    answered without a usable grade has none.
    """
    graded: dict[str, dict[int, Importance]] = {key: {} for key in questions}
    aside: dict[str, SetAside] = {}
    parts = [
        (key, part)
        for key, question in questions.items()
        for part in llm_making.importance_requests(question, listed[key])
    ]
    outcomes = ask([grading(key, part, secret) for key, part in parts])
    for (key, _), outcome in zip(parts, outcomes, strict=True):
        if outcome.value is not None:
            graded[key] |= outcome.value
        elif outcome.status == "failed":
            aside[key] = set_aside(outcome)
    return {key: grades for key, grades in graded.items() if key not in aside}, aside


def grading(key: str, part: ModelRequest, secret: bytes) -> Request[dict[int, Importance]]:
    """Ask for the grades of up to ten nuggets; every one must have its grade."""

    def read(text: str) -> dict[int, Importance]:
        found = llm_making.read_importance(part, read_objects(text)[0].value)
        if missing := [
            f"n{place + 1}: {reason}" for place, (given, reason) in found.items() if given is None
        ]:
            raise Complaint("; ".join(missing))
        return {place: given for place, (given, _) in found.items() if given is not None}

    return request_of(key, part, read, "grades", secret)


def set_aside(outcome: Outcome[Any]) -> SetAside:
    """Return how a request ended that brought no value, and why."""
    return outcome.status, outcome.reason or "the model gave no reason"
