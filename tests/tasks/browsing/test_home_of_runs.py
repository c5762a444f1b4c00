"""The home of runs: rows in, runs with their numbers and what changed out."""

import stat
from pathlib import Path

import pytest

from medassay.models.usage import UsageError
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.browsing.runs import runs_shown
from medassay.tasks.browsing.side_by_side import Chosen, answers, pairs
from medassay.tasks.browsing.tags import TAGS_FILE, tag_run, tags_of
from medassay.tasks.prune import drop_run
from medassay.tasks.run import home_lock
from tests.published_home import publish_runs

BEFORE = {
    ("q1", "good"): ["covered", "covered"],
    ("q1", "bad"): ["contradicted", "covered"],
    ("q2", "good"): ["covered", "missing"],
    ("q2", "bad"): ["contradicted", "contradicted"],
}
AFTER = {**BEFORE, ("q1", "good"): ["contradicted", "covered"], ("q2", "bad"): ["contradicted", "missing"]}


@pytest.fixture
def two_runs(home: Path) -> Path:
    publish_runs(home, {"r1": BEFORE, "r2": AFTER}, r2={"name": "nightly", "settings": '{"threshold": 0.6}'})
    return home


@pytest.fixture(scope="module")
def read_only(shared_home: Path) -> Path:
    """Return the same for tests that change nothing."""
    publish_runs(
        shared_home, {"r1": BEFORE, "r2": AFTER}, r2={"name": "nightly", "settings": '{"threshold": 0.6}'}
    )
    return shared_home


def test_a_run_stands_with_its_numbers_and_what_changed_since_the_one_before(read_only: Path) -> None:
    now, before = runs_shown(read_only)
    assert (now.name, before.name, now.dataset, now.n_questions, now.before, before.before) == (
        "nightly", "r1", "d", 2, "r1", "",
    )  # fmt: skip
    assert [(s.system, s.values, s.moved) for s in now.systems] == [
        ("good", (0.5, 0.25, None, None), -0.25),
        ("bad", (0.25, 0.5, None, None), 0.0),
    ]
    assert (now.newly_contradicted, now.n_no_longer_contradicted, now.n_answers_changed) == (
        {"good": 1},
        1,
        2,
    )
    assert now.choices == {"threshold": (None, 0.6)}


def test_a_run_that_did_not_finish_is_listed_with_its_reason(home: Path) -> None:
    publish_runs(
        home, {"r1": BEFORE, "r2": {}, "r3": BEFORE}, r2={"state": "failed", "note": "the disk is full"}
    )
    newest, failed, _ = runs_shown(home)
    assert (failed.state, failed.note, failed.systems, failed.has_report) == (
        "failed",
        "the disk is full",
        (),
        False,
    )
    assert newest.before == "r1"


def test_tags_replace_each_other_and_go_with_their_run(two_runs: Path) -> None:
    assert tag_run(two_runs, "r1", " baseline,  two  words ,,baseline") == ["baseline", "two words"]
    tag_run(two_runs, "r2", "x" * 50)
    assert tags_of(two_runs) == {"r1": ["baseline", "two words"], "r2": ["x" * 40]}
    assert stat.S_IMODE((two_runs / TAGS_FILE).stat().st_mode) == 0o600
    assert [run.tags for run in runs_shown(two_runs)] == [("x" * 40,), ("baseline", "two words")]
    with home_lock(two_runs, "(delete)"):
        drop_run(two_runs, "r1")
    assert tags_of(two_runs) == {"r2": ["x" * 40]}
    tag_run(two_runs, "r2", " , ")
    assert tags_of(two_runs) == {}
    (two_runs / TAGS_FILE).write_text("not JSON")
    assert tags_of(two_runs) == {}


