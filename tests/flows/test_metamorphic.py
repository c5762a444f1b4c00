"""Metamorphic properties: what breaks them is seen, and the embedded models keep all but the known one."""

import pytest

from medassay.flows import metamorphic
from medassay.flows.metamorphic import CHECKS, Measured, cases


def measured(**changed: dict[tuple[str, str], dict[str, object]]) -> Measured:
    """A measure that has every property, but for what is changed."""
    scores: dict[tuple[str, str], dict[str, float | None]] = {}
    states: dict[tuple[str, str], dict[str, str]] = {}
    for case in cases():
        name = case["case"]
        for kind in ("answer", "paraphrase", "repeated", "negated", "changed", "empty", "other"):
            value = 0.5 if kind in ("negated", "changed") else 1.0
            scores[name, kind] = {"seed.precision": value, "seed.correctness": value}
            states[name, kind] = dict.fromkeys(case["nuggets"], "covered")
        scores[name, "other"] = {"seed.precision": 0.5, "seed.correctness": 1.0}
        scores[name, "empty"] = {"seed.completeness": 0.0, "seed.recall": 0.0, "seed.precision": None}
        for suffix, system, other in (
            ("shuffled", "answer", "answer"),
            ("swapped", "answer", "other"),
            ("swapped", "other", "answer"),
        ):
            scores[name + suffix, system] = dict(scores[name, other])
            states[name + suffix, system] = dict(reversed(states[name, other].items()))
    for key, values in changed.get("scores", {}).items():
        scores[key] |= values  # type: ignore[arg-type]
    for key, values in changed.get("states", {}).items():
        states[key] |= values  # type: ignore[arg-type]
    return Measured(scores, states)


def broken(result: Measured) -> list[str]:
    return [
        f"{says}: {why}" for says, check in CHECKS.items() for case in cases() for why in check(case, result)
    ]


NUGGET = "Aspirin increases the risk of bleeding"


@pytest.mark.parametrize(
    ("changed", "seen"),
    [
        ({}, []),
        (
            {"states": {("aspirinshuffled", "answer"): {NUGGET: "missing"}}},
            [f"shuffling nuggets changes nothing: {NUGGET}: covered became missing"],
        ),
        (
            {"scores": {("aspirin", "repeated"): {"seed.precision": 1.1}}},
            ["saying a claim twice never raises precision: precision 1.00 became 1.10"],
        ),
        (
            {"scores": {("aspirin", "empty"): {"seed.completeness": 1.0, "seed.precision": 0.0}}},
            [
                "an empty answer scores 0 on completeness and NULL on precision: completeness is 1.00 and not 0.00",
                "an empty answer scores 0 on completeness and NULL on precision: precision is 0.00 and not NULL",
            ],
        ),
        (
            {"scores": {("aspirinswapped", "other"): {"seed.precision": None}}},
            ["swapping two answers swaps their scores: seed.precision: 1.00 became NULL"],
        ),
        (
            {"scores": {("aspirin", "changed"): {"seed.correctness": 1.0}}},
            [
                "negating or changing a dose lowers correctness: “The dose of aspirin after a heart attack is"
                " 750 mg once a day.”: correctness 1.00 became 1.00"
            ],
        ),
        (
            {"states": {("aspirin", "paraphrase"): {NUGGET: "contradicted"}}},
            [f"a paraphrase keeps the state: {NUGGET}: covered became contradicted"],
        ),
    ],
)
def test_what_breaks_a_property_is_said(changed: dict, seen: list[str]) -> None:
    assert broken(measured(**changed)) == seen


@pytest.mark.usefixtures("needs_the_embedder")
def test_the_pipeline_keeps_the_properties_that_hang_on_no_model() -> None:
    found = metamorphic.examine(reader="none", matcher="cosine")
    assert [(property.says, property.broken) for property in found[:4]] == [
        (says, ()) for says in list(CHECKS)[:4]
    ]
    # The plain cosine rule is blind to a dose that is turned around: the very reason for a reader.
    assert not found[4].holds
