"""Flipped bytes in a database file end in one line: what is damaged, what can be read, how to go on."""

import json
import random
import shutil
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from medassay.flows.doctor import files
from medassay.sql.damage import Damaged, is_damage, looked_through
from medassay.sql.home import WORK_FILE
from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at


@pytest.fixture(scope="module")
def sound(shared_home: Path) -> Path:
    """Return a home with a work file of some size and two snapshots."""
    warehouse = warehouse_at(shared_home)
    warehouse.execute(
        "insert into text select md5(i::varchar), repeat(i::varchar || ' text ', 20) from range(6000) as t(i)"
    )
    for run_id in ("run-1", "run-2"):
        publish(warehouse, shared_home, run_id)
    close_warehouse(shared_home)
    return shared_home


@pytest.fixture
def published(sound: Path, tmp_path: Path) -> Path:
    """Return the same for a test that damages it."""
    return shutil.copytree(sound, tmp_path / "home", symlinks=True)


def flip(path: Path, at: int) -> None:
    body = bytearray(path.read_bytes())
    body[at : at + 8] = bytes(b ^ 0xFF for b in body[at : at + 8])
    path.chmod(0o600)
    path.write_bytes(body)


def read_all(warehouse: Warehouse) -> None:
    for row in warehouse.rows("select table_name from duckdb_tables() where schema_name = 'main'"):
        warehouse.value(f"select bit_xor(hash(held)) from {row['table_name']} as held")


def test_flipped_bytes_in_a_work_file_are_one_line_wherever_they_are(published: Path) -> None:
    work = published / WORK_FILE
    whole = work.read_bytes()
    drawn = random.Random(3)
    places = [2, 5000, *(drawn.randrange(12_288, len(whole) - 8) for _ in range(4))]
    told = []
    for at in places:
        work.write_bytes(whole)
        flip(work, at)
        opened = None
        try:
            opened = Warehouse(work)
            read_all(opened)
        except Damaged as error:
            told.append(str(error))
        finally:
            if opened is not None:
                opened.connection.close()
    assert len(told) >= 3  # some bytes belong to no block that is in use
    for line in told:
        assert "\n" not in line and line.startswith(f"{work} is damaged (")
        assert "snapshots/run-2.duckdb is sound, and report, query and export read results as before" in line
        assert "medassay export last --view questions --view answers --to restored" in line


def first_damage_in(path: Path) -> int:
    """Return where a flipped byte makes a file unreadable."""
    whole = path.read_bytes()
    path.chmod(0o600)
    for at in range(12_288 + 100, len(whole), 50_000):
        flip(path, at)
        sound = looked_through(path).is_sound
        path.write_bytes(whole)
        if not sound:
            return at
    raise AssertionError("no byte of the file is in use")


def test_flipped_bytes_in_a_snapshot_say_which_other_is_sound(published: Path) -> None:
    newest = published / "snapshots" / "run-2.duckdb"
    for at in (3, first_damage_in(newest)):
        whole = newest.read_bytes()
        flip(newest, at)
        with pytest.raises(Damaged) as error:
            for row in read_results(published, "select schema_name, table_name from duckdb_tables()"):
                name = f'{row["schema_name"]}."{row["table_name"]}"'
                read_results(published, f"select bit_xor(hash(held)) from {name} as held")
        newest.write_bytes(whole)
        line = str(error.value)
        assert line.startswith(f"{newest} is damaged (") and "\n" not in line
        assert f"`ln -sfn snapshots/run-1.duckdb {published / 'results.duckdb'}` goes back to run-1" in line


def test_doctor_reads_every_file_to_its_end(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDASSAY_HOME", str(published))
    assert [finding.state for finding in files()] == ["ok", "ok", "ok"]
    newest = published / "snapshots" / "run-2.duckdb"
    flip(newest, first_damage_in(newest))
    flip(published / WORK_FILE, 2)
    work, second, first = files()
    assert (work.state, second.state, first.state) == ("broken", "broken", "ok")
    assert "cannot be read at all" in work.what
    assert second.what.startswith(f"{newest} ")


def test_a_command_ends_with_the_line_and_exit_code_3(published: Path) -> None:
    from medassay.flows.commands.results import query

    newest = published / "snapshots" / "run-2.duckdb"
    flip(newest, 3)
    ended = CliRunner(env={"MEDASSAY_HOME": str(published)}).invoke(query, ["from runs"])
    assert ended.exit_code == 3
    assert ended.stderr.startswith(f"{newest} is damaged (") and ended.stderr.count("\n") == 1


def test_what_restored_texts_hold_is_read_as_data(tmp_path: Path) -> None:
    """The views that the line names have the columns that a data folder needs."""
    from medassay.models.intake import Intake, read_data

    (tmp_path / "questions.json").write_text(
        json.dumps([{"run_id": "r", "question_id": "q", "question": "Q?"}])
    )
    answers = {"run_id": "r", "question_id": "q", "system": "s", "state": "answered", "answer": "A."}
    (tmp_path / "answers.json").write_text(json.dumps([answers]))
    rows = [row for row in read_data(tmp_path).rows if isinstance(row, Intake)]
    assert [row.value["system"] for row in rows if row.kind == "answer"] == ["s"]


def test_other_errors_are_no_damage() -> None:
    for query in ("select 1 +", "from nowhere", "select 'x'::int"):
        with pytest.raises(duckdb.Error) as error:
            duckdb.sql(query).fetchall()
        assert not is_damage(error.value)
