import pytest

from medassay.models.judges.statements.frames import without_frames


@pytest.mark.parametrize(
    ("sentence", "statement", "frames"),
    [
        (
            "According to the World Health Organization, it is viral.",
            "It is viral.",
            ["According to the World Health Organization"],
        ),
        ("As every textbook says, rest helps most people.", "Rest helps most people.", []),
        ("It is a fact that rest helps.", "It is a fact that rest helps.", []),
        ("It is a myth that rest helps most people.", "It is a myth that rest helps most people.", []),
        (
            "There is no proof that rest helps most people.",
            "There is no proof that rest helps most people.",
            [],
        ),
        (
            "Rest (400 mg) helps (as all of us have known).",
            "Rest (400 mg) helps.",
            ["as all of us have known"],
        ),
        (
            "Rest – and nobody here doubts it – helps most people.",
            "Rest helps most people.",
            ["and nobody here doubts it"],
        ),
        ("Rest – or sleep – helps most people.", "Rest – or sleep – helps most people.", []),
        (
            "Of the things on the long list that is in the kitchen none is such that rest helps most people.",
            "Of the things on the long list that is in the kitchen none is such that rest helps most people.",
            [],
        ),
        (
            "It would be neither careless nor inaccurate to state that rest helps most people.",
            "Rest helps most people.",
            ["It would be neither careless nor inaccurate to state"],
        ),
        (
            "It would be untrue to say that the following does not hold: rest helps most people.",
            "Rest helps most people.",
            ["It would be untrue to say that the following does not hold"],
        ),
        ("Nobody doubts that rest helps most people.", "Rest helps most people.", []),
        (
            "It is not wrong or misleading to say that rest helps most people.",
            "Rest helps most people.",
            ["It is not wrong or misleading to say"],
        ),
        (
            "Hardly anyone who has tried it would say that rest helps most people.",
            "Hardly anyone who has tried it would say that rest helps most people.",
            [],
        ),
        (
            "It is not unlikely that rest helps most people.",
            "It is not unlikely that rest helps most people.",
            [],
        ),
        ("With aspirin: rest is needed.", "With aspirin: rest is needed.", []),
    ],
)
def test_who_says_it_and_what_is_enclosed_is_taken_off(
    sentence: str, statement: str, frames: list[str]
) -> None:
    assert without_frames(sentence, lambda words: "aspirin" in words) == (statement, frames)
