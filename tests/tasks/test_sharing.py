"""Shared results: runs of several homes as Parquet in one place, read under the views' names."""

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.models.atomic_files import written_whole
from medassay.sql.shared import Shared
from medassay.sql.snapshot import published, read_results
from medassay.sql.view_map import CORE, view_map
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks import sharing
from medassay.tasks.sharing import share_runs
from tests.full_disk import no_room_beyond
from tests.published_home import publish_runs

FIRST, SECOND, THIRD = "20260101T000000-aaaaaa", "20260102T000000-bbbbbb", "20260103T000000-cccccc"
GOOD = {("q1", "a"): ["covered", "missing"], ("q2", "a"): ["covered"]}
BAD = {("q1", "a"): ["contradicted", "missing"], ("q1", "b"): ["covered"]}
HOSTILE = "../näme/with = 100 % [a-b]*?'x' and so on, ü" * 9


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return a home with two runs of one data set, and one with a run of another with a name that no path takes."""
    folder = tmp_path_factory.mktemp("homes")
    publish_runs(folder / "one", {FIRST: GOOD, SECOND: BAD}, **{FIRST: {"name": "first"}})
    publish_runs(folder / "two", {THIRD: BAD}, **{THIRD: {"dataset": HOSTILE, "started_at": "2026-01-03"}})
    return [folder / "one", folder / "two"]


@pytest.fixture(params=["file://", "memory://"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a folder with signs of a pattern in its name, and one of no folder of this machine."""
    if request.param == "memory://":
        fs = fsspec.filesystem("memory")
        fs.store.clear()
        return f"memory://shared/{tmp_path.name}"
    folder = tmp_path / "it's [shared]"
    return f"file://{folder}"


def run(home: Path, *arguments: str | Path) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, [str(one) for one in arguments])


def rows_of_views(where: Any, *run_ids: str) -> dict[str, list[str]]:
    with published(where) as connection:
        asked = "from {} where list_contains($run_ids, run_id)"
        return {
            view: sorted(map(repr, connection.execute(asked.format(view), {"run_ids": run_ids}).fetchall()))
            for view, mapped in list(view_map().items())[:CORE]
            if "run_id" in mapped.keys
        }


def test_runs_of_two_homes_read_as_they_do_at_home(homes: list[Path], place: str) -> None:
    for home in homes:
        ended = run(home, "export", "--to", place, "--json")
        assert ended.exit_code == 0, ended.output
    assert [Path(row["file"]).name for row in json.loads(ended.stdout)] == [f"run_id={THIRD}"]
    shared, (one, two) = Shared(place), homes
    there = rows_of_views(shared, SECOND, THIRD)
    at_home = rows_of_views(two, THIRD)
    for view, rows in rows_of_views(one, SECOND).items():
        at_home[view] = sorted([*at_home[view], *rows])
    assert len(at_home) > 8 and at_home["leaderboard"] and at_home["claims"]
    assert {view: there[view] for view in at_home} == at_home
    listed = read_results(shared, "select dataset, count(*) as n from runs group by all order by n")
    assert listed == [{"dataset": HOSTILE, "n": 1}, {"dataset": "d", "n": 2}]
    shown = run(homes[0], "query", "--from", place, "leaderboard", "--json")
    assert shown.exit_code == 0, shown.output
    assert [(row["run_id"], row["system"]) for row in json.loads(shown.stdout)] == [
        (THIRD, "a"),
        (THIRD, "b"),
    ]
    named = run(homes[1], "query", "--from", place, "answer_scores", "--run", "first", "--csv")
    assert len(named.stdout.splitlines()) == 3


