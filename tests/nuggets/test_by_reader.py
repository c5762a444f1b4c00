"""Nugget states from a reader's verdicts: which windows are read, and what their probabilities decide."""

import numpy as np
import pytest

from medassay.models.nuggets.by_reader import by_position, parts_to_read, passage_of
from medassay.models.nuggets.evidence import ClaimText, Held, MatchSettings
from medassay.models.nuggets.matching import match, pairs_to_entail
from medassay.models.records import PairVerdict

SETTINGS = MatchSettings(matcher="reader")
NUGGET = "Ibuprofen should be avoided with warfarin"


def says(a: float, b: float) -> PairVerdict:
    return PairVerdict(entailment=a, contradiction=b, neutral=1 - a - b)


def claims(*texts: str) -> list[ClaimText]:
    return [ClaimText(position, text) for position, text in enumerate(texts)]


def test_a_window_begins_with_what_introduces_it() -> None:
    answer = [ClaimText(0, "Side effects include:", "non_claim", leads=True), *[ClaimText(1, "nausea")]]
    assert passage_of((1,), by_position(answer)) == "Side effects include:\nnausea"


def test_the_nearest_windows_are_read_once() -> None:
    answer = claims("a", "b", "c", "d", "e", "f", "g")
    similarity = np.array([[0.1], [0.2], [0.9], [0.2], [0.1], [0.8], [0.1]])
    asked = pairs_to_entail(answer, [NUGGET], similarity, SETTINGS)
    assert [(request.premise, request.claim_position) for request in asked] == [
        ("b\nc\nd", 2),
        ("e\nf\ng", 5),
    ]


@pytest.mark.parametrize(
    ("verdict", "nugget_state", "claim_state"),
    [
        (says(0.93, 0.02), "covered", "correct"),
        (says(0.02, 0.95), "contradicted", "contradicts"),
        (says(0.2, 0.1), "missing", "unmatched"),
        (says(0.45, 0.48), "missing", "unmatched"),
    ],
)
def test_the_most_probable_decides(verdict: PairVerdict, nugget_state: str, claim_state: str) -> None:
    answer = claims("Ibuprofen is safe with warfarin.")
    verdicts = {(answer[0].text, NUGGET): verdict}
    result = match(answer, [NUGGET], np.array([[0.9]]), verdicts, SETTINGS)
    assert (result.nuggets[0].state, result.claims[0].state) == (nugget_state, claim_state)


def test_a_contradiction_in_one_of_several_windows_has_to_be_surer() -> None:
    answer = claims(*"abcdefghi")
    similarity = np.array([[0.9 if place in (1, 7) else 0.1] for place in range(9)])
    passages = ["a\nb\nc", "g\nh\ni"]
    for probability, state in ((0.7, "missing"), (0.9, "contradicted")):
        verdicts = {(passages[0], NUGGET): says(0.05, probability), (passages[1], NUGGET): says(0.01, 0.01)}
        assert match(answer, [NUGGET], similarity, verdicts, SETTINGS).nuggets[0].state == state


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (says(0.2, 0.1), "the answer says neither (0.70)"),
        (says(0.45, 0.47), "undecided: says so 0.45, otherwise 0.47"),
    ],
)
def test_what_is_missing_says_whether_neither_was_read_or_nothing_decided(
    verdict: PairVerdict, reason: str
) -> None:
    """Nitrofurantoin "for five days" beside "for 5 days" was missing with "the answer says neither (0.08)"."""
    answer = claims("Nitrofurantoin 100 mg twice daily for five days.")
    result = match(answer, [NUGGET], np.array([[0.9]]), {(answer[0].text, NUGGET): verdict}, SETTINGS)
    assert (result.nuggets[0].state, result.nuggets[0].reason) == ("missing", reason)


@pytest.mark.parametrize(
    ("stated", "turned", "state"),
    [
        (0.94, 0.78, "covered"),
        (0.82, 0.79, "covered"),
        (0.63, 0.9, "contradicted"),
        (0.53, 0.86, "contradicted"),
    ],
)
def test_of_a_window_that_states_it_and_one_that_turns_it_the_surer_counts(
    stated: float, turned: float, state: str
) -> None:
    """The readers' probabilities for four nuggets of physicians' own K-QA answers; the last two were turned around."""
    answer = claims(*"abcdefghi")
    similarity = np.array([[0.9 if place in (1, 7) else 0.1] for place in range(9)])
    verdicts = {
        ("a\nb\nc", NUGGET): says(stated, (1 - stated) / 2),
        ("g\nh\ni", NUGGET): says((1 - turned) / 2, turned),
    }
    found = match(answer, [NUGGET], similarity, verdicts, SETTINGS)
    assert (found.nuggets[0].state, found.nuggets[0].conflict) == (state, state == "contradicted")
    assert {claim.state for claim in found.claims} == {"unmatched", "correct"} | (
        {"contradicts"} if state == "contradicted" else set()
    )


def test_what_is_stated_of_another_dose_is_contradicted() -> None:
    """A physician's nugget (K-QA): readers take a tenth of the dose for the same."""
    nugget, answer = (
        "Adults should take 0.6 mg of colchicine.",
        claims("Adults should take 0.06 mg of colchicine."),
    )
    result = match(answer, [nugget], np.array([[0.9]]), {(answer[0].text, nugget): says(0.8, 0.1)}, SETTINGS)
    state = result.nuggets[0]
    assert (state.state, state.reason) == ("contradicted", "the answer says so, but of another amount")


def test_facts_are_read_where_the_whole_is_in_doubt() -> None:
    nugget = "Metformin causes nausea, diarrhoea and headache."
    answer = claims("Metformin causes nausea.")
    similarity = np.array([[0.8]])
    whole = {(answer[0].text, nugget): says(0.3, 0.1)}
    asked = parts_to_read(Held(answer, [nugget], similarity), whole, SETTINGS)
    assert [part for _, part in asked] == [
        "Metformin causes nausea.",
        "Metformin causes diarrhoea.",
        "Metformin causes headache.",
    ]
    read = dict(zip(asked, [says(0.9, 0.05), says(0.1, 0.1), says(0.1, 0.1)], strict=True))
    state = match(answer, [nugget], similarity, whole | read, SETTINGS).nuggets[0]
    assert (state.state, state.reason) == (
        "partial",
        "1 of 3 facts stated, not *Metformin causes diarrhoea.*",
    )
    sure = {(answer[0].text, nugget): says(0.95, 0.01)}
    assert parts_to_read(Held(answer, [nugget], similarity), sure, SETTINGS) == []


def test_a_fact_turned_around_turns_the_nugget() -> None:
    nugget = "Metformin causes nausea and lowers weight."
    answer = claims("Metformin causes nausea but raises weight.")
    similarity = np.array([[0.8]])
    whole = {(answer[0].text, nugget): says(0.4, 0.4)}
    asked = parts_to_read(Held(answer, [nugget], similarity), whole, SETTINGS)
    read = dict(zip(asked, [says(0.97, 0.01), says(0.01, 0.98)], strict=True))
    state = match(answer, [nugget], similarity, whole | read, SETTINGS).nuggets[0]
    assert (state.state, state.reason) == ("contradicted", "turned around: *Metformin lowers weight.*")


def test_a_nugget_without_a_verdict_is_missing_with_the_reason() -> None:
    answer = claims("Ibuprofen is safe with warfarin.")
    state = match(answer, [NUGGET], np.array([[0.9]]), {}, SETTINGS).nuggets[0]
    assert (state.state, state.reason) == ("missing", "the reader gave no verdict")
