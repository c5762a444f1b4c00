"""Doses and concentrations of a passage beside a statement's."""

import pytest

from medassay.models.nuggets.amounts import names_other_amount

COLCHICINE = "For the prevention of gout attacks, adults should take {} 1 or 2 times a day."
"""A physician's sentence (K-QA), of which readers take the tenth of the dose for the same."""


@pytest.mark.parametrize(
    ("passage", "statement"),
    [
        (COLCHICINE.format("0.06 milligrams (mg)"), COLCHICINE.format("0.6 milligrams (mg) of colchicine")),
        (
            "Start amlodipine at 50 mg once daily.",
            "The usual starting dose of amlodipine is 5 mg once daily.",
        ),
        ("Give digoxin 625 micrograms daily.", "The dose of digoxin is 62.5 micrograms daily."),
        ("Alteplase is given at 9 mg per kg.", "Alteplase is given at 0.9 mg/kg."),
        ("The target is an LDL of 155 mg/dl.", "The LDL target is 55 mg/dL."),
    ],
)
def test_another_amount_is_seen_from_either_side(passage: str, statement: str) -> None:
    assert names_other_amount(passage, statement)
    assert names_other_amount(statement, passage)


@pytest.mark.parametrize(
    ("passage", "statement"),
    [
        ("Take 1,000 mg.", "Take 1 g."),
        ("Give 500 mg twice daily.", "The daily dose is 1 g."),
        ("Take 500-1000 mg.", "Take 650 mg."),
        ("It comes in tablets of 25mg, 50mg, and 100mg.", "Losartan comes in tablets of 25 mg."),
        ("Take up to 4 g a day.", "Take 3 g a day."),
        ("Give 15 mg per kg.", "Give 15 mg/kg."),
        ("Give 15 mg per kg.", "Give 300 mg."),
        ("In an adult of 70 kg the dose is weighed.", "Give 300 mg."),
        ("Take one tablet.", "Take 5 mg."),
        ("Take 5 mg for 3 weeks.", "Take it for 5 days."),
    ],
)
def test_the_same_amount_a_bound_and_another_kind_are_none(passage: str, statement: str) -> None:
    assert not names_other_amount(passage, statement)
    assert not names_other_amount(statement, passage)
