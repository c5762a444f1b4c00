"""Pairs made by rule: what is turned contradicts, what is said otherwise does not."""

import random
from dataclasses import replace

import pytest

from medassay.models.entailment.training.pairs import LabelledPair, held_out, without_conflicts
from medassay.models.entailment.training.rules import mirrored, registered_claims, turned_claims
from medassay.models.entailment.training.turns import (
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


def test_a_comparison_said_from_its_other_side_keeps_its_label() -> None:
    pair = LabelledPair("p", "Compared with placebo, aspirin significantly increased bleeding.", 0, "s", "d")
    said = {replace(mirrored(pair, random.Random(seed)), premise="").hypothesis for seed in range(30)}
    assert said == {
        "Compared with aspirin, placebo significantly decreased bleeding.",
        "Bleeding was higher with aspirin than with placebo.",
        "Bleeding was lower with placebo than with aspirin.",
        "Aspirin significantly increased bleeding compared with placebo.",
    }


def test_turned_claims_swap_their_label_and_neutral_ones_are_left_alone() -> None:
    pairs = [LabelledPair("p", "Aspirin reduces stroke.", label, "s", "d") for label in (0, 1, 2)]
    assert [(p.hypothesis, p.label) for p in turned_claims(pairs, chance(), 1.0)] == [
        ("Aspirin raises stroke.", 2),
        ("Aspirin raises stroke.", 0),
    ]


def test_a_neutral_row_that_is_also_decided_is_dropped() -> None:
    one = LabelledPair("p", "h", 1, "s", "d")
    assert without_conflicts([one, replace(one, label=2), replace(one, hypothesis="i")]) == [
        replace(one, label=2),
        replace(one, hypothesis="i"),
    ]
    assert without_conflicts([replace(one, label=0), replace(one, label=2)]) == []


def test_documents_are_held_out_whole() -> None:
    pairs = [LabelledPair("p", f"h{i}", 0, "s", f"d{i % 50}") for i in range(200)]
    out = {p.doc for p in pairs if held_out(p)}
    assert out.isdisjoint({p.doc for p in pairs if not held_out(p)})
    assert 4 <= len(out) <= 18


def test_what_a_trial_found_is_said_as_a_registry_asks_it() -> None:
    found = [
        LabelledPair("p", "Compared with placebo, aspirin significantly decreased pain.", 0, "s", "1"),
        LabelledPair("p", "Compared with placebo, aspirin significantly increased pain.", 2, "s", "1"),
        LabelledPair(
            "p", "There was no significant difference between aspirin and placebo in fever.", 0, "s", "2"
        ),
    ]
    said = {
        (p.doc, p.hypothesis.replace(" or other", ""), p.label, p.source)
        for seed in range(9)
        for p in registered_claims(found, random.Random(seed), 1.0)
    }
    assert said == {
        ("1", "aspirin is superior to placebo in terms of pain", 0, "registered"),
        ("2", "aspirin is superior to placebo in terms of fever", 2, "registered"),
    }
