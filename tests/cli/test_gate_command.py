"""`medassay gate` as CI runs it: what it prints and writes, and how it ends."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import warehouse_at
from tests.rows import freeze_scores, run_row


@pytest.fixture(scope="module")
def published(shared_home: Path) -> Path:
    """Return a home with a run of eight questions, and a later one in which one of them scores nothing."""
    warehouse = warehouse_at(shared_home)
    for run_id, coverage in (("old", [0.8] * 8), ("new", [0.0, *[0.8] * 7])):
        warehouse.insert(
            "run", [run_row(run_id, name=f"the {run_id} one", started_at=f"2026-01-0{1 + (run_id == 'new')}")]
        )
        freeze_scores(warehouse, {"nugget_coverage": {"s": coverage}}, run_id)
        warehouse.execute(
            "insert into mart.system_score by name select run_id, system, profile, metric, avg(value) as value, 8 as n_asked,"
            " 8 as n_answered, 0 as n_refused, 8 as n_scored, 0 as n_abstained, 0 as n_failed, 0 as n_not_applicable,"
            f" 8 as n_units from mart.score where run_id = '{run_id}' group by all"
        )
    publish(warehouse, shared_home, "new")
    return shared_home


def gate(
    home: Path, *arguments: str | Path, config: str = "[gate]\nquestions = ['q1']\n", **environment: str
) -> Result:
    Path("medassay.toml").write_text(config)
    runner = CliRunner(env={"MEDASSAY_HOME": str(home), "GITHUB_ACTIONS": "", **environment})
    return runner.invoke(main, ["gate", *map(str, arguments)])


def test_a_run_passes_and_every_output_is_written(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    step = tmp_path / "step.md"
    step.write_text("what another command wrote\n")
    done = gate(
        published, "the old one", "--baseline", "base.json", "--write-baseline", "--junit", "gate.xml", "--sarif", "gate.sarif",
        "--summary", step, "--record", "gate.json", GITHUB_STEP_SUMMARY=str(step),
    )  # fmt: skip
    assert (done.exit_code, done.output.splitlines()) == (
        0,
        ["gate: passed (8 answers: 8 passed; 6 checks: 3 not applicable, 3 passed)", "record    gate.json"],
    )
    assert json.loads(Path("base.json").read_text())["form"] == "medassay.baseline/1"
    record = json.loads(Path("gate.json").read_text())
    assert (record["form"], record["verdict"], record["config"]) == (
        "medassay.gate/1",
        "passed",
        "medassay.toml",
    )
    assert [suite.get("tests") for suite in ET.parse("gate.xml").getroot()] == ["8", "6"]
    assert json.loads(Path("gate.sarif").read_text())["version"] == "2.1.0"
    assert step.read_text().startswith("what another command wrote\n## ✅ MedAssay gate: passed")


def test_the_exit_code_tells_failed_from_too_little_data(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gate(published, "old", "--baseline", "base.json", "--write-baseline")
    vague = gate(published, "last", "--baseline", "base.json", GITHUB_ACTIONS="true")
    assert vague.exit_code == 4
    said = (
        "nugget_coverage of s fell by 0.100 since the baseline (-0.336 to +0.136, 8 questions);"
        " too little data to tell whether by more than 0.05; about 357 questions would settle it"
    )
    assert vague.output.splitlines()[0] == f"insufficient evidence: baseline: {said}"
    assert (
        vague.output.splitlines()[-1]
        == f"::error title=nugget_coverage of s not worse than the baseline by 0.05::{said}"
    )
    failed = gate(published, "new", config="[gate.bounds]\nnugget_coverage = '>= 0.75'\n")
    assert (failed.exit_code, failed.output.splitlines()[1]) == (
        1,
        "error: bound: nugget_coverage of s is 0.700 (8 questions); at least 0.75 was asked for",
    )
    machine = gate(published, "new", "--json", config="[gate.bounds]\nnugget_coverage = '>= 0.75'\n")
    assert (machine.exit_code, json.loads(machine.output)["verdict"]) == (1, "failed")


@pytest.mark.parametrize(
    ("arguments", "config", "said"),
    [
        (["old"], "[gate]\nfail = 1\n", "medassay.toml: gate.fail: there is no such key; choose of fail_on, warn_on, "),
        (["nowhere"], "[gate]\n", "nowhere: neither a file or folder nor a finished run; the latest runs are: new, old"),
        (["old", "--reader", "llm"], "[gate]\n", "--reader: run old is finished; to choose it, give its DATA"),
        (["old", "--write-baseline"], "[gate]\n", "--write-baseline: name the file with --baseline FILE, or as file in"),
        (["old"], "[gate]\nfail_on = ['newly_contradicted']\n", "medassay.toml: the rule newly_contradicted needs a baseline"),
        (["old", "--baseline", "no.json"], "[gate]\n", "no.json: no such file: write it with --write-baseline"),
        (["old"], "[gate]\nsystems = ['t']\n", "gate.systems names 't': the run has s"),
    ],
)  # fmt: skip
def test_what_cannot_be_held_is_said_in_one_line(
    published: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    config: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = gate(published, *arguments, config=config)
    assert (done.exit_code, len(done.output.splitlines())) == (2, 1)
    assert done.output.startswith(said)


class _Heard(BaseHTTPRequestHandler):
    bodies: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_red_end_is_posted_with_the_answers_that_broke_a_rule_and_a_green_one_is_not(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _Heard.bodies.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Heard) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/secret"
        bounds = "[gate]\nquestions = ['q1']\n[gate.bounds]\nnugget_coverage = '>= 0.9'\n"
        assert gate(published, "the old one", MEDASSAY_ALERT_URL=url).exit_code == 0
        failed = gate(published, "the new one", config=bounds, MEDASSAY_ALERT_URL=url)
        refused = gate(published, "the new one", config="[gate", MEDASSAY_ALERT_URL=url)
        server.shutdown()
    assert (failed.exit_code, refused.exit_code) == (1, 2)
    red, wrong = _Heard.bodies
    assert (red["title"], red["url"], red["changed"]) == ("gate of the new one: failed", "", [])
    assert "nugget_coverage" in red["text"]
    assert (wrong["title"], "medassay.toml" in wrong["text"]) == ("gate of the new one ended red", True)
    silent = gate(published, "the new one", config=bounds, MEDASSAY_ALERT_URL=url)
    assert silent.exit_code == 1 and "MEDASSAY_ALERT_URL was not told: " in silent.output
    assert "secret" not in silent.output
