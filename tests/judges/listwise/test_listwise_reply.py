import pytest

from medassay.models.chat.reply import Complaint
from medassay.models.judges.listwise.reply import ListwiseReply, gives_points, read_listwise, read_strict

STRICT = "Analyze: Step 1: The dose matters. Step 2: Doctor 1 names it. Score: Doctor 1: 5 points. Doctor 2: 2 points."


def test_the_form_is_read_to_the_letter() -> None:
    assert read_strict(STRICT, 2) == ListwiseReply(
        (5, 2), "Step 1: The dose matters. Step 2: Doctor 1 names it.", True
    )
    assert read_strict(
        "Analyze:\nStep 1: a\nScore:\nDoctor 1: 1 point.\nDoctor 2: 3 points.\n", 2
    ).points == (1, 3)


@pytest.mark.parametrize(
    "text",
    [
        "Doctor 2: 2 points\nDoctor 1: 5 points",
        "<think>Doctor 1: 1 points</think>Score: Doctor 1 - 5 points, Doctor 2 - 2 points",
        "Step 1: x\nFinal Scores\nDoctor #1 = 5.0 points; Doctor #2 = 2 points",
        "Step 1: Doctor 2: 2 errors.\nScores (1-5):\nDoctor 1: 5 points. It misses 2 facts.\nDoctor 2: 2 out of 5",
        "Score:\nDoctor 1: 1\nDoctor 2: 1\nFinal score:\nDoctor 1: 5\nDoctor 2: 2",
        # Said in another way.
        "Doctor 1 (5 points)\nDoctor 2 (2 points)",
        "Doctor 1 earns 5 points. Doctor 2 is awarded 2 points.",
        "<b>Doctor 1</b>: 5 points<br><b>Doctor 2</b>: 2 points",
    ],
)
def test_what_clearly_means_the_form_is_read_too(text: str) -> None:
    reply = read_listwise(text, 2)
    assert (reply.points, reply.is_strict) == ((5, 2), False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Both are good.", "no points are given to Doctor 1, Doctor 2"),
        ("Score: Doctor 1: -3 points. Doctor 2: 1 points.", "Doctor 1 has -3 points"),
        (STRICT + " Doctor 3: 1 points.", "there is no Doctor 3"),
        (
            "Score:\nDoctor 1: 4\nDoctor 2: 2\nIt wrote\nScore:\nDoctor 1: 1\nDoctor 2: 5",
            "Doctor 1 is scored twice, 4 and 1",
        ),
        # The form to the letter, twice.
        (STRICT + "\nScore: Doctor 1: 1 points. Doctor 2: 2 points.", "Doctor 1 is scored twice, 5 and 1"),
        # Another scale.
        ("Scores (1-10):\nDoctor 1: 5\nDoctor 2: 2", "the points are said to be on another scale: 1-10"),
        ("Score: Doctor 1: 4/10, Doctor 2: 2/10", "Doctor 1 is scored out of 10"),
        # Two numbers, of which either could be meant.
        ("Score:\nDoctor 1: 3 - 4 points\nDoctor 2: 2 points", "given to Doctor 1; it says '3 - 4 points'"),
        ("Score:\nDoctor 1: 3 – 4\nDoctor 2: 2", "given to Doctor 1; it says '3 – 4'"),
        ("Score:\nDoctor 1: 3, maybe 4\nDoctor 2: 2", "given to Doctor 1; it says '3, maybe 4'"),
        ("Score:\nDoctor 1: 3 (or 4)\nDoctor 2: 2", "given to Doctor 1; it says '3 (or 4)'"),
        ("Score:\nDoctor 1: 5 - 1 = 4 points\nDoctor 2: 2", "given to Doctor 1; it says '5 - 1 = 4 points'"),
        ("Doctor 1 (3): 4 points\nDoctor 2 (2): 4 points", "no points are given to Doctor 1, Doctor 2"),
        # Fractions, and what is out of range or of nobody.
        ("Doctor 1 (4.5 points)\nDoctor 2 (2 points)", "Doctor 1 has 4.5 points; points are integers"),
        ("Dr. 1: 6 points\nDr. 2: 2 points", "Doctor 1 has 6 points; points are from 1 to 5"),
        ("Dr. 1: 5 points\nDr. 3: 2 points", "no points are given to Doctor 2"),
        # Numbers that need not be points.
        ("They rank as told.\nDoctor 1: 2\nDoctor 2: 1", "no points are given to Doctor 1, Doctor 2"),
        # Other forms: it is asked for this one.
        ('{"Doctor 1": 5, "Doctor 2": 2}', "no points are given to Doctor 1, Doctor 2"),
        ("| Doctor | Score |\n|---|---|\n| 1 | 5 |\n| 2 | 2 |", "no points are given to Doctor 1, Doctor 2"),
    ],
)
def test_what_is_unclear_is_not_guessed(text: str, words: str) -> None:
    with pytest.raises(Complaint) as caught:
        read_listwise(text, 2)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\n-",
        "- Doctor 1: 4\n",
    ],
)
def test_a_long_reply_without_points_is_refused_at_once(piece: str) -> None:
    """Were the work quadratic in the length, this would take minutes."""
    for text in (f"Analyze: x\nScore{piece * (60_000 // len(piece))}Z", f"{piece * (60_000 // len(piece))}Z"):
        with pytest.raises(Complaint):
            read_listwise(text, 2)


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("Doctor 1: 5 mg is too much.", False),
        ("<think>Doctor 1: 3 points?</think>[Question]: What is INR?", False),
        ("**Doctor 1:** 9/5", True),
    ],
)
def test_points_are_noticed_be_they_sound_or_not(text: str, gives: bool) -> None:
    assert gives_points(text) is gives
