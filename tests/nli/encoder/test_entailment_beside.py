"""Statements about one subject that are both true: pairs by rule, and the training that goes on with them."""

from random import Random

from medassay.models.nli.encoder.training.beside import (
    effects_beside,
    facts_beside,
    is_left_out,
    nuggets_beside,
    written_facts,
)
from medassay.models.nli.encoder.training.written import NEITHER, OTHERWISE, SAYS


def claim(text: str, label: str = "entailment") -> dict[str, str]:
    return {"doc": "PMC1", "hypothesis": text, "label": label}


def test_every_fact_stands_beside_the_others_of_its_subject_and_beside_its_opposite() -> None:
    pairs = list(facts_beside(Random(1)))
    first = [pair for pair in pairs if pair.doc == "facts/0"]
    facts, against = written_facts()[0]["facts"], written_facts()[0]["against"]
    alone = {
        (p.premise.rstrip("."), p.hypothesis) for p in first if p.shares == NEITHER and ". " not in p.premise
    }
    assert alone == {(one, other) for one in facts for other in facts if one != other}
    denied = {(p.premise.rstrip("."), p.hypothesis) for p in first if p.shares == OTHERWISE}
    assert {(facts[0], against), (against, facts[0])} < denied
    assert [p.hypothesis in p.premise for p in first if p.shares == SAYS] == [True]
    assert all(
        len(item["facts"]) == len(set(item["facts"])) == 3 and item["against"] not in item["facts"]
        for item in written_facts()
    )


def test_two_outcomes_of_one_trial_are_neutral_and_an_outcome_turned_around_is_not() -> None:
    rows = [
        claim("Compared with placebo, irbesartan significantly decreased blood pressure."),
        claim("Compared with placebo, irbesartan significantly increased serum potassium."),
        claim("Compared with placebo, irbesartan significantly increased potassium at six weeks."),
        claim("Compared with placebo, irbesartan significantly increased mortality.", "contradiction"),
        claim("There was no significant difference between irbesartan and placebo in cough."),
        claim("Compared with amlodipine, irbesartan significantly decreased oedema."),
    ]
    pairs = list(effects_beside(rows, Random(1)))
    outcomes = ("blood pressure", "serum potassium", "potassium at six weeks", "oedema")

    def outcome(text: str) -> str:
        return next(one for one in outcomes if one in text)

    neutral = {(outcome(p.premise), outcome(p.hypothesis)) for p in pairs if p.shares == NEITHER}
    pressure, first, second, _ = outcomes
    assert neutral == {(pressure, first), (first, pressure), (pressure, second), (second, pressure)}
    turned = [(outcome(p.premise), outcome(p.hypothesis)) for p in pairs if p.shares == OTHERWISE]
    assert all(one == other for one, other in turned) and len(turned) == 3
    assert not any("mortality" in p.premise + p.hypothesis or "cough" in p.premise for p in pairs)


def test_nuggets_of_one_answer_are_neutral_unless_one_may_say_the_other() -> None:
    texts = (
        "Ivermectin is taken by mouth for scabies",
        "Ivermectin is given by weight",
        "Ivermectin is given strictly by weight",
        "Bedding is washed hot",
    )
    row = {"question_id": "q", "nuggets": [{"text": text} for text in texts]}
    pairs = list(nuggets_beside([row], Random(1)))
    assert {frozenset((p.premise.rstrip("."), p.hypothesis)) for p in pairs} == {
        frozenset((texts[0], texts[1])),
        frozenset((texts[0], texts[2])),
    }
    assert {p.shares for p in pairs} == {NEITHER}


def test_half_of_the_questions_are_left_out() -> None:
    assert [is_left_out(f"kqa-{n}") for n in range(6)] == [True, True, False, False, True, False]
