"""What a query may not do: write in the home, load an extension, command the terminal."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import close_warehouse, warehouse_at


@pytest.fixture(scope="module")
def published(shared_home: Path) -> Path:
    publish(warehouse_at(shared_home), shared_home, "20260101T000000-aaaaaa")
    close_warehouse(shared_home)
    return shared_home


def query(home: Path, sql: str, *options: str) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, ["query", sql, *options])


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{home}/new.csv'",
        "copy (select 1) to '{home}/any*.csv'",
        "copy (select 1) to '{home}/../{name}/new.csv'",
        "copy (select 1) to '{link}/new.csv'",
        "copy (select 1 a) to '{home}/parts' (format parquet, partition_by a)",
        "attach '{home}/new.duckdb'",
        "export database '{home}/all'",
    ],
)
def test_a_query_writes_nothing_in_the_home(published: Path, tmp_path: Path, sql: str) -> None:
    link = tmp_path / "link"
    link.symlink_to(published)
    before = files(published)
    done = query(published, sql.format(home=published, name=published.name, link=link))
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert files(published) == before


@pytest.mark.parametrize("path", ["{folder}/out.csv", "out.csv"])
def test_a_query_writes_and_reads_files_elsewhere(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    named = path.format(folder=folder)
    assert query(published, f"copy (select 7 as n) to '{named}'").exit_code == 0
    assert (folder / "out.csv").read_text() == "n\n7\n"
    assert '"n": 7' in query(published, f"from '{named}'", "--json").output


@pytest.mark.parametrize(
    "sql",
    [
        "install httpfs",
        "load httpfs",
        "from 'https://127.0.0.1:9/x.parquet'",
        "set autoinstall_known_extensions = true",
        "set enable_external_access = true",
    ],
)
def test_a_query_loads_no_extension_and_changes_no_setting(published: Path, sql: str) -> None:
    done = query(published, sql)
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert len(done.output.strip().splitlines()) <= 2


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_control_characters_are_spelled_out(published: Path, options: tuple[str, ...]) -> None:
    done = query(published, "select chr(27) || '[2Jx' as text, chr(8238) || 'y' as other", *options)
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert "[2Jx" in done.output
