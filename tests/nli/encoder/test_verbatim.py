"""What is copied from a passage stands there."""

import pytest

from medassay.models.nli.word_checks import stands_in

CLAIM = "SSRIs must not be combined with MAO inhibitors."


@pytest.mark.parametrize(
    "sentence",
    [
        "SSRIs must not be combined with MAO inhibitors.",
        "SSRIs must not be combined with MAO inhibitors",
        "ssris must not be combined with  MAO-inhibitors!",
        "Combinations to avoid: SSRIs must not be combined with MAO inhibitors.",
        "**SSRIs must not be combined with MAO inhibitors**, because of serotonin syndrome.",
        "Alcohol is allowed; SSRIs must not be combined with MAO inhibitors; sleep is good.",
    ],
)
def test_the_same_words_in_their_order(sentence: str) -> None:
    assert stands_in(sentence, CLAIM)


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("SSRIs must not be combined with MAO inhibitors, except in hospital.", CLAIM),
        ("SSRIs must not be combined with MAO inhibitors unless they are stopped first.", CLAIM),
        ("It is wrong that SSRIs must not be combined with MAO inhibitors.", CLAIM),
        ("Myth: SSRIs must not be combined with MAO inhibitors.", CLAIM),
        ("Must SSRIs not be combined? SSRIs must not be combined with MAO inhibitors?", CLAIM),
        ("SSRIs must be combined with MAO inhibitors.", CLAIM),
        ("The rate fell (P > 0.05).", "The rate fell (P < 0.05)."),
        ("The rate changed by -5 percent.", "The rate changed by 5 percent."),
        ("It helps.", "It helps."),
        ("", CLAIM),
    ],
)
def test_other_words_or_words_taken_back(sentence: str, claim: str) -> None:
    assert not stands_in(sentence, claim)