def test_any_duckdb_reads_them_by_the_script_and_by_partition(homes: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    share_runs(homes[0], str(folder))
    with duckdb.connect() as connection:
        connection.execute((folder / "views.sql").read_text("utf-8"))
        assert connection.execute(
            "select run_id, system, nugget_coverage from leaderboard order by all"
        ).fetchall() == [(FIRST, "a", 0.75), (SECOND, "a", 0.0), (SECOND, "b", 1.0)]
        connection.execute((folder / "views.sql").read_text("utf-8"))  # a second time does no harm
        by_partition = connection.execute(
            f"select dataset, run_id, count(*) from read_parquet('{folder}/*/*/answer.parquet', hive_partitioning = true)"
            " group by all order by all"
        )
        assert by_partition.fetchall() == [("d", FIRST, 2), ("d", SECOND, 2)]


def test_a_second_export_replaces_the_first(homes: list[Path], place: str, tmp_path: Path) -> None:
    home = shutil.copytree(homes[0], tmp_path / "own", symlinks=True)
    share_runs(home, place)
    share_runs(home, place, FIRST)
    board = f"from leaderboard where run_id = '{FIRST}'"
    before = read_results(Shared(place), board)
    score = {"question_id": "q1", "system": "a", "annotator": "ann", "metric": "safety", "target": "answer"}
    row = {**score, "dataset": "d", "judge": "", "role": "test", "item": "", "score": 3.0, "version": 1}
    warehouse_at(home).insert("human_score", [{**row, "origin": "sheet", "recorded_at": "2026-02-01"}])
    publish_again(home, SECOND)
    share_runs(home, place, SECOND)  # the first run's folder still holds no score
    scores = "select annotator, score from human_scores"
    assert read_results(Shared(place), scores) == [{"annotator": "ann", "score": 3.0}]
    warehouse_at(home).replace(
        "human_score", [{**row, "score": 4.0, "origin": "sheet", "recorded_at": "2026-02-02"}]
    )
    publish_again(home, SECOND)
    share_runs(home, place, FIRST)  # carries the newer score, the other run's folder the older one
    assert read_results(Shared(place), scores) == [{"annotator": "ann", "score": 4.0}]
    assert read_results(Shared(place), board) == before
    fs, path = fsspec.core.url_to_fs(place)
    assert sorted(Path(one).name for one in fs.ls(f"{path}/dataset=d", detail=False)) == [
        f"run_id={FIRST}",
        f"run_id={SECOND}",
    ]


def publish_again(home: Path, run_id: str) -> None:
    from medassay.sql.snapshot import publish

    publish(warehouse_at(home), home, run_id)
    close_warehouse(home)


def test_a_run_whose_files_are_on_their_way_is_in_no_view(
    homes: list[Path], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    share_runs(homes[0], place, SECOND)
    write = sharing._write_run

    def cut_off(connection: Any, run_id: str, folder: Path) -> int:
        write(connection, run_id, folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(sharing, "_write_run", cut_off)
    for run_id in (FIRST, SECOND):
        with pytest.raises(KeyboardInterrupt):
            share_runs(homes[0], place, run_id)
    seen = read_results(Shared(place), "select distinct run_id from answers")
    assert seen == [{"run_id": SECOND}]
    fs, path = fsspec.core.url_to_fs(place)
    if fs.protocol == "memory":  # an upload that was killed: every file but the one that counts
        source = f"{path}/dataset=d/run_id={SECOND}"
        for file in fs.ls(source, detail=False):
            if not file.endswith("/run.parquet"):
                fs.copy(file, file.replace(SECOND, FIRST))
        assert read_results(Shared(place), "select distinct run_id from answers") == seen


def test_what_may_name_a_patient_leaves_for_no_url_unasked(tmp_path: Path) -> None:
    home, place = tmp_path / "home", f"memory://clinic/{tmp_path.name}"
    publish_runs(home, {FIRST: {("q1", "a"): ["covered"]}})
    warehouse = warehouse_at(home)
    warehouse.execute(
        "update text set text = 'Mrs Jane Doe, born 12 March 1961, has it.' where text like '%says%'"
    )
    warehouse.execute(
        "update mart.answer set text_key = (select max(text_key) from text where text like '%Jane%')"
    )
    publish_again(home, FIRST)
    refused = run(home, "export", "--to", place)
    assert refused.exit_code == 3
    assert refused.stderr.splitlines() == [
        f"1 texts may name a patient, and {place} is not on this machine; none of them was sent:",
        "  answer of a to q1: 1 × date, 1 × name",
        "choose --phi allow if the data names nobody, or a folder on this machine",
    ]
    assert fsspec.filesystem("memory").find(f"/clinic/{tmp_path.name}") == []
    assert run(home, "export", "--to", place, "--phi", "allow").exit_code == 0
    assert run(home, "export", "--to", tmp_path / "here").exit_code == 0  # nothing leaves
    audit = warehouse_at(home).rows(
        "select stage, endpoint, input_key, action, kinds from phi_audit order by all"
    )
    assert [(row["stage"], row["action"]) for row in audit] == [("export", "allowed"), ("export", "blocked")]
    assert {row["kinds"] for row in audit} == {'{"name": 1, "date": 1}'}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("query", "--from", "EMPTY", "leaderboard"), 3, "no run in EMPTY; `medassay export --to EMPTY` writes runs there"),
        (("query", "--from", "nosuch://x", "leaderboard"), 3, "nosuch://x cannot be opened (Protocol not known: nosuch)"),
        (("export", "--to", "nosuch://x"), 3, "nosuch://x cannot be opened (Protocol not known: nosuch)"),
        (("export", "--to", "FILE"), 2, "FILE: a folder is needed there, and this is a file: name another place"),
        (("export", "--as", "csv", "--to", "memory://x"), 2, "csv is written into a folder; only --as shared takes a URL"),
        (("export", "--as", "shared", "--view", "claims"), 2, "--view goes with parquet and csv; shared has its own files"),
        (("query", "--from", "SHARED", "copy (from leaderboard) to 'SHARED/x.csv'"), 2, "with --from a query only selects; --csv or --json print its rows for a file"),
        (("query", "--from", "SHARED", "from leaderbord"), 2, "Catalog Error: Table with name leaderbord does not exist!"),
    ],
)  # fmt: skip
def test_what_cannot_be_shared_or_read_says_so_in_a_line(
    homes: list[Path], tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    names = {name: str(tmp_path / name.lower()) for name in ("EMPTY", "FILE", "SHARED")}
    Path(names["FILE"]).write_text("x")
    if "SHARED" in arguments:
        share_runs(homes[0], names["SHARED"])

    def placed(text: str) -> str:
        for name, path in names.items():
            text = text.replace(name, path)
        return text

    ended = run(homes[0], *map(placed, arguments))
    assert (ended.exit_code, ended.stderr.splitlines()[0]) == (code, placed(said))


def test_a_disk_without_room_is_one_line(homes: list[Path], tmp_path: Path) -> None:
    with no_room_beyond(20):
        for form in ("shared", "csv", "parquet", "inspect"):
            ended = run(homes[0], "export", "last", "--to", tmp_path / form, "--as", form)
            assert (ended.exit_code, ended.stderr.count("\n")) == (3, 1), ended.output
            assert ended.stderr.startswith(f"{tmp_path / form}/")
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix == ".parquet"] == []
    assert run(homes[0], "export", "last", "--to", tmp_path / "csv", "--as", "csv").exit_code == 0


def test_what_is_written_whole_or_not_at_all_stays_as_it_was_on_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text("{}")
    with no_room_beyond(100), pytest.raises(OSError) as full, written_whole(path) as file:
        file.write("x" * 100_000)
    assert (full.value.filename, path.read_text(), len(list(tmp_path.iterdir()))) == (str(path), "{}", 1)
