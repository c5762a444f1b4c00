"""The work file: made once, migrated once, written by one."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from medassay.sql.home import WarehouseError, make_home
from medassay.sql.snapshot import NothingPublished, publish, read_results
from medassay.sql.warehouse import OutOfMemory, Warehouse, close_warehouse, warehouse_at
from tests.full_disk import no_room_beyond
from tests.rows import run_row

CONTRACT = {
    "leaderboard", "system_scores", "answer_scores", "answer_scores_by_profile", "nuggets", "nugget_states",
    "claims", "citations", "citation_verdicts", "uncited_claims", "judgements", "rankings", "comparisons",
    "dropped_questions", "preferences", "agreement", "judge_licences", "runs", "latest_run", "run_costs", "quarantine",
}  # fmt: skip


def finished_run(warehouse: Warehouse, run_id: str) -> None:
    warehouse.insert("run", [run_row(run_id, started_at=f"2026-01-0{ord(run_id) - 96}")])


def test_a_full_disk_is_one_line_and_the_file_goes_on_when_there_is_room(home: Path) -> None:
    opened = warehouse_at(home)
    with no_room_beyond(1):
        for write in (opened.append, opened.insert):
            with pytest.raises(WarehouseError) as full:
                write("text", [{"text_key": "k", "text": "t"}])
            assert str(full.value).startswith(f"{opened.path}.wal cannot be written (")
            assert str(full.value).endswith("the same command goes on from there")
        with pytest.raises(WarehouseError, match="make room on the disk"), opened.transaction():
            opened.append("text", [{"text_key": "k", "text": "t"}])
    opened.append("text", [{"text_key": "k", "text": "t"}])
    assert opened.value("select count(*) from text") == 1


def test_a_home_that_a_full_disk_has_no_room_for_is_begun_when_there_is(new_home: Path) -> None:
    """Left there, the first bytes of its file would be a damaged warehouse from then on."""
    with (
        no_room_beyond(5_000),
        pytest.raises(WarehouseError, match="cannot be written .* make room on the disk"),
    ):
        warehouse_at(new_home)
    assert list(new_home.iterdir()) == []
    assert warehouse_at(new_home).value("select count(*) from run") == 0


def test_every_view_of_the_contract_is_published_with_its_meaning(home: Path, warehouse: Warehouse) -> None:
    publish(warehouse, home, "r")
    views = read_results(home, "select view_name, comment from duckdb_views() where not internal")
    assert {row["view_name"] for row in views} >= CONTRACT
    assert [row["view_name"] for row in views if not row["comment"]] == []
    columns = read_results(
        home,
        "select c.table_name || '.' || c.column_name as name from duckdb_columns() as c join duckdb_views() as v"
        " on v.view_oid = c.table_oid where not v.internal and c.comment is null",
    )
    assert [row["name"] for row in columns] == []


def test_a_new_work_file_has_a_new_name(new_home: Path) -> None:
    home = new_home
    first = warehouse_at(home).warehouse_id
    close_warehouse(home)
    assert warehouse_at(home).warehouse_id == first
    close_warehouse(home)
    (home / "work.duckdb").unlink()
    assert warehouse_at(home).warehouse_id != first


def test_a_newer_work_file_is_refused(home: Path) -> None:
    warehouse_at(home).execute("insert into migration values (999, 'later', now())")
    close_warehouse(home)
    with pytest.raises(
        WarehouseError, match=r"written by a newer MedAssay \(migration 999\); update this one"
    ):
        warehouse_at(home)


def test_a_home_of_0_1_0_is_brought_over_and_an_older_one_refused(home: Path) -> None:
    settings = '{"data": "d", "entailment": "llm", "entail_on": "gpu", "samples": 2}'
    with duckdb.connect(str(home / "work.duckdb")) as work:
        work.execute("delete from migration; insert into migration values (60, 'evidence marks', now())")
        work.execute("create table entail_shard (shard varchar)")
        work.execute(
            "insert into run (run_id, dataset, data, state, profile, settings, metrics_version, version, started_at)"
            " values ('r', 'd', 'd', 'finished', 'seed', ?, 'm', '0.1.0', now())",
            [settings],
        )
    opened = warehouse_at(home)
    assert json.loads(opened.value("select settings from run")) == {
        "data": "d", "reader": "llm", "on": "prefect:gpu", "samples": 2,
    }  # fmt: skip
    assert opened.rows("select version from migration order by version") == [
        {"version": version} for version in (60, 61, 62)
    ]
    assert not opened.value("select exists (from duckdb_tables() where table_name = 'entail_shard')")
    opened.execute("delete from migration; insert into migration values (32, 'before', now())")
    close_warehouse(home)
    with pytest.raises(
        WarehouseError, match=r"was made before MedAssay 0\.1\.0 \(migration 32\): results\.duckdb"
    ):
        warehouse_at(home)


def test_a_second_process_is_told_where_to_look(home: Path, warehouse: Warehouse) -> None:
    code = f"from medassay.sql.warehouse import warehouse_at; warehouse_at({str(home)!r})"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert other.stderr.strip().splitlines()[-1] == (
        f"medassay.sql.home.WarehouseError: {home}/work.duckdb is open in another process; "
        "query results.duckdb beside it, or wait"
    )


def test_an_open_snapshot_and_a_publication_leave_each_other_alone(home: Path, warehouse: Warehouse) -> None:
    finished_run(warehouse, "a")
    publish(warehouse, home, "a")
    with duckdb.connect(str(home / "results.duckdb"), read_only=True) as analyst:
        finished_run(warehouse, "b")
        publish(warehouse, home, "b")
        assert analyst.execute("select run_id from runs").fetchall() == [("a",)]
    assert read_results(home, "select run_id from latest_run") == [{"run_id": "b"}]


def test_what_a_killed_publication_left_goes_with_the_next_one(home: Path, warehouse: Warehouse) -> None:
    folder = home / "snapshots"
    folder.mkdir()
    for name in (".killed.draft", ".killed.draft.wal"):
        (folder / name).write_bytes(b"half")
    publish(warehouse, home, "run-1")
    assert [path.name for path in folder.iterdir()] == ["run-1.duckdb"]


def test_the_last_three_snapshots_stay(home: Path, warehouse: Warehouse) -> None:
    for name in ("a", "b", "c", "d"):
        publish(warehouse, home, name)
    assert sorted(path.name for path in (home / "snapshots").iterdir()) == [
        "b.duckdb",
        "c.duckdb",
        "d.duckdb",
    ]


def test_the_ledger_is_read_without_a_word_of_what_was_said(home: Path, warehouse: Warehouse) -> None:
    finished_run(warehouse, "a")
    call = {
        "request_key": "k", "sample_no": 0, "attempt": 1, "endpoint": "http://127.0.0.1/v1", "model_asked": "m",
        "prompt_digest": "d", "raw_text": "Ms Ada is well", "status": "ok", "error": "no room for Ms Ada",
        "retrieved": '["Ms Ada"]', "prompt_tokens": 7, "asked_at": datetime(2026, 1, 1, tzinfo=UTC), "run_id": "a",
        "stage": "judge",
    }  # fmt: skip
    warehouse.append("model_call", [call])
    publish(warehouse, home, "a")
    told = read_results(home, "select stage, model_asked, attempt, status, prompt_tokens from model_calls")
    assert told == [{"stage": "judge", "model_asked": "m", "attempt": 1, "status": "ok", "prompt_tokens": 7}]
    assert b"Ada" not in (home / "results.duckdb").read_bytes()


def test_nothing_published_says_what_to_do(home: Path) -> None:
    with pytest.raises(NothingPublished, match="run `medassay evaluate DATA` first"):
        read_results(home, "select 1")


def test_equal_rows_are_stored_once(warehouse: Warehouse) -> None:
    row = {"text_key": "k", "text": "naïve “text”"}
    assert (warehouse.insert("text", [row, row]), warehouse.insert("text", [row])) == (1, 0)
    assert warehouse.rows("from text") == [row]


def test_a_broken_transaction_leaves_nothing(warehouse: Warehouse) -> None:
    with pytest.raises(ZeroDivisionError), warehouse.transaction():
        warehouse.insert("text", [{"text_key": "k", "text": "t"}])
        raise ZeroDivisionError
    assert warehouse.value("select count(*) from text") == 0


def test_memory_is_held_while_it_matters_and_given_back(warehouse: Warehouse) -> None:
    def limit() -> str:
        return str(warehouse.value("select current_setting('memory_limit')"))

    before = limit()
    with pytest.raises(OutOfMemory), warehouse.held_to("50MB"):
        assert limit() == "47.6 MiB"
        warehouse.rows("select list(range) as held from range(20_000_000)")
    assert limit() == before
    with warehouse.held_to(None):
        assert limit() == before


def test_what_cannot_be_aggregated_in_little_memory_is_aggregated_all_the_same(
    home: Path, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medassay.tasks import aggregate as aggregating
    from medassay.tasks.run import RunRef

    finished_run(warehouse, "a")
    asked: list[str | None] = []
    real = aggregating._aggregated

    def cramped(run: RunRef, memory: str | None) -> dict[str, int]:
        asked.append(memory)
        if memory:
            with warehouse.held_to("50MB"), warehouse.transaction():
                warehouse.rows("select list(range) as held from range(20_000_000)")
        return real(run, memory)

    monkeypatch.setattr(aggregating, "_aggregated", cramped)
    warehouse.focus("a")
    assert aggregating.aggregate(RunRef(str(home), "a"))["answer"] == 0
    assert asked == ["448MB", None]


@pytest.mark.parametrize("room", ["sql", "tasks", "flows", "examples"])
def test_json_arrows_stand_in_parentheses_where_something_is_asked_of_them(room: str) -> None:
    # DuckDB 1.5 reads `a ->> 'b' = 'c'` as `a ->> ('b' = 'c')`, 2.0 as what it looks like.
    asked = re.compile(
        r"->>? '\w+' *(=|<>|<|>|is\b|in\b|between\b|::|\|\|)|(=|<>|\|\||\band|\bor|\bnot|\bwhen) [\w.]+ ->>? "
    )
    folder = Path(__file__).resolve().parents[2] / room
    found = [
        f"{path.name}: {line.strip()}"
        for pattern in ("*.sql", "*.py")
        for path in sorted(folder.rglob(pattern))
        for line in path.read_text("utf-8").splitlines()
        if asked.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("mode", "holds", "then"),
    [
        (0o755, "", 0o700),
        (0o755, "prices.json", 0o700),
        (0o775, "", 0o700),
        (0o770, "", 0o770),
        (0o755, "theses.docx", 0o755),
    ],
)
def test_a_folder_made_before_is_closed_to_others(tmp_path: Path, mode: int, holds: str, then: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)
    if holds:
        (home / holds).touch()
    make_home(home)
    assert home.stat().st_mode & 0o777 == then


def test_what_a_signal_raises_is_not_lost_in_a_statement(
    warehouse: Warehouse,
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sending = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt), warehouse.transaction():
            sending.start()
            warehouse.value("select sum(hash(a.range * b.range)) from range(100000) as a, range(4000) as b")
    finally:
        signal.signal(signal.SIGINT, before)
    assert warehouse.value("select 1") == 1


def test_every_contract_view_carries_its_run(home: Path, warehouse: Warehouse) -> None:
    publish(warehouse, home, "r")
    with_run = {
        row["table_name"]
        for row in read_results(home, "select table_name from duckdb_columns() where column_name = 'run_id'")
    }
    assert CONTRACT - with_run == set()
