"""Rules, bounds and completeness: measured answers in, findings and a verdict out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medassay.models.gate.baseline import baseline_of
from medassay.models.gate.measured import FaultyCitation, Mean, Score, Span
from medassay.models.gate.record import GateFailed, InsufficientEvidence
from medassay.models.usage import UsageError
from tests.gate.measured import OPPOSED, TURNED, answer, held, run

LOW = Mean("nugget_coverage", "a", None, 0.6, 0.45, 0.75, 0.3, 14, 1, 14)


def rules_broken(table: dict[str, Any], *answers: Any, **more: Any) -> list[tuple[str, str, str]]:
    record = held(table, run(*answers), **more)
    return [(one.question_id, f.rule, f.level) for one in record.answers for f in one.findings]


def test_each_rule_finds_its_own_kind_of_fault() -> None:
    known = Span("c2", "It helps.", 19, 28)
    every = [
        "contradicted", "contradicted_vital", "citation_contradicts", "citation_not_found", "citation_untraceable",
    ]  # fmt: skip
    found = rules_broken(
        {"fail_on": every, "warn_on": ["citation_retracted"]},
        answer("q1", contradicted=(TURNED,)),
        answer("q2", contradicted=(replace(TURNED, importance="okay"),)),
        answer(
            "q3",
            citations=(
                OPPOSED,
                FaultyCitation("[2]", "pmid:2", "not_found", "unchecked", known),
                FaultyCitation("[3]", None, "untraceable", "unchecked", known),
                FaultyCitation("[4]", "pmid:4", "supports", "yes", known),
            ),
        ),
        answer("q4"),
    )
    assert found == [
        ("q1", "contradicted", "error"),
        ("q1", "contradicted_vital", "error"),
        ("q2", "contradicted", "error"),
        ("q3", "citation_contradicts", "error"),
        ("q3", "citation_not_found", "error"),
        ("q3", "citation_untraceable", "error"),
        ("q3", "citation_retracted", "warn"),
    ]


def test_only_contradictions_that_the_baseline_has_not_are_new() -> None:
    before = baseline_of(run(answer("q1", contradicted=(TURNED,)), answer("q2")))
    table = {"fail_on": ["newly_contradicted"]}
    now = [answer(q, contradicted=(TURNED,)) for q in ("q1", "q2", "q3")]
    assert rules_broken(table, *now, against=before) == [
        ("q2", "newly_contradicted", "error"),
        ("q3", "newly_contradicted", "error"),
    ]
    record = held(table, run(*now), against=before)
    assert record.lines() == [
        'q2, a: contradicts the nugget "The dose is 75 mg a day.", which the baseline\'s answer does not',
        'q3, a: contradicts the nugget "The dose is 75 mg a day.", and the baseline has no answer of this system to it',
    ]


def test_a_fault_of_a_citation_that_the_baseline_has_is_not_new() -> None:
    before = baseline_of(run(answer("q1", citations=(OPPOSED,))))
    retracted = replace(OPPOSED, state="supports", retracted="yes")
    now = answer("q1", citations=(replace(OPPOSED, citation="(1)"), retracted))
    record = held({"fail_on": ["newly_faulty_citation"]}, run(now), against=before)
    # The marker may change; source, claim and fault are what is known again.
    assert record.lines() == [
        "q1, a: [1] (pmid:1) is retracted, cited for: Take 750 mg a day. (not in the baseline)"
    ]


def test_a_rule_that_needs_a_baseline_is_not_left_out_silently() -> None:
    with pytest.raises(
        UsageError, match="the rule newly_contradicted needs a baseline: name one with --baseline"
    ):
        held({"fail_on": ["newly_contradicted"]}, run(answer()))
    # Among the default rules it waits for one, and the record says so.
    assert held({}, run(answer())).notes == ["no baseline: not compared, and no rule newly_contradicted"]
    with pytest.raises(UsageError, match="nothing is checked"):
        held({"fail_on": []}, run(answer()))


@pytest.mark.parametrize(
    ("bound", "outcome", "said"),
    [
        (">= 0.5", "passed", "nugget_coverage of a is 0.600 (0.450 to 0.750, 14 questions); at least 0.5 was asked for"),
        (">= 0.7", "failed", "nugget_coverage of a is 0.600 (0.450 to 0.750, 14 questions); at least 0.7 was asked for"),
        ({"at_most": 0.5, "level": "warn"}, "warned",
         "nugget_coverage of a is 0.600 (0.450 to 0.750, 14 questions); at most 0.5 was asked for"),
        ({"at_least": 0.4, "on": "interval"}, "passed",
         "nugget_coverage of a is 0.600 (0.450 to 0.750, 14 questions); all of its interval at least 0.4 was asked for"),
        ({"at_least": 0.8, "on": "interval"}, "failed",
         "nugget_coverage of a is 0.600 (0.450 to 0.750, 14 questions); all of its interval at least 0.8 was asked for"),
        # (1.96 + 0.84)² · 0.3² / 0.1² = 70.6
        ({"at_least": 0.5, "on": "interval"}, "insufficient_evidence",
         "nugget_coverage of a is 0.600 (0.450 to 0.750, 14 questions); all of its interval at least 0.5 was asked for:"
         " too little data to tell; about 71 questions would settle it"),
        ({"max_null": 0.05}, "failed", "nugget_coverage of a has no value for 1 of 15 questions; 5.0% was allowed"),
        ({"max_null": 0.1}, "passed", "nugget_coverage of a has no value for 1 of 15 questions; 10.0% was allowed"),
    ],
)  # fmt: skip
def test_a_mean_is_held_against_its_bound(bound: Any, outcome: str, said: str) -> None:
    record = held({"bounds": {"nugget_coverage": bound}}, run(answer()), means=(LOW,))
    assert [(check.outcome, check.message) for check in record.checks] == [(outcome, said)]
    codes = {"failed": 1, "insufficient_evidence": 4}
    assert record.exit_code == codes.get(outcome, 0)


def test_bounds_go_by_system_and_by_category() -> None:
    means = tuple(
        replace(LOW, system=system, category=category, value=value)
        for system, category, value in [
            ("a", None, 0.6), ("a", "eyes", 0.9), ("a", "lungs", 0.3), ("b", None, 0.2), ("b", "lungs", 0.2),
        ]
    )  # fmt: skip
    answers = run(answer(), answer(system="b"))

    def broken(bound: dict[str, Any]) -> list[tuple[str | None, str | None]]:
        found = held({"bounds": {"nugget_coverage": bound}}, answers, means=means).checks
        return [(check.system, check.category) for check in found if check.outcome == "failed"]

    assert broken({"at_least": 0.5}) == [("b", None)]
    assert broken({"at_least": 0.5, "systems": ["a"]}) == []
    assert broken({"at_least": 0.5, "categories": "each"}) == [("a", "lungs"), ("b", "lungs")]
    assert broken({"at_least": 0.5, "categories": ["eyes"]}) == []
    with pytest.raises(
        UsageError, match=r"gate\.bounds\.nugget_coverage\.categories names 'ears': the run has eyes, lungs"
    ):
        broken({"at_least": 0.5, "categories": ["ears"]})
    with pytest.raises(UsageError, match=r"gate\.systems names 'c': the run has a, b"):
        held({"systems": ["c"]}, answers)


def test_too_few_questions_for_an_interval_are_insufficient_evidence() -> None:
    few = replace(LOW, low=None, high=None, n=3, n_null=0, n_units=3, deviation=0.1)
    record = held(
        {"bounds": {"nugget_coverage": {"at_least": 0.5, "on": "interval"}}}, run(answer()), means=(few,)
    )
    (check,) = record.checks
    assert (record.verdict, check.questions_needed) == ("insufficient_evidence", 8)
    none = replace(few, value=None, n=0, n_null=3, n_units=0, reason="no judge was asked for")
    record = held({"bounds": {"nugget_coverage": ">= 0.5"}}, run(answer()), means=(none,))
    assert [check.message for check in record.checks] == [
        "nugget_coverage of a has no mean (no judge was asked for); at least 0.5 was asked for: there is nothing to tell by"
    ]


def test_questions_that_have_to_be_there_are_asked_for_with_every_system() -> None:
    answers = run(answer(), answer(system="b", state="not_answered"))
    record = held({"questions": ["q1", "q2"], "fail_on": []}, answers)
    assert [(check.outcome, check.message) for check in record.checks] == [
        ("failed", "question q1 has no answer of b"),
        ("failed", "question q2 is not in the data"),
    ]


def test_what_could_not_be_judged_breaks_no_rule_and_passes_none() -> None:
    failing = {"nugget_coverage": Score(None, "failed", "the reader gave no answer")}
    empty = {"nugget_coverage": Score(None, "not_applicable", "no nuggets")}
    answers = run(answer("q1", scores=failing), answer("q2", scores=empty), answer("q3"))
    record = held({"fail_on": ["contradicted_vital"]}, answers)
    assert [(one.outcome, one.reason) for one in record.answers] == [
        ("unjudged", "nugget_coverage: the reader gave no answer"),
        ("skipped", "nugget_coverage: no nuggets"),
        ("passed", None),
    ]
    assert (record.verdict, record.lines()) == (
        "insufficient_evidence",
        ["1 of 3 answers of a could not be judged, first q1: nugget_coverage: the reader gave no answer"],
    )
    assert held({"fail_on": ["contradicted_vital"], "max_unjudged": 0.4}, answers).passed
    # A rule of citations looks at none of it.
    assert held({"fail_on": ["citation_not_found"]}, answers).passed
    nothing = held({"fail_on": ["contradicted_vital"]}, run(answer("q2", scores=empty)))
    assert (nothing.verdict, nothing.lines()) == (
        "insufficient_evidence",
        ["no answer of a has anything that the gate looks at, first q2: nugget_coverage: no nuggets"],
    )


def test_a_record_is_true_where_it_is_passed_and_raises_where_it_is_not() -> None:
    assert held({"fail_on": ["contradicted"]}, run(answer()))
    red = held(
        {"fail_on": ["contradicted"]}, run(answer(contradicted=(TURNED,))), failed="9 % of `entail` failed"
    )
    assert not red
    with pytest.raises(GateFailed) as failed:
        red.assert_passed()
    assert str(failed.value).splitlines() == [
        "run r2 did not pass its gate",
        'q1, a: contradicts the vital nugget "The dose is 75 mg a day."',
        "9 % of `entail` failed",
    ]
    vague = held(
        {"bounds": {"nugget_coverage": {"at_least": 0.5, "on": "interval"}}}, run(answer()), means=(LOW,)
    )
    with pytest.raises(InsufficientEvidence, match="about 71 questions would settle it"):
        vague.assert_passed()


@pytest.mark.parametrize(
    ("name", "body", "place"),
    [
        ("a.jsonl", '{"x": 1}\n{"nuggets": ["Take 75 mg a day."], "answer": "Take 750 mg a day."}\n', (2, 47, 2, 65)),
        ("a.jsonl", '{"x": 1}\n{"sentences": [{"text": "Take 750 mg a day."}]}\n', (2, 26, 2, 44)),
        ("a.csv", 'id,answer\nq1,"Take 750 mg a day."\n', (2, 5, 2, 23)),
        ("a.json", '[\n {"answer": "No."},\n {"id": 1,\n  "answer": "Take 750 mg a day."}]', (4, 14, 4, 32)),
        ("a.jsonl", '{"x": 1}\n{"answer": "in other words"}\n', (2, None, None, None)),
        ("a.parquet", "PAR1\n", (2, None, None, None)),
    ],
)  # fmt: skip
def test_a_claim_is_found_in_the_file_that_its_answer_is_from(
    tmp_path: Path, name: str, body: str, place: tuple[int | None, ...]
) -> None:
    (tmp_path / name).write_text(body, encoding="utf-8")
    given = answer(file=str(tmp_path / name), line=2, contradicted=(TURNED,))
    record = held({"fail_on": ["contradicted"]}, run(given), root=tmp_path)
    (one,) = record.answers
    (finding,) = one.findings
    assert (one.file, one.line) == (name, 2)
    assert (finding.line, finding.column, finding.end_line, finding.end_column) == place
    (tmp_path / name).unlink()
    (gone,) = held({"fail_on": ["contradicted"]}, run(given), root=tmp_path).answers
    assert (gone.file, gone.findings[0].line) == (None, None)