def test_a_deleted_run_is_gone_from_home_report_and_every_snapshot(two_runs: Path) -> None:
    reports = two_runs / "reports"
    reports.mkdir()
    for run_id in ("r1", "r2"):
        (reports / f"{run_id}.html").write_text(run_id)
    with home_lock(two_runs, "(delete)"):
        drop_run(two_runs, "r2")
    assert [run.run_id for run in runs_shown(two_runs)] == ["r1"]
    assert [file.name for file in reports.iterdir()] == ["r1.html"]
    assert [file.name for file in (two_runs / "snapshots").iterdir()] == ["r1.duckdb"]
    assert read_results(two_runs, "select distinct run_id from claims") == [{"run_id": "r1"}]


@pytest.mark.parametrize(
    ("run_id", "told"),
    [
        ("r1", "run r1 is the only one with results"),
        ("r9", "no run r9 in"),
        ("r2", "run r2 has not ended yet"),
    ],
)
def test_what_must_stay_is_not_deleted(home: Path, run_id: str, told: str) -> None:
    publish_runs(home, {"r2": {}, "r1": BEFORE}, r2={"state": "running"})
    with home_lock(home, "(delete)"), pytest.raises(UsageError, match=told):
        drop_run(home, run_id)
    close_warehouse(home)


def test_two_systems_stand_beside_each_other_question_by_question(read_only: Path) -> None:
    found = pairs(read_only, "r1", "", "", "", Chosen(order="worst"))
    assert (found.a.system, found.b.system, found.n_all, found.categories) == (
        "good",
        "bad",
        2,
        ["heart", "lung"],
    )
    rows = [
        (row["question_id"], row["n_covered_a"], row["n_covered_b"], row["n_contradicted_b"], row["n_differ"], row["n_newly"])
        for row in found.questions
    ]  # fmt: skip
    assert rows == [("q2", 1, 0, 2, 2, 2), ("q1", 2, 1, 1, 1, 1)]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Chosen(), ["q1", "q2"]),
        (Chosen(differs=True), ["q1"]),
        (Chosen(newly=True), ["q1"]),
        (Chosen(state="missing"), ["q2"]),
        (Chosen(category="lung"), ["q2"]),
        (Chosen(reader="signals"), ["q1", "q2"]),
        (Chosen(reader="model"), []),
        (Chosen(order="differs"), ["q1", "q2"]),
    ],
)
def test_two_runs_of_a_system_and_what_a_filter_leaves(
    read_only: Path, chosen: Chosen, expected: list[str]
) -> None:
    found = pairs(read_only, "r1", "good", "r2", "", chosen)
    assert (found.b.run_id, found.b.system, found.b.name) == ("r2", "good", "nightly")
    assert [row["question_id"] for row in found.questions] == expected
    assert found.newly == {"good": 1, "bad": 0}


def test_two_answers_are_aligned_by_nugget_with_the_claims_that_decided(read_only: Path) -> None:
    found = answers(read_only, "q1", [("r1", "good"), ("r2", "good")])
    assert found.nuggets == [("Fact 0 of q1.", "vital", True), ("Fact 1 of q1.", "vital", False)]
    assert [[claim["claim"] for claim in side.claims_of("Fact 0 of q1.")] for side in found.sides] == [
        ["good says covered of 0."],
        ["good says contradicted of 0."],
    ]
    assert [claim["citations"][0]["state"] for claim in found.sides[0].claims] == ["supports", "supports"]
    assert found.sides[0].beside == []
    assert found.sides[0].judgements[0]["decided_by"] == ["c1", "n1", "g1", "c1"]


@pytest.mark.parametrize(
    ("question", "sides", "told"),
    [
        ("q1", [("r9", "good")], "no finished run 'r9'"),
        ("q1", [("r1", "best")], "run r1 has no system 'best'; it has: good, bad"),
        ("q9", [("r1", "good")], "run r1 has no question 'q9'"),
    ],
)
def test_what_is_not_there_is_said(
    read_only: Path, question: str, sides: list[tuple[str, str]], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        answers(read_only, question, sides)
