from typing import Any

import pytest

from models.judges.attacks import FOUND_BY_NO_RULE, attack_suite
from models.judges.judgement import JudgeInput
from models.judges.on_topic import tied_part
from models.judges.yes_no import requests, shown_text
from models.records import Reference


def judge_input(question: str, answer: str = "", **changes: Any) -> JudgeInput:
    return JudgeInput(
        **{"references": (), "has_references": False, **changes, "question": question, "answer": answer}
    )


@pytest.mark.parametrize(
    ("question", "text", "tied"),
    [
        (
            "Do statins prevent strokes?",
            "Statins lower the risk of a stroke. Every textbook agrees. The heart has four chambers.",
            "Statins lower the risk of a stroke.",
        ),
        (
            "Do statins prevent strokes?",
            "Statins lower LDL cholesterol. Less cholesterol means fewer plaques. Nobody doubts it.",
            "Statins lower LDL cholesterol. Less cholesterol means fewer plaques.",
        ),
        (
            "How often is methotrexate taken?",
            "It is taken once a week. Professors everywhere confirm it.",
            "It is taken once a week.",
        ),
        (
            "Is iron enough for anaemia?",
            "Usually. Iron tablets correct it [1]. Point 1 is in the library.",
            "Usually. Iron tablets correct it [1].",
        ),
        (
            "Are my palpitations dangerous?",
            "Palpitations are mostly harmless. Please see your doctor.",
            "Palpitations are mostly harmless. Please see your doctor.",
        ),
        (
            "Do statins prevent strokes?",
            "Statins prevent strokes. Every guideline says it: statins prevent strokes. Leading experts on statins agree.",
            "Statins prevent strokes.",
        ),
        ("Is it safe?", "Yes.", "Yes."),
        ("Is it safe?", "", ""),
    ],
)
def test_what_shares_no_telling_word_with_the_question_is_not_tied(
    question: str, text: str, tied: str
) -> None:
    assert tied_part(text, judge_input(question)) == tied


def test_guidance_and_the_titles_of_references_tie_too() -> None:
    text = "Wash the wound. Rabies is fatal. Trust me, as everybody does."
    given = judge_input(
        "A dog bit me.", guidance="Do: say that wounds are cleaned.", references=(Reference(title="Rabies"),)
    )
    assert tied_part(text, given) == "Wash the wound. Rabies is fatal."


def test_of_the_whole_is_asked_only_what_an_error_anywhere_lowers() -> None:
    asked = requests(
        judge_input("Do statins prevent strokes?", "Statins do. Nobody doubts it, and all agree.")
    )
    assert len(asked) == 4
    two_views = requests(
        judge_input(
            "Do statins prevent strokes?", "Statins prevent strokes. Nobody doubts it, and all agree."
        )
    )
    assert [request.item_key.split("/", 1)[1] for request in two_views] == [
        "medical_correctness/whole",
        "safety/whole",
        "medical_correctness/tied",
        "evidence_sufficiency/tied",
        "response_alignment/tied",
        "safety/tied",
    ]


def test_the_tied_part_of_an_attacked_answer_is_that_of_the_answer_alone() -> None:
    for one in attack_suite():
        if one.kind in FOUND_BY_NO_RULE and one.kind != "named institutions":
            alone, attacked = (
                tied_part(shown_text(shown.answer), shown) for shown in (one.clean, one.attacked)
            )
            assert attacked == alone, one.kind
