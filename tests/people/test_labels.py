"""Words of people for the states of nuggets and criteria: known ones are mapped, others are none."""

import pytest

from medassay.models.people.labels import in_one_vocabulary, label_of, other_words, our_state, plain_word


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("entailed", "entailment Entailed SUPPORTED supports covered fully_covered fully-covered Present yes Y TRUE 1 ✓"),
        ("partial", "partial PARTIALLY_SUPPORTED partial_support partially-covered partly"),
        ("neutral", "neutral missing absent not_mentioned NOT-MENTIONED omitted NOT_ENOUGH_INFO NEI not\u00a0stated"),
        ("not entailed", "no N false 0 not_entailed not-covered NOT_SUPPORT unsupported non-entailment ✗"),
        ("contradicted", "contradiction contradicts CONTRADICTORY refuted REFUTES opposed conflicting wrong"),
        (None, "2 grün E maybe n/a ? score none"),
    ],
)  # fmt: skip
def test_words_for_the_state_of_a_nugget(label: str | None, words: str) -> None:
    assert {word: label_of("nugget", word) for word in words.split(" ")} == dict.fromkeys(
        words.split(" "), label
    )


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("met", "met Met yes TRUE 1 1.0 satisfied PASS fulfilled"),
        ("not met", "not_met unmet Not-Met no false 0 0.0 fail not_satisfied"),
        (None, "partial partially_met covered n/a"),
    ],
)
def test_words_for_a_criterion(label: str | None, words: str) -> None:
    assert {word: label_of("criterion", word) for word in words.split()} == dict.fromkeys(
        words.split(), label
    )


def test_what_is_no_mere_spelling_is_said() -> None:
    said = "labels read: 'covered' as entailed, 'missing' as neutral"
    assert other_words("nugget", ["covered", "missing", "covered", "Contradiction"]) == said
    assert other_words("nugget", ["entailment", "NEUTRAL", "not_entailed"]) is None


def test_our_states_are_told_apart_as_far_as_people_did() -> None:
    states = ("covered", "partial", "contradicted", "missing")

    def ours(*labels: str) -> list[str]:
        return [our_state(state, labels) for state in states]

    assert ours("entailed", "neutral") == ["entailed", "neutral", "contradicted", "neutral"]
    assert ours("entailed", "partial", "neutral") == ["entailed", "partial", "contradicted", "neutral"]
    # Yes and no: whoever says no has no word for the opposite.
    assert ours("entailed", "not entailed") == ["entailed", "not entailed", "not entailed", "not entailed"]
    assert ours("entailed", "not entailed", "contradicted") == [
        "entailed",
        "neutral",
        "contradicted",
        "neutral",
    ]
    mixed = in_one_vocabulary(["entailed", "not entailed", "contradicted"])
    assert mixed == {"entailed": "entailed", "not entailed": "neutral", "contradicted": "contradicted"}
    assert in_one_vocabulary(["entailed", "not entailed"])["not entailed"] == "not entailed"


def test_yes_and_no_are_one_word_each_however_they_are_written() -> None:
    assert [plain_word(word) for word in ("Yes", "y", "TRUE", "No", "0", "Accurate ")] == [
        "yes", "yes", "yes", "no", "no", "accurate",
    ]  # fmt: skip
