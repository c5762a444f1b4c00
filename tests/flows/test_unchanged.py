"""A run of which nothing is new is finished without Prefect; any other leaves no trace."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from medassay.flows.engine import server_may_be_named
from medassay.flows.unchanged import evaluate_unchanged
from medassay.models.processor import device_here
from medassay.models.settings import Settings
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import Warehouse
from medassay.tasks.pipeline import execute
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
    return Settings(str(data), judge="none", reader="none", offline=True)


@pytest.mark.usefixtures("no_server_named", "needs_the_embedder")
def test_only_what_was_computed_before_is_finished_at_once(
    home: Path, warehouse: Warehouse, tmp_path: Path
) -> None:
    settings = settings_for(tmp_path, ROW["answer"])
    assert evaluate_unchanged(settings, home) is None
    with started_run(home, settings) as run:
        execute(run)
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
    assert not server_may_be_named()
    (tmp_path / "profiles.toml").write_text(
        '[profiles.team]\nPREFECT_API_URL = "http://prefect.example/api"\n'
    )
    assert server_may_be_named()
    monkeypatch.delenv("PREFECT_PROFILES_PATH")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "elsewhere"))
    assert not server_may_be_named()
    monkeypatch.setenv("PREFECT_API_URL", "http://prefect.example/api")
    assert server_may_be_named()


@pytest.mark.skipif(device_here() != "cpu", reason="whether there is a GPU only torch can tell")
def test_what_has_to_be_computed_is_told_without_loading_what_computes() -> None:
    program = """
import sys
import numpy as np
import medassay.flows.unchanged
from medassay.models.nli.loading import describe_entailment
from medassay.models.phi.grammar import _compiled
from medassay.models.statistics.resampling import mean_intervals

describe_entailment("embedded")
mean_intervals(np.arange(120.0).reshape(40, 3))
mean_intervals(np.arange(30.0).reshape(10, 3))
heavy = {"torch", "transformers", "scipy.stats", "prefect", "great_expectations", "onnxruntime"}
print(sorted(heavy & set(sys.modules)), _compiled.cache_info().currsize)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "[] 0\n"
