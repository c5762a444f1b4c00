"""`Result.gate` and the plugin for pytest."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import medassay

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

ROWS = [{"question": "Does aspirin prevent strokes?", "nuggets": ["Aspirin lowers the risk of stroke."], "system": "a",
         "answer": "Aspirin lowers the risk of stroke."}]
QUICK = {"reader": "none", "offline": True}


def test_passes(medassay):
    result = medassay.evaluate(ROWS, **QUICK)
    medassay.gate(result, {"bounds": {"nugget_coverage": ">= 0.5"}})


def test_fails(medassay):
    medassay.gate(ROWS, {"bounds": {"nugget_coverage": "<= 0.5"}}, **QUICK)
"""


def test_a_result_is_held_against_a_gate(needs_the_embedder: None, tmp_path: Path) -> None:
    rows = [
        {"question": "Does aspirin prevent strokes?", "nuggets": ["Aspirin lowers the risk of stroke."], "system": system,
         "answer": answer}
        for system, answer in (("right", "Aspirin lowers the risk of stroke."), ("silent", "The weather is fine."))
    ]  # fmt: skip
    result = medassay.evaluate(rows, reader="none", offline=True)
    table = {"bounds": {"nugget_coverage": ">= 0.5"}, "systems": ["right"]}
    base = tmp_path / "base.json"
    assert result.gate(table, base, write_baseline=True)
    assert result.gate(table, base).baseline is not None
    found = result.gate({**table, "systems": ["silent"]})
    assert not found
    with pytest.raises(AssertionError, match="nugget_coverage of silent is 0.000"):
        found.assert_passed()
    with pytest.raises(medassay.errors.UsageError, match="gate: gate.bound: there is no such key"):
        result.gate({"bound": 1})


def test_the_plugin_evaluates_and_records_and_imports_nothing_before(
    needs_the_embedder: None, tmp_path: Path
) -> None:
    (tmp_path / "test_answers.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nfilterwarnings = error\n    ignore::pytest.PytestUnraisableExceptionWarning\n"
    )
    # The entry point of the installed package brings the fixture.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--junitxml", "out.xml", "-o", "junit_family=xunit1"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "nugget_coverage of a is 1.000 (1 question); at most 0.5 was asked for" in done.stdout
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "out.xml").getroot().iter("testcase")}
    recorded = {p.get("name"): p.get("value") for p in cases["test_passes"].iter("property")}
    assert recorded["a.nugget_coverage"] == "1.0"
    assert recorded["gate.verdict"] == "passed"
    loaded = "import medassay.pytest_plugin, sys; print([m for m in sys.modules if m.split('.')[0] in ('medassay', 'duckdb', 'pandas', 'numpy')])"
    plain = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert plain.stdout.strip() == "['medassay', 'medassay.pytest_plugin']"
