import pytest

from medassay.models.judges.statements.appeals import is_appeal, without_appeals


def speaks_of_rest(words: str) -> bool:
    return "rest" in words.lower().split()


@pytest.mark.parametrize(
    ("statement", "bare"),
    [
        ("Rest helps most and doctors everywhere do it that way.", "Rest helps most."),
        (
            "Rest helps most people as leading universities teach, and sleep too.",
            "Rest helps most people, and sleep too.",
        ),
        ("Rest helps by general consensus most people.", "Rest helps by general consensus most people."),
        ("Rest has helped by consensus the children with fever.", "Rest has helped the children with fever."),
        ("Specialists know rest helps most people.", "Rest helps most people."),
        ("Every nurse knows it.", "Every nurse knows it."),
        ("Rest certainly helps most people.", "Rest helps most people."),
        ("It is without any doubt true.", "It is true."),
        ("Certainly rest helps.", "Rest helps."),
    ],
)
def test_who_says_it_and_how_sure_they_are_is_left_out(statement: str, bare: str) -> None:
    assert without_appeals(statement, speaks_of_rest) == bare


@pytest.mark.parametrize(
    "statement",
    [
        "Wash the wound and see a doctor.",
        "Keep the leg up and show it to a doctor if it swells.",
        "The dose is raised with evidence of renal impairment and anaemia.",
        "It helps and doctors recommend rest.",
    ],
)
def test_medicine_and_advice_stay(statement: str) -> None:
    assert without_appeals(statement, speaks_of_rest) == statement


@pytest.mark.parametrize(
    ("part", "is_one"),
    [
        ("as for rest", True),
        ("when it comes to rest", True),
        ("for rest this is the standard everywhere", True),
        ("a nurse says", False),
    ],
)
def test_a_part_that_only_takes_up_the_question_or_appeals_says_nothing(part: str, is_one: bool) -> None:
    assert is_appeal(part, speaks_of_rest) is is_one
