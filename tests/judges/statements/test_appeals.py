import pytest

from medassay.models.judges.statements.appeals import is_appeal, without_appeals


def speaks_of_rest(words: str) -> bool:
    return "rest" in words.lower().split()


@pytest.mark.parametrize(
    ("statement", "bare"),
    [
        (
            "Rest helps and doctors everywhere do it that way.",
            "Rest helps and doctors everywhere do it that way.",
        ),
        ("Rest helps most and doctors everywhere do it that way.", "Rest helps most."),
        ("Rest helps most people with the full agreement of all specialists.", "Rest helps most people."),
        (
            "Rest helps most people as leading universities teach, and sleep too.",
            "Rest helps most people, and sleep too.",
        ),
        ("Rest helps by general consensus most people.", "Rest helps by general consensus most people."),
        ("Rest has helped by consensus the children with fever.", "Rest has helped the children with fever."),
        (
            "Rest is given as standard treatment of a child.",
            "Rest is given as standard treatment of a child.",
        ),
        ("Specialists know rest helps most people.", "Rest helps most people."),
        ("Every nurse will tell you rest helps.", "Rest helps."),
        ("Every nurse knows it.", "Every nurse knows it."),
        ("Nearly all experts agree on rest for people.", "Nearly all experts agree on rest for people."),
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
        "Take one tablet and ask your pharmacist about the next.",
        "Stop the tablets and call the doctor who prescribed them.",
        "Blood tests are done in hospital by a nurse.",
        "It is given with insulin as the kidneys fail.",
        "Guidelines recommend metformin first.",
        "The dose is raised with evidence of renal impairment and anaemia.",
        "It helps and doctors recommend rest.",
        "Mood improves within two hours, and a full trial takes one day.",
        "",
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
        ("rest is needed", False),
        ("as for rest and insulin", False),
        ("ask your doctor about rest", False),
        ("a nurse says", False),
        ("insulin is safe", False),
    ],
)
def test_a_part_that_only_takes_up_the_question_or_appeals_says_nothing(part: str, is_one: bool) -> None:
    assert is_appeal(part, speaks_of_rest) is is_one
