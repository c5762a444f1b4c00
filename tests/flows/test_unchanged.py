"""A run of which nothing is new is finished without Prefect; any other leaves no trace."""

import json
from pathlib import Path

import pytest

from medassay.flows.plain import measure
from medassay.flows.unchanged import evaluate_unchanged, server_is_named
from medassay.models.settings import Settings
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import started_run

ROW = {
    "question_id": "q1",
    "question": "Does rest help an ankle?",
    "nuggets": ["Rest helps an ankle"],
    "system": "s",
    "answer": "Rest helps an ankle.",
}


@pytest.fixture
def no_server_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_PROFILES_PATH", str(tmp_path / "profiles.toml"))
    monkeypatch.chdir(tmp_path)


def settings_for(folder: Path, answer: str) -> Settings:
    data = folder / "rows.jsonl"
    data.write_text(json.dumps({**ROW, "answer": answer}) + "\n", "utf-8")
    return Settings(str(data), judge="none", entailment="none", offline=True)


@pytest.mark.usefixtures("no_server_named", "needs_the_embedder")
def test_only_what_was_computed_before_is_finished_at_once(
    home: Path, warehouse: Warehouse, tmp_path: Path
) -> None:
    settings = settings_for(tmp_path, ROW["answer"])
    assert evaluate_unchanged(settings, home) is None
    with started_run(home, settings) as run:
        measure(run)
    found = evaluate_unchanged(settings, home)
    assert found is not None
    assert [(row["system"], row["nugget_coverage"]) for row in found["leaderboard"]] == [("s", 1.0)]
    assert {stage["n_pending"] for stage in found["stages"]} == {0}
    assert Path(found["report"]).exists()
    runs = read_results(home, "select run_id, state from runs order by run_id")
    assert [row["state"] for row in runs] == ["finished", "finished"]
    assert evaluate_unchanged(settings_for(tmp_path, "Ice helps an ankle."), home) is None
    tables = ("run", "run_stage", "run_answer", "landing", "mart.score")
    left = [warehouse.value(f"select count(distinct run_id) from {table}") for table in tables]
    assert left == [2, 2, 2, 0, 2]


@pytest.mark.usefixtures("no_server_named")
def test_a_server_that_is_named_shows_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not server_is_named()
    (tmp_path / "profiles.toml").write_text(
        '[profiles.team]\nPREFECT_API_URL = "http://prefect.example/api"\n'
    )
    assert server_is_named()
    monkeypatch.delenv("PREFECT_PROFILES_PATH")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "elsewhere"))
    assert not server_is_named()
    monkeypatch.setenv("PREFECT_API_URL", "http://prefect.example/api")
    assert server_is_named()
