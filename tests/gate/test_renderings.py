"""What is made of a record: JUnit XML, Markdown, annotations, SARIF."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from medassay.models.gate.annotations import annotations
from medassay.models.gate.junit import junit_xml
from medassay.models.gate.markdown import markdown
from medassay.models.gate.measured import Mean, Score
from medassay.models.gate.record import GateRecord
from medassay.models.gate.sarif import sarif
from tests.gate.measured import OPPOSED, TURNED, answer, held, run

MEAN = Mean("nugget_coverage", "a", None, 0.6, 0.45, 0.75, 0.3, 14, 0, 14)


@pytest.fixture
def record(tmp_path: Path) -> GateRecord:
    file = tmp_path / "answers, new.jsonl"
    file.write_text('{"answer": "Take 750 mg a day."}\n')
    table = {
        "fail_on": ["contradicted_vital"],
        "warn_on": ["citation_contradicts"],
        "bounds": {"nugget_coverage": ["<= 0.5", {"at_least": 0.5, "on": "interval"}, {"at_least": 0.1}]},
    }
    none = Score(None, "not_applicable", "no nuggets | at all <b>")
    failed = Score(None, "failed", "no answer\x00 of the reader")
    given = run(
        answer("q1", file=str(file), line=1, contradicted=(TURNED,), citations=(OPPOSED,)),
        answer("q2", scores={"nugget_coverage": none, "citation_precision": none}),
        answer("q3", scores={"nugget_coverage": failed}),
        answer("q4"),
    )
    return held(table, given, means=(MEAN,), root=tmp_path)


def test_junit_has_a_case_an_answer_and_one_a_check(record: GateRecord) -> None:
    root = ET.fromstring(junit_xml(record).encode())
    suites = [
        (s.get("name"), s.get("tests"), s.get("failures"), s.get("errors"), s.get("skipped")) for s in root
    ]
    assert suites == [("answers", "4", "1", "1", "1"), ("checks", "4", "1", "2", "0")]
    cases = {case.get("name"): case for case in root.iter("testcase")}
    turned = cases["q1 · a"]
    assert (turned.get("classname"), turned.get("file"), turned.get("line")) == (
        "clinic.a",
        "answers, new.jsonl",
        "1",
    )
    assert [(p.get("name"), p.get("value")) for p in turned.iter("property")] == [("nugget_coverage", "1")]
    assert [(c.tag, c.get("type"), c.get("message"), c.text) for c in turned if c.tag != "properties"] == [
        (
            "failure",
            "contradicted_vital",
            'contradicts the vital nugget "The dose is 75 mg a day."',
            'contradicted_vital (answers, new.jsonl:1): contradicts the vital nugget "The dose is 75 mg a day."\n'
            "  750 mg is not 75 mg",
        ),
        (
            "system-out",
            None,
            None,
            "warning: citation_contradicts (answers, new.jsonl:1): [1] (pmid:1) says the opposite of: Take 750 mg a day.",
        ),
    ]
    (skipped,) = cases["q2 · a"].iter("skipped")
    assert skipped.get("message") == (
        "nugget_coverage: no nuggets | at all <b>; citation_precision: no nuggets | at all <b>"
    )
    (error,) = cases["q3 · a"].iter("error")
    assert error.get("message") == "nugget_coverage: no answer\\x00 of the reader"
    assert [c.tag for c in cases["q4 · a"]] == ["properties"]
    of_checks = {
        name: [c.tag for c in case if c.tag != "properties"]
        for name, case in cases.items()
        if name and "=" in name
    }
    assert of_checks == {
        "nugget_coverage <= 0.5 of a": ["failure"],
        "nugget_coverage >= 0.5 (interval) of a": ["error"],
        "nugget_coverage >= 0.1 of a": [],
    }


def test_markdown_shows_others_words_as_they_are_and_keeps_to_its_size(record: GateRecord) -> None:
    text = markdown(record)
    assert text.splitlines()[:3] == [
        "## ❌ MedAssay gate: failed",
        "",
        "clinic, run `r2`: 4 answers (1 failed, 1 passed, 1 skipped, 1 unjudged).",
    ]
    assert (
        '| ❌ | q1 | a | contradicted\\_vital | contradicts the vital nugget "The dose is 75 mg a day."'
        " | answers, new.jsonl:1 |" in text
    )
    assert "no nuggets \\| at all &lt;b>" in text
    short = markdown(record, 1_000)
    assert len(short.encode()) <= 1_000
    assert short.splitlines()[-1].startswith("… and ")


def test_annotations_mark_lines_errors_first_and_ten_at_most(record: GateRecord) -> None:
    assert annotations(record)[0] == (
        "::error file=answers%2C new.jsonl,line=1,endLine=1,col=13,endColumn=31,"
        'title=contradicted_vital%3A q1%2C a::contradicts the vital nugget "The dose is 75 mg a day."'
    )
    assert [line.split(" ")[0] for line in annotations(record)] == ["::error"] * 4 + ["::warning"]
    many = held(
        {"fail_on": ["contradicted"]}, run(*(answer(f"q{n}", contradicted=(TURNED,)) for n in range(30)))
    )
    assert len(annotations(many)) == 10
    odd = held({"fail_on": ["contradicted"]}, run(answer()), failed="100% lost\n::error::x")
    assert annotations(odd) == ["::error title=the run is complete::100%25 lost%0A::error::x"]


def test_sarif_stands_at_the_claim(record: GateRecord) -> None:
    (one,) = json.loads(sarif(record))["runs"]
    assert [rule["id"] for rule in one["tool"]["driver"]["rules"]] == [
        "bound", "citation_contradicts", "contradicted_vital", "unjudged",
    ]  # fmt: skip
    first = one["results"][0]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("contradicted_vital", 2, "error")
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "answers%2C%20new.jsonl", "uriBaseId": "SRCROOT"},
                "region": {
                    "startLine": 1, "startColumn": 13, "endLine": 1, "endColumn": 31,
                    "snippet": {"text": "Take 750 mg a day."},
                },
            }
        }
    ]  # fmt: skip
    assert [result["level"] for result in one["results"]] == ["error", "warning", "error", "error", "error"]


def run_node(name: str, *arguments: str) -> str:
    """Return what a command from npm prints; skip where it is not on the PATH."""
    command = shutil.which(name)
    if command is None:
        pytest.skip(f"npm's {name} is not on the PATH")
    without_icu = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    said = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=120, env=without_icu)
    assert said.returncode == 0, said.stderr
    return said.stdout


def test_sarif_keeps_to_the_schema_and_to_what_github_asks_for(record: GateRecord, tmp_path: Path) -> None:
    lost = held(
        {"fail_on": ["contradicted"]}, run(answer(contradicted=(TURNED,))), failed="the reader was lost"
    )
    for n, one in enumerate((record, lost)):
        path = tmp_path / f"{n}.sarif"
        path.write_text(sarif(one), "utf-8")
        faults = run_node("sarif-multitool", "validate", str(path), "--rule-kind", "Ghas")
        faults += run_node("sarif-multitool", "validate", str(path), "--rule-kind", "Sarif")
        assert set(re.findall(r"(?:error|warning) (\w+):", faults)) == {
            "SARIF2005"
        }  # there is no informationUri
        jsonschema = pytest.importorskip("jsonschema")
        packages = Path(str(shutil.which("sarif-multitool"))).resolve().parents[1]
        (schema,) = packages.glob("sarif-multitool-*/sarif-2.1.0.json")
        jsonschema.validate(json.loads(path.read_text("utf-8")), json.loads(schema.read_text("utf-8-sig")))


def test_junit_is_read_by_ctrf_and_the_viewer(record: GateRecord, tmp_path: Path) -> None:
    (tmp_path / "gate.xml").write_text(junit_xml(record), "utf-8")
    run_node("junit-to-ctrf", str(tmp_path / "gate.xml"), "-o", str(tmp_path / "ctrf.json"), "-t", "medassay")
    results = json.loads((tmp_path / "ctrf.json").read_text("utf-8"))["results"]
    assert {name: results["summary"][name] for name in ("tests", "passed", "failed", "skipped")} == {
        "tests": 8, "passed": 2, "failed": 5, "skipped": 1,
    }  # fmt: skip
    assert all(test["trace"] for test in results["tests"] if test["status"] == "failed")
    page = tmp_path / "gate.html"
    said = run_node("xunit-viewer", "-r", str(tmp_path / "gate.xml"), "-o", str(page), "--console")
    assert "2 passed, 2 failure, 1 skipped, 3 error" in said


def test_junit_is_read_by_junitparser(record: GateRecord, tmp_path: Path) -> None:
    parser = pytest.importorskip("junitparser.xunit2", reason="junitparser is not installed")
    (tmp_path / "gate.xml").write_text(junit_xml(record), "utf-8")
    answers, checks = parser.JUnitXml.fromfile(str(tmp_path / "gate.xml"))
    assert [(suite.tests, suite.failures, suite.errors, suite.skipped) for suite in (answers, checks)] == [
        (4, 1, 1, 1),
        (4, 1, 2, 0),
    ]
    assert {case.name: [(type(one).__name__, one.type) for one in case.result] for case in answers} == {
        "q1 · a": [("Failure", "contradicted_vital")],
        "q2 · a": [("Skipped", "not_applicable")],
        "q3 · a": [("Error", "unjudged")],
        "q4 · a": [],
    }
    assert [(one.name, one.value) for one in next(iter(answers)).properties()] == [("nugget_coverage", "1")]
