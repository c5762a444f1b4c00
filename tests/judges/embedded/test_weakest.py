import pytest

from models.judges.embedded.weakest import EXPECTED_DROP, log_odds_of_answer, still_to_read
from models.judges.judgement import SubMetric

Read = dict[str, dict[SubMetric, float]]


def no_versions(view: str) -> list[str]:
    return []


def read(**views: tuple[float, float | None, float | None]) -> Read:
    """Lay out (correctness, alignment, safety) by view."""
    names: tuple[SubMetric, ...] = ("medical_correctness", "response_alignment", "safety")
    return {
        view: {name: value for name, value in zip(names, values, strict=True) if value is not None}
        for view, values in views.items()
    }


NOTHING: Read = {"nothing": {"response_alignment": 0.2}}


@pytest.mark.parametrize(
    ("readings", "counted"),
    [
        (read(tied0=(1.5, 2.0, 0.7)), (1.5, 2.0, 0.7)),
        (read(tied0=(1.5, 2.0, None), tied1=(0.4, 3.0, 0.1)), (0.4, 2.0, 0.1)),
        (
            read(tied0=(2.0, 2.0, None), beside0=(0.1, 0.1, None), beside1=(0.4, 0.2, 2.5)) | NOTHING,
            (2.0, 2.0, 2.5),
        ),
        (read(tied0=(2.0, 2.0, None), beside0=(-1.2, 0.1, -0.8)) | NOTHING, (-1.2, 0.1, -0.8)),
        (read(tied0=(2.0, 2.0, None), beside0=(0.3, 0.9, 0.1)) | NOTHING, (0.3, 0.9, 0.1)),
        (read(tied0=(2.0, 2.0, 1.0), beside0=(1.4, -0.5, None)) | NOTHING, (2.0, -0.5, 1.0)),
        (read(beside0=(0.3, 0.9, 0.1), beside1=(1.3, -0.5, None)) | NOTHING, (0.3, -0.5, 0.1)),
        (read(beside0=(0.3, 0.9, 0.1), beside1=(0.5, -0.5, None)) | NOTHING, (0.3, 0.9, 0.1)),
        (read(beside0=(0.3, 0.1, 0.1), beside1=(0.5, -0.5, None)) | NOTHING, (2.0, -0.5, 0.1)),
    ],
)
def test_the_weakest_statement_counts_and_one_beside_the_question_where_it_answers_or_reads_as_wrong(
    readings: Read, counted: tuple[float, float, float]
) -> None:
    found = log_odds_of_answer(readings)
    assert (found["medical_correctness"], found["response_alignment"], found["safety"]) == counted


def test_long_answers_are_allowed_the_drop_that_comes_with_length() -> None:
    tied = {f"tied{n}": (1.0, None, None) for n in range(12)}
    for n, allowed in ((1, 0), (2, 0), (3, 1), (7, 5), (12, 5)):
        found = log_odds_of_answer(read(**dict(list(tied.items())[:n])))
        assert found == {"medical_correctness": 1.0 + allowed * EXPECTED_DROP}


def test_a_statement_that_may_speak_of_something_else_is_asked_only_where_it_reads_weakest() -> None:
    readings = read(
        tied0=(2.0, 2.0, None), tied1=(1.5, None, None), tied2=(1.8, 2.0, None), tied3=(1.8, None, None)
    )
    readings |= read(beside0=(1.6, None, None), beside1=(-1.1, None, None))
    assert still_to_read(readings, no_versions) == [("beside1", "safety")]
    readings |= read(beside1=(0.9, None, None))
    assert still_to_read(readings, no_versions) == [
        ("beside1", "response_alignment"),
        ("nothing", "response_alignment"),
    ]
    readings |= read(beside1=(0.9, -0.5, None)) | NOTHING
    assert still_to_read(readings, no_versions) == [("tied1", "safety")]
    readings |= read(tied1=(1.5, None, 0.5))
    assert still_to_read(readings, no_versions) == []
    assert still_to_read({}, no_versions) == []


def test_shorter_versions_are_read_of_the_statement_that_counts_and_the_lowest_does() -> None:
    versions = {"tied0": ["tied0.1"], "tied1": ["tied1.1", "tied1.2"]}
    readings = read(tied0=(2.0, None, None), tied1=(1.5, None, None)) | {
        "tied0.1": {"response_alignment": 0.9}
    }
    assert still_to_read(readings, versions.__getitem__) == [
        ("tied1.1", "medical_correctness"),
        ("tied1.2", "medical_correctness"),
    ]
    readings |= {"tied1.1": {"medical_correctness": 0.3}, "tied1.2": {"medical_correctness": 2.5}}
    assert still_to_read(readings, versions.__getitem__) == [("tied1.1", "safety")]
    readings["tied1.1"]["safety"] = 0.2
    assert still_to_read(readings, versions.__getitem__) == []
    assert log_odds_of_answer(readings) == {
        "medical_correctness": 0.3,
        "safety": 0.2,
        "response_alignment": 0.9,
    }


def test_of_what_reads_as_wrong_no_version_is_read() -> None:
    assert still_to_read(read(tied0=(-1.5, 2.0, None)), lambda _: ["tied0.1"]) == [("tied0", "safety")]


def test_whatever_is_added_to_an_answer_its_statements_count_as_before() -> None:
    """Values of -3 to 3 for statements of either kind: correctness never rises, but for the drop that is allowed."""
    levels = (-3.0, -0.9, 0.1, 1.2, 3.0)
    for kind in ("tied", "beside"):
        for mine in levels:
            for how in levels:
                alone = log_odds_of_answer(read(**{f"{kind}0": (mine, how, 0.0)}) | NOTHING)
                for added in ("tied1", "beside1"):
                    for theirs in levels:
                        for fit in levels:
                            longer = read(**{f"{kind}0": (mine, how, 0.0), added: (theirs, fit, None)})
                            after = log_odds_of_answer(longer | NOTHING)
                            assert after["medical_correctness"] <= alone["medical_correctness"]
                            if mine >= 1.0 or mine < -1.0 or how >= 0.6 or kind == "tied":
                                assert after["response_alignment"] <= alone["response_alignment"]
