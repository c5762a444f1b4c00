"""The ready questions, put to the snapshot of two generated runs."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.aggregate import aggregate

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = sorted((ROOT / "examples" / "questions").glob("*.sql"))
RUNS = ("20260101T000000-000001", "20260108T000000-000002")


def beside(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home with two runs of the same data set: 12 questions, then 14, to three systems."""
    home = tmp_path_factory.mktemp("home")
    generated = beside("tests/examples/generated_run.py")
    for run_id, questions, day in zip(RUNS, (12, 14), (1, 8), strict=True):
        run = generated.generate(
            warehouse_at(home),
            str(home),
            run_id,
            generated.Size(questions, 3),
            started=datetime(2026, 1, day, tzinfo=UTC),
        )
        aggregate(run)
        publish(run.warehouse, home, run_id)
    yield home
    close_warehouse(home)


def asked(results: Path, number: int) -> list[dict[str, Any]]:
    return read_results(results, QUESTIONS[number - 1].read_text("utf-8"))


MAY_BE_EMPTY = {2, 9, 15, 18, 21, 22}
"""A run may miss nothing, leave nothing out, cite nothing retracted, cost nothing; no stage made these."""
A_SCREEN = 50


@pytest.mark.parametrize("number", range(1, len(QUESTIONS) + 1))
def test_each_has_an_answer_of_the_last_run(results: Path, number: int) -> None:
    rows = asked(results, number)
    assert rows or number in MAY_BE_EMPTY
    assert all(None not in row for row in rows)
    assert len(QUESTIONS[number - 1].read_text("utf-8").splitlines()) <= A_SCREEN


def test_a_share_is_of_the_rows_beside_it(results: Path) -> None:
    assert {row["system"]: round(sum(r["share"] for r in asked(results, 20) if r["system"] == row["system"]), 2)
            for row in asked(results, 20)} == dict.fromkeys(("system-01", "system-02", "system-03"), 1.0)  # fmt: skip
    for row in asked(results, 16):
        assert row["share"] == round(row["uncited"] / row["n_claims"], 3)


def test_they_say_what_the_views_say(results: Path) -> None:
    last = f"where run_id = '{RUNS[1]}'"
    (counts,) = read_results(
        results,
        f"""
        select
            (select count(*) from comparisons {last} and family = 'primary') as pairs,
            (select count(*) from nugget_states {last} and state = 'contradicted') as contradicted,
            (select count(*) from citation_verdicts {last} and state in ('not_found', 'untraceable')) as nowhere,
            (select count(*) from questions {last}) as questions
        """,
    )
    found = {number: len(asked(results, number)) for number in (1, 3, 4, 7)}
    assert found == dict(zip((1, 3, 4, 7), counts.values(), strict=True))
    supports = [
        (row["n_citations"], row["supports"]) for row in asked(results, 5) if row["system"] == "system-01"
    ]
    (told,) = read_results(
        results,
        f"select count(*) as n, count(*) filter (state = 'supports') as s from citations {last} and system = 'system-01'",
    )
    assert (sum(n for n, _ in supports), sum(s for _, s in supports)) == (told["n"], told["s"])


def test_what_was_not_checked_is_left_out_and_what_was_not_found_counts() -> None:
    import duckdb

    with duckdb.connect() as results:
        results.execute("""
            create table latest_run as select 'r' as run_id, 'seed' as profile, now() as started_at;
            create table quarantine (run_id text, table_name text, rule text);
            create table system_scores (run_id text, profile text, metric text, reason text, value double);
            create table outcomes as from (values
                ('r', 'fetch', 'not_found', 'PubMed has no record of it'), ('r', 'judge', 'failed', 'no answer')
            ) as given (run_id, stage, state, reason);
            create table citations as from (values
                ('r', 's', 'unverifiable', 'offline'), ('r', 's', 'not_found', 'PubMed has no record of it')
            ) as given (run_id, system, state, reason);
        """)
        rows = results.execute(QUESTIONS[8].read_text("utf-8")).fetchall()
    assert rows == [("citation not checked", "s", "offline", 1), ("item failed", "judge", "no answer", 1)]


def test_a_change_is_this_run_less_the_one_before(results: Path) -> None:
    rows = [row for row in asked(results, 8) if row["metric"] == "nugget_coverage"]
    assert [(row["system"], row["change"] is None) for row in rows] == [
        (system, first) for system in ("system-01", "system-02", "system-03") for first in (True, False)
    ]
    assert [round(b["value"] - a["value"], 3) for a, b in zip(rows[::2], rows[1::2], strict=True)] == [
        row["change"] for row in rows[1::2]
    ]


def test_the_script_puts_them_all(results: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "ask.py"), str(results / "results.duckdb")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert [line[:2] for line in ran.stdout.splitlines() if line[2:4] == "  " and line[:2].isdigit()] == [
        f"{number:02}" for number in range(1, len(QUESTIONS) + 1)
    ]


def test_the_notebook_draws_what_the_views_say(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.setenv("MEDASSAY_HOME", str(results))
    names: dict[str, Any] = {}
    for cell in json.loads((ROOT / "examples" / "results.ipynb").read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    names["results"].close()
    last = f"where run_id = '{RUNS[1]}'"
    (told,) = read_results(
        results,
        f"""
        select
            (select count(*) from answer_scores {last} and nugget_coverage is not null) as answers,
            (select count(*) from citations {last}) as citations
        """,
    )
    (scatter,), (lines,) = names["scatter"].axes, names["lines"].axes
    assert sum(len(line.get_xdata()) for line in scatter.lines) == told["answers"]
    assert [len(line.get_xdata()) for line in lines.lines] == [2, 2, 2]
    assert sum(bar.get_width() for bar in names["axes"].patches) == told["citations"]
    assert len(names["intervals"].axes[0].get_yticklabels()) == len(names["means"]) > 6
    names["plt"].close("all")


# In a process of its own: where marimo is imported, transformers takes itself to be in a notebook and wants IPython.
RUN_APP = """
import json, runpy, sys
shown, found = runpy.run_path(sys.argv[1])["app"].run()
kept = {name: found[name] for name in ("systems", "turned_around", "citations", "apart")}
print(json.dumps({"shown": sum(output is not None for output in shown), **kept}, default=str))
"""


def test_the_app_says_what_the_views_say(results: Path) -> None:
    if importlib.util.find_spec("marimo") is None:
        pytest.skip("marimo is not installed")
    ran = subprocess.run(
        [sys.executable, "-c", RUN_APP, str(ROOT / "examples" / "explore.py")],
        capture_output=True, text=True, check=False, env={**os.environ, "MEDASSAY_HOME": str(results)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    last = f"where run_id = '{RUNS[1]}'"
    (told,) = read_results(
        results,
        f"""
        select
            (select count(*) from nugget_states {last} and state = 'contradicted' and system = 'system-01')
                as turned_around,
            (select count(*) from citation_verdicts {last}) as citations,
            (select count(*) from questions {last}) as questions
        """,
    )
    assert found["systems"] == ["system-03", "system-02", "system-01"]
    assert {
        "turned_around": len({(row["question_id"], row["nugget"]) for row in found["turned_around"]}),
        "citations": sum(row["n"] for row in found["citations"]),
        "questions": len(found["apart"]),
    } == told
    assert [row["difference"] for row in found["apart"]] == sorted(
        (row["difference"] for row in found["apart"]), key=abs, reverse=True
    )
    assert found["shown"] == 6
