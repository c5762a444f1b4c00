"""What the command says to whoever looks for a command, names a view, or names runs where data are meant."""

import re
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import GROUPS, MODULES, main
from tests.published_home import publish_runs
from tests.rows import write_tables

RUNS = {"r1": {("q1", "good"): ["covered"]}, "r2": {("q1", "bad"): ["contradicted"]}}


def ended(home: Path, *arguments: str) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, [*arguments])


def test_commands_are_listed_by_what_they_are_for_with_whole_sentences(tmp_path: Path) -> None:
    shown = ended(tmp_path, "--help").output
    assert re.findall(r"^(\w.*):$", shown, re.MULTILINE) == ["Options", *GROUPS]
    assert sorted(re.findall(r"^  (\w[\w-]*)  +[A-Z]", shown, re.MULTILINE)) == sorted(MODULES)
    assert "..." not in shown.partition("Options:")[2]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["leaderboard"], ["r2"]),
        (["LEADERBOARD"], ["r2"]),
        (["leaderboard", "--run", "first"], ["r1"]),
        (["claims", "--run", "r1"], ["r1"]),
        (["leaderboard", "--run", "all"], ["r2", "r1"]),
        (["from leaderboard"], ["r2", "r1"]),
    ],
)
def test_a_views_name_is_a_query_for_the_newest_run(
    home: Path, arguments: list[str], expected: list[str]
) -> None:
    publish_runs(home, RUNS, r1={"name": "first"})
    shown = ended(home, "query", *arguments, "--csv").output.splitlines()
    assert [line.split(",")[0] for line in shown[1:]] == expected


def test_what_is_no_view_or_no_run_is_said(home: Path) -> None:
    publish_runs(home, RUNS)
    assert 'Did you mean "leaderboard"' in ended(home, "query", "leaderbord").output
    assert "no finished run 'r9'" in ended(home, "query", "leaderboard", "--run", "r9").output
    assert "--run goes with a view's name" in ended(home, "query", "from runs", "--run", "r1").output
    assert len(ended(home, "query", "metrics", "--csv").output.splitlines()) > 40


def test_two_runs_named_to_compare_lead_to_diff(tmp_path: Path) -> None:
    done = ended(tmp_path, "compare", "r1", "r2")
    assert done.exit_code == 2
    assert "two runs are held against each other by: medassay diff r1 r2" in done.output
    assert "No such" not in done.output


def test_a_judge_that_does_not_answer_is_known_before_anything_is_computed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Began(Exception):
        pass

    def begin(*_: object) -> None:
        raise Began

    with socket.create_server(("127.0.0.1", 0)) as gone:
        judge = f"http://127.0.0.1:{gone.getsockname()[1]}/v1"
    data = write_tables(
        tmp_path / "data",
        questions=[{"question_id": "q", "question": "Why?", "nuggets": ["So."]}],
        answers=[{"question_id": "q", "system": "s", "answer": "So."}],
    )
    monkeypatch.setattr("medassay.flows.commands.run_flow._run_with_prefect", begin)
    done = ended(home, "evaluate", str(data), "--judge", f"{judge}#m", "--reader", "none", "--no-first-pass")
    assert isinstance(done.exception, Began)
    assert f"WARNING: {judge} does not answer (Connection refused): start it, or stop this run" in done.output
