"""`medassay query`, `export` and `prune`, as a person runs them: what they print, and how they end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.models.intake import Intake, read_data
from medassay.sql.snapshot import publish
from medassay.sql.view_map import view_map
from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at
from tests.published_home import publish_runs
from tests.rows import answer_row, citation_row, claim_row, run_row

RUN = "20260101T000000-aaaaaa"
KEY = {"run_id": RUN, "question_id": "q1", "system": "open model"}


def run(home: Path, *arguments: str | Path) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def published(shared_home: Path) -> Path:
    """Return a home with one finished run: two questions, two systems, a claim that cites two sources."""
    home, warehouse = shared_home, warehouse_at(shared_home)
    texts = ("It is thus [1].", "It is thus.", "Thus it is.", "Thus.")
    warehouse.insert("text", [{"text_key": text, "text": text} for text in texts])
    warehouse.insert("run", [run_row(RUN, name="first", finished_at="2026-01-01")])
    rows: dict[str, list[dict[str, Any]]] = {
        "question": [
            {"run_id": RUN, "question_id": "q1", "question": "Why?", "reference_answer": "Because.", "n_nuggets": 1},
            {"run_id": RUN, "question_id": "q2", "question": "How?", "n_nuggets": 0},
        ],
        "nugget": [
            {"run_id": RUN, "question_id": "q1", "nugget_id": "n1", "position": 0, "text_key": "Thus.", "importance": "vital", "origin": "given"}
        ],
        "answer": [
            answer_row(question, system, RUN, state=state, text_key=text, has_references=True)
            for question, system, state, text in [
                ("q1", "open model", "answered", "It is thus [1]."),
                ("q2", "open model", "answered", "Thus."),
                ("q1", "open/model", "not_answered", None),
            ]
        ],
        "nugget_state": [{**KEY, "nugget_id": "n1", "state": "covered", "score": 0.91, "claim_ids": ["c1"], "conflict": False, "ambiguous": False, "contrasts": "[]"}],
        "claim": [claim_row(**KEY, text_key="It is thus.", span_end=14, state="correct")],
        "citation": [
            citation_row(**KEY, ordinal=ordinal, source_id=source, state="supports", passage_key="Thus it is.")
            for ordinal, source in enumerate(("pmid:12", "doi:10.1/x"))
        ],
    }  # fmt: skip
    for table, values in rows.items():
        warehouse.append(f"mart.{table}", values)
    publish(warehouse, home, RUN)
    close_warehouse(home)
    return home


@pytest.fixture
def own(published: Path, tmp_path: Path) -> Path:
    """Return the same for a test that changes it."""
    return shutil.copytree(published, tmp_path / "own", symlinks=True)


def test_a_table_for_people_and_two_forms_for_scripts(published: Path) -> None:
    asked = "select nugget, score, 'nan'::double as none, null as gone from nugget_states"
    shown = run(published, "query", asked).stdout.splitlines()
    assert (shown[1].split(), shown[3].split()) == (
        ["┃", "nugget", "┃", "score", "┃", "none", "┃", "gone", "┃"],
        ["│", "Thus.", "│", "0.91", "│", "nan", "│", "–", "│"],
    )
    assert run(published, "query", asked, "--json").stdout == (
        '[{"nugget": "Thus.", "score": 0.91, "none": null, "gone": null}]\n'
    )
    assert run(published, "query", asked, "--csv").stdout == "nugget,score,none,gone\nThus.,0.91,nan,\n"
    assert run(published, "query", "from nuggets where false", "--json").stdout == "[]\n"
    assert "0 rows" in run(published, "query", "from nuggets where false").stdout
    assert "leaderboard" in run(published, "query", "show views").stdout


def test_a_table_that_is_too_wide_becomes_rows_one_below_the_other(published: Path) -> None:
    names = [f"a_rather_long_name_{n:02}" for n in range(12)]
    asked = f"select {', '.join(f'null as {name}' for name in names)} from range(25)"
    shown = run(published, "query", asked).stdout.splitlines()
    assert shown[:3] == ["── row 1 ──", "a_rather_long_name_00  –", "a_rather_long_name_01  –"]
    assert len(shown) == 20 * (1 + 12) + 1
    assert shown[-1] == (
        "20 of 25 rows; --csv or --json print them all; 12 columns do not fit side by side: select fewer for a table"
    )
    assert run(published, "query", f"{asked} limit 0").stdout.splitlines()[-1] == "0 rows"
    long = run(published, "query", f"select 'word ' || repeat('w', 150) as words, * from ({asked}) limit 1")
    first = long.stdout.splitlines()[1:4]
    assert first == ["words                  word " + "w" * 150, *(f"{name}  –" for name in names[:2])]


def test_what_looks_like_markup_or_an_emoji_is_printed_as_it_is(published: Path) -> None:
    shown = run(published, "query", "select 'llama [/base] [rag] gpt:heart:' as \":x: [b]\"").stdout
    assert ":x: [b]" in shown
    assert "llama [/base] [rag] gpt:heart:" in shown


@pytest.mark.parametrize("query", ["", "-- nothing;"])
def test_an_empty_query_is_said_to_be_one(published: Path, query: str) -> None:
    ended = run(published, "query", query)
    assert (ended.exit_code, ended.stderr) == (
        2,
        'the query is empty: write one, such as "from leaderboard"\n',
    )


def test_a_query_may_lie_in_a_file(published: Path, tmp_path: Path) -> None:
    path = tmp_path / "ask.sql"
    path.write_text("-- how many\nselect count(*) as n from answers", "utf-8")
    assert run(published, "query", path, "--json").stdout == '[{"n": 3}]\n'
    assert run(published, "query", tmp_path / "none.sql").exit_code == 2
    (spaced := tmp_path / "my queries.sql").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(published, "query", spaced, "--json").output == run(published, "query", path, "--json").output
    # A shell that puts the text there puts its comment first, which looks like an option.
    assert run(published, "query", path.read_text("utf-8"), "--json").stdout == '[{"n": 3}]\n'


@pytest.mark.parametrize(
    ("query", "code", "said"),
    [
        ("from leaderbord", 2, 'Did you mean "leaderboard"?'),
        ("select nuget from nuggets", 2, "nugget"),
        ("selec 1", 2, "syntax error"),
        ("drop view answers", 2, "results are read-only"),
        ("nowhere.sql", 2, "nowhere.sql: No such file or directory; give a .sql file, or the query itself"),
    ],
)
def test_wrong_queries_end_with_a_way_on(published: Path, query: str, code: int, said: str) -> None:
    ended = run(published, "query", query)
    assert ended.exit_code == code
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_views_leave_as_tables(published: Path, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "it's out"
    ended = run(published, "export", "first", "--as", form, "--to", folder, "--view", "answers", "--json")
    assert json.loads(ended.stdout) == [{"file": str(folder / f"answers.{form}"), "rows": 3}]
    read = duckdb.sql(
        f"select question_id, answer from '{folder / f'answers.{form}'}' order by all".replace(
            "it's", "it''s"
        )
    )
    assert read.fetchall() == [("q1", "It is thus [1]."), ("q1", None), ("q2", "Thus.")]
    assert len(list(folder.iterdir())) == 1
    every = run(published, "export", "--as", form, "--to", tmp_path / "all")
    assert {path.suffix for path in (tmp_path / "all").iterdir()} == {f".{form}"}
    assert len(every.stdout.splitlines()) == len(list((tmp_path / "all").iterdir())) > 20


def test_texts_that_begin_as_formulas_do_are_guarded_where_a_spreadsheet_is_meant(
    home: Path, warehouse: Warehouse, tmp_path: Path
) -> None:
    row = {"run_id": "r", "table_name": "answer", "file": "=1+1", "line": -3, "rule": "fine", "advice": "@x"}
    warehouse.append("rejected_row", [row])
    publish(warehouse, home, "r")
    for option, beginning in (
        ((), "r,answer,,=1+1,-3,fine,,@x"),
        (("--for-spreadsheets",), "r,answer,,'=1+1,-3,fine,,'@x"),
    ):
        run(home, "export", "--as", "csv", *option, "--view", "quarantine", "--to", tmp_path)
        assert (tmp_path / "quarantine.csv").read_text("utf-8").splitlines()[1].startswith(beginning)
    ended = run(home, "export", "--for-spreadsheets", "--to", tmp_path)
    said = "--for-spreadsheets goes with --as csv, not with parquet\n"
    assert (ended.exit_code, ended.stderr) == (2, said)


def test_what_cannot_be_exported_says_what_can(published: Path, tmp_path: Path) -> None:
    ended = run(published, "export", "--view", "anwers", "--to", tmp_path)
    assert (ended.exit_code, ended.stderr.partition(",")[0]) == (2, "no view 'anwers'; there are: agreement")
    ended = run(published, "export", "second", "--as", "trec-run", "--to", tmp_path)
    assert (ended.exit_code, ended.stderr) == (
        2,
        f"no finished run 'second' in {published}; the latest are: first\n",
    )
    ended = run(published, "export", "--as", "biogen", "--view", "answers")
    assert (ended.exit_code, ended.stderr) == (
        2,
        "--view goes with parquet and csv; biogen has its own files\n",
    )


def read_back(path: Path) -> tuple[str, list[tuple[str, str | None, str | None, str | None]]]:
    data = read_data(path)
    rows = [row for row in data.rows if isinstance(row, Intake)]
    return data.shape, [
        (row.kind, *(row.value.get(name) for name in ("question_id", "system", "answer"))) for row in rows
    ]


@pytest.mark.parametrize(
    ("form", "file", "shape", "answers"),
    [
        ("nuggetizer", "assignments.jsonl", "nuggetizer", [("q1", "open model", "It is thus [1].")]),
        ("ragchecker", "open_model.json", "RAGChecker", [("q1", "open_model", "It is thus [1].")]),
        (
            "open-rag-eval", "open_model.csv", "open-rag-eval",
            [("q1", "open_model", "It is thus [1]."), ("q2", "open_model", "Thus.")],
        ),
        (
            "biogen", "biogen.jsonl", "BioACE / TREC BioGen",
            [("q1", "open model", None), ("q2", "open model", None), ("q1", "open/model", None)],  # sentences instead
        ),
    ],
)  # fmt: skip
def test_a_run_leaves_in_a_peers_form_and_comes_back(
    published: Path,
    tmp_path: Path,
    form: str,
    file: str,
    shape: str,
    answers: list[tuple[str, str, str | None]],
) -> None:
    ended = run(published, "export", "--as", form, "--to", tmp_path / form)
    assert ended.exit_code == 0, ended.stderr
    found, rows = read_back(tmp_path / form / file)
    assert found == shape
    assert sorted(row[1:] for row in rows if row[0] == "answer") == sorted(answers)


def test_systems_whose_names_are_alike_as_files_keep_their_own(published: Path, tmp_path: Path) -> None:
    run(published, "export", "--as", "ragchecker", "--to", tmp_path / "rag")
    assert sorted(path.name for path in (tmp_path / "rag").iterdir()) == [
        "open_model-2.json",
        "open_model.json",
    ]


def test_pruning_says_what_would_go_and_what_went(own: Path) -> None:
    ended = run(own, "prune", "--keep", "1", "--dry-run")
    assert (ended.exit_code, ended.stdout) == (0, "0 of 1 run would go, 1 stays\n")
    done = json.loads(run(own, "prune", "--keep", "1", "--json").stdout)
    assert (done["kept"], done["dropped"], done["rows"]["mart.answer"]) == ([RUN], [], [3, 3])
    ended = run(own, "prune", "--keep", "0")
    assert (ended.exit_code, ended.stderr) == (2, "keep is 0: choose 1 or more\n")


def test_results_of_another_version_say_how_to_publish_them_anew(own: Path) -> None:
    snapshot = (own / "results.duckdb").resolve()
    snapshot.chmod(0o600)
    with duckdb.connect(str(snapshot)) as connection:
        connection.execute("drop view judge_licences")
    ended = run(own, "report")
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (3, 1)
    assert "was published by another version of MedAssay; `medassay evaluate DATA` publishes" in ended.stderr


def test_a_report_is_written_where_it_is_asked_for(own: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = run(own, "report", "--out", page)
    assert (ended.exit_code, ended.stdout) == (0, f"{page}\n")
    assert page.read_text() == Path(run(own, "report").stdout.strip()).read_text()
    ended = run(own, "report", "--out", tmp_path / "nowhere" / "page.html")
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (3, 1)
    assert ended.stderr.startswith(f"{tmp_path / 'nowhere' / 'page.html'}: No such file or directory; ")


SIGNALLED = """
import os, signal, sys, threading, time
from medassay.flows.cli import run

