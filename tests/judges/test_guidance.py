"""Guidance as statements, and what an answer says of them."""

import pytest

from medassay.models.guidance import decide_guidance, guidance_statements, passages_of
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.records import PairVerdict

# Guidance of examples/clinic and of the gold pairs, in their own words.
STATEMENTS = [
    (
        "Do mention kidney function. Don't advise stopping metformin without a doctor.",
        [("do", "Kidney function."), ("dont", "The text advises stopping metformin without a doctor.")],
    ),
    (
        "Do say clearly that the medicine must be changed. Don't frighten.",
        [("do", "The medicine must be changed."), ("dont", "The text frightens.")],
    ),
    (
        "Do warn of NSAIDs. Do explain both devices plainly.",
        [("do", "The text warns of NSAIDs."), ("do", "Both devices.")],
    ),
    (
        "Do: give practical lifestyle advice; advise a visit to the doctor. Don't: lecture about history.",
        [
            ("do", "Practical lifestyle advice."),
            ("do", "The text advises a visit to the doctor."),
            ("dont", "The text lectures about history."),
        ],
    ),
    (
        "Do: say how long the pain lasts, advise on eating and drinking, say when to seek urgent help."
        " Don't: give doses of medicines.",
        [
            ("do", "How long the pain lasts."),
            ("do", "The text advises on eating and drinking."),
            ("do", "When to seek urgent help."),
            ("dont", "The text gives doses of medicines."),
        ],
    ),
    (
        "Do: give one or two steps for home and say when to call a doctor; Don't: name brands.",
        [
            ("do", "One or two steps for home."),
            ("do", "When to call a doctor."),
            ("dont", "The text names brands."),
        ],
    ),
    (
        "Do's:\n1. Ask about allergies\n2. Refer to a doctor\n\nDon'ts:\n* Recommend antibiotics\n* Be alarming",
        [
            ("do", "The text asks about allergies."),
            ("do", "The text refers to a doctor."),
            ("dont", "The text recommends antibiotics."),
            ("dont", "The text is alarming."),
        ],
    ),
    (
        "The answer should mention tapering. It must not recommend alcohol.\nRed flags:\n- fainting\n- chest pain",
        [
            ("do", "Tapering."),
            ("dont", "The text recommends alcohol."),
            ("red_flag", "Fainting."),
            ("red_flag", "Chest pain."),
        ],
    ),
    ("Avoid jargon.", [("dont", "There is jargon in the text.")]),
    ("The patient is 58 and was diagnosed last month.", []),
    ("", []),
]


@pytest.mark.parametrize(("guidance", "expected"), STATEMENTS)
def test_instructions_become_statements(guidance: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.statement) for one in guidance_statements(guidance)] == expected


def test_no_guidance_has_no_statement() -> None:
    assert guidance_statements(None) == []


CLAIMS = [
    ClaimText(i, f"Sentence {word}.") for i, word in enumerate("one two three four five six seven".split())
]


def test_passages_hold_every_sentence_once() -> None:
    assert passages_of(CLAIMS) == [
        (
            (0, 1, 2, 3, 4, 5),
            "Sentence one.\nSentence two.\nSentence three.\nSentence four.\nSentence five.\nSentence six.",
        ),
        ((6,), "Sentence seven."),
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), ("said", (1,))),
        # With two passages a contradiction counts from .78 on.
        ((0.1, 0.2, 0.7), (0.1, 0.8, 0.1), ("missing", ())),
        ((0.1, 0.05, 0.85), (0.1, 0.8, 0.1), ("turned", (1,))),
        ((0.8, 0.1, 0.1), (0.0, 0.1, 0.9), ("said", (1,))),
    ],
)
def test_the_surer_passage_decides(
    first: tuple[float, float, float],
    second: tuple[float, float, float],
    expected: tuple[str, tuple[int, ...]],
) -> None:
    read = [((0, 1), PairVerdict(*first)), ((2, 3), PairVerdict(*second))]
    texts = {0: "Take it with food.", 1: "Stop ibuprofen.", 2: "Nothing.", 3: "More."}
    found = decide_guidance("Ibuprofen.", texts, read)
    assert (found.state, found.claim_positions) == expected
