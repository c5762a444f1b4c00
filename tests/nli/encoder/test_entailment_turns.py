"""Pairs made by rule: what is turned contradicts, what is said otherwise does not."""

import random
from dataclasses import replace

import pytest

from medassay.models.nli.encoder.training.pairs import LabelledPair, held_out, without_conflicts
from medassay.models.nli.encoder.training.turns import (
    reword,
    shorten,
    turn_comparator,
    turn_direction,
    turn_negation,
    turn_number,
    turn_population,
    turn_verb,
)


def chance() -> random.Random:
    return random.Random(1)


@pytest.mark.parametrize(
    ("turn", "text", "turned"),
    [
        (turn_direction, "Aspirin reduces stroke.", "Aspirin raises stroke."),
        (turn_direction, "Aspirin was given.", None),
        (turn_negation, "Aspirin is safe.", "Aspirin is not safe."),
        (turn_negation, "Aspirin did not work.", "Aspirin did work."),
        (turn_negation, "There was no significant difference.", "There was a significant difference."),
        (turn_number, "Patients took 50 mg daily.", "Patients took 150 mg daily."),
        (turn_number, "Patients took tablets.", None),
        (turn_population, "It works in men.", "It works in women."),
        (turn_comparator, "Pain was more common than nausea.", "Pain was less common than nausea."),
        (turn_verb, "Aspirin lowers fever.", "Aspirin does not lower fever."),
        (turn_verb, "Aspirin was given.", None),
        (
            shorten,
            "In conclusion, aspirin (a drug) lowers the risk of stroke.",
            "Aspirin lowers the risk of stroke.",
        ),
        (reword, "It inhibits growth.", "It blocks growth."),
    ],
)
def test_turns(turn, text: str, turned: str | None) -> None:  # type: ignore[no-untyped-def]
    assert turn(text, chance()) == turned


def test_a_neutral_row_that_is_also_decided_is_dropped() -> None:
    one = LabelledPair("p", "h", (0, 1, 0), "s", "d")
    against = replace(one, shares=(0, 0, 1))
    assert without_conflicts([one, against, replace(one, hypothesis="i")]) == [
        against,
        replace(one, hypothesis="i"),
    ]
    assert without_conflicts([replace(one, shares=(1, 0, 0)), against]) == []


def test_documents_are_held_out_whole() -> None:
    pairs = [LabelledPair("p", f"h{i}", (1, 0, 0), "s", f"d{i % 50}") for i in range(200)]
    out = {p.doc for p in pairs if held_out(p)}
    assert out.isdisjoint({p.doc for p in pairs if not held_out(p)})
    assert 4 <= len(out) <= 18