def send(number):
    while "medassay.sql.snapshot" not in sys.modules:
        time.sleep(0.05)
    time.sleep(1.0)
    print(time.monotonic(), flush=True)
    os.kill(os.getpid(), number)

signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=send, args=(int(sys.argv.pop(1)),), daemon=True).start()
run()
"""
ENDLESS = "select count(*) from range(100000000000) t(i) where hash(i) % 7 = 3"


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_query_at_once_however_long_it_would_take(
    published: Path, sent: signal.Signals, code: int
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(sent.value), "query", ENDLESS],
        capture_output=True,
        text=True,
        timeout=50,
        cwd=Path(__file__).resolve().parent.parent.parent,
        env={**os.environ, "MEDASSAY_HOME": str(published)},
        check=False,
    )
    took = time.monotonic() - float(ended.stdout)
    said = "stopped; what was done is kept, and the same command goes on from there\n"
    assert (ended.returncode, ended.stderr) == (code, said)
    assert took < 10


def test_a_view_shows_its_first_columns_as_far_as_they_fit(home: Path) -> None:
    """Neither columns nor metrics in which nothing stands; scripts get everything."""
    states = {("q1", "good"): ["covered", "missing"], ("q1", "bad"): ["contradicted"]}
    ranked = {"settings": '{"sort_by": "nugget_coverage"}'}
    publish_runs(home, {"r1": states, "r2": states}, r1=ranked, r2=ranked)
    shown = run(home, "query", "leaderboard").stdout.splitlines()
    assert shown[1:6] == [
        "┃ rank_ ┃ rank_ ┃        ┃    n_ ┃       n_ ┃  nugget_ ┃ contradiction_ ┃",
        "┃   low ┃  high ┃ system ┃ asked ┃ answered ┃ coverage ┃           rate ┃",
        "┡━━━━━━━╇━━━━━━━╇━━━━━━━━╇━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━━━━━━━┩",
        "│     1 │     2 │ good   │     1 │        1 │      0.5 │              0 │",
        "│     1 │     2 │ bad    │     1 │        1 │        0 │              1 │",
    ]
    assert shown[-2:] == ["2 rows of run r2", "7 of 110 columns; --all-columns, --csv or --json show all"]
    both = run(home, "query", "from leaderboard where system = 'good'").stdout
    assert "│ r1 " in both and "│ r2 " in both and both.splitlines()[-2] == "2 rows"
    assert len(run(home, "query", "leaderboard", "--csv").stdout.splitlines()[0].split(",")) == 110
    for all_columns in (("leaderboard", "--all-columns"), ("select * from leaderboard",)):
        assert "nugget_coverage_interval_low" in run(home, "query", *all_columns).stdout
    assert run(home, "query", "runs").stdout.splitlines()[-2] == "2 rows"
    for view in view_map():
        assert "── row 1 ──" not in run(home, "query", view).stdout
