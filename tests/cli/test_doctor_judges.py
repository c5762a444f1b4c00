"""`medassay doctor --licence` and `--attacks` as people run them, against a server on loopback."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.models.chat.fence import blocks_in
from medassay.models.judges.examining.attacks import BASES, kinds
from medassay.models.judges.examining.lengths import counterfactuals
from medassay.models.judges.examining.licence import gold_pairs
from medassay.models.judges.examining.listwise import compared_pairs
from medassay.models.settings import Settings
from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.judging.licensing import n_licence_inputs
from medassay.tasks.judging.panel import pin_members
from medassay.tasks.notices import unlicensed_to_compare
from medassay.tasks.run import started_run
from medassay.tasks.stages.listwise import prepare as prepare_comparison

SUB_METRICS = ("medical_correctness", "evidence_sufficiency", "response_alignment", "safety")
GOOD = {**dict.fromkeys(SUB_METRICS, 80), "overall_justification": "It is right. It is safe."}


@pytest.fixture(autouse=True)
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDASSAY_HOME", str(home))


@pytest.fixture
def one_attacked_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack one answer of the gold set; what a suite of them all holds is tested in tests/judges/examining."""
    for module in ("attacks", "listwise"):
        monkeypatch.setattr(f"medassay.models.judges.examining.{module}.BASES", BASES[:1])


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments])


def sharp(body: dict[str, Any]) -> dict[str, Any]:
    """See every error of the gold set: the flawed side of a pair loses its sub-metric."""
    shown = body["messages"][1]["content"]
    found = dict(GOOD)
    for pair in gold_pairs():
        if pair.clean.answer != pair.flawed.answer:
            is_flawed = f"| {pair.flawed.answer}\n" in shown
        else:
            lines = [r.title or r.content or r.source or "" for r in pair.flawed.references]
            clean = [r.title or r.content or r.source or "" for r in pair.clean.references]
            of_pair = f"| {pair.clean.answer}\n" in shown and f"| {pair.clean.question}\n" in shown
            is_flawed = of_pair and not all(line in shown for line in clean) and any(lines)
        if is_flawed:
            found[pair.sub_metric] = 10
    return found


def standing(home: Path, spec: str) -> Any:
    with started_run(home, Settings("d", judge=spec)) as run:
        pin_members(run)
        run.warehouse.execute("update run set state = 'finished'")
    (row,) = warehouse_at(home).rows(
        "select judge_licensed, judge_note from judge_standing where run_id = ?", [run.run_id]
    )
    close_warehouse(home)
    return tuple(row.values())


def test_a_licence_is_known_to_every_run_and_to_what_is_published_and_costs_nothing_again(
    home: Path, judge_server: Any
) -> None:
    judge_server.behaviour.verdict = sharp
    assert standing(home, judge_server.spec) == (False, "unlicensed judge")
    first = doctor("--licence", "--judge", judge_server.spec)
    assert f"licensed: {judge_server.spec} sees plain single errors in every sub-metric" in first.stdout
    assert "(view judge_licences); a report written before keeps what it says of the judge" in first.stdout
    (run,) = read_results(home, "select run_id, judge_licensed, judge_caveat from runs")
    assert (run["judge_licensed"], run["judge_caveat"]) == (True, None)
    licences = read_results(home, "select run_id, licensed from judge_licences")
    assert [tuple(row.values()) for row in licences] == [(run["run_id"], True)] * len(SUB_METRICS)
    asked = len(judge_server.bodies)
    again = doctor("--licence", "--judge", judge_server.spec)
    assert (first.exit_code, again.exit_code, len(judge_server.bodies)) == (0, 0, asked)
    assert standing(home, judge_server.spec) == (True, None)


def test_one_cap_holds_for_all_examinations_and_what_it_left_is_named(home: Path, judge_server: Any) -> None:
    judge_server.behaviour.verdict = lambda _: GOOD
    n_calls = str(n_licence_inputs())
    three = ("--licence", "--attacks", "--lengths", "--judge", judge_server.spec)
    stopped = doctor(*three, "--max-calls", "5")
    assert (stopped.exit_code, len(judge_server.bodies)) == (3, 5)
    left = f"not finished: licence of {judge_server.spec}, begun; attacks of {judge_server.spec}; lengths of"
    assert f"{left} {judge_server.spec}\n" in stopped.stderr
    assert (
        "cap reached: the next call could exceed 5 calls; what was asked is kept, and the" in stopped.stderr
    )
    assert "not kept: " in stopped.stdout
    assert not (home / "results.duckdb").exists()
    went_on = doctor("--licence", "--lengths", "--judge", judge_server.spec, "--max-calls", n_calls)
    assert (went_on.exit_code, len(judge_server.bodies)) == (3, 5 + n_licence_inputs())
    assert f"not finished: lengths of {judge_server.spec}, begun\n" in went_on.stderr
    assert f"unlicensed: {judge_server.spec}" in went_on.stdout
    blind = doctor("--licence", "--judge", judge_server.spec, "--json")
    assert (blind.exit_code, len(judge_server.bodies)) == (1, 5 + n_licence_inputs())
    rows = json.loads(blind.stdout)
    assert [row["n_ordered_right"] for row in rows] == [0, 0, 0, 0]
    assert [row["n_tied"] for row in rows] == [row["n_pairs"] for row in rows]
    assert standing(home, judge_server.spec) == (False, "unlicensed judge")


def test_a_server_that_is_not_there_gives_no_licence_takes_none_and_stops_no_other_examination(
    home: Path,
) -> None:
    found = doctor("--licence", "--lengths", "--judge", "http://127.0.0.1:9/v1#nobody")
    assert found.exit_code == 3
    assert found.stdout.startswith("not kept: ")  # no table of shares that nothing was counted for
    assert "What length alone does to the marks of" in found.stdout
    assert warehouse_at(home).value("select count(*) from mart.judge_licence") == 0


@pytest.mark.usefixtures("one_attacked_answer")
def test_attacks_on_a_judge_that_reads_only_the_medicine_change_nothing(judge_server: Any) -> None:
    judge_server.behaviour.verdict = lambda _: GOOD
    found = doctor("--attacks", "--judge", judge_server.spec)
    assert found.exit_code == 0
    by_rule = [one.left_out_by_rule for one in kinds() if not one.is_comparing]
    n_by_rule, n_others = sum(by_rule), by_rule.count(False)
    unmoved = "mean shift of a mark +0.00 points, 0.00 regardless of sign"
    assert (
        f"kinds that rules leave out: 0 of {n_by_rule} attacks succeeded (0.0%), 0 had something left that "
        f"reached the judge; {unmoved}\n" in found.stdout
    )
    assert (
        f"kinds without a rule: 0 of {n_others} attacks succeeded (0.0%), {n_others} had something left that "
        f"reached the judge; {unmoved}\n" in found.stdout
    )


def test_a_judge_that_likes_long_answers_is_found_out(judge_server: Any) -> None:
    def fond_of_length(body: dict[str, Any]) -> dict[str, Any]:
        shown = body["messages"][1]["content"]
        is_wrong = any(pair.flawed.answer in shown for pair in gold_pairs() if pair.sub_metric == "safety")
        return {**GOOD, "safety": 95 if "another look" in shown else 10 if is_wrong else 80}

    judge_server.behaviour.verdict = fond_of_length
    found = doctor("--lengths", "--judge", judge_server.spec, "--json")
    rows = {(row["change"], row["sub_metric"]): row for row in json.loads(found.stdout)}
    assert found.exit_code == 0
    n_wrong = sum(pair.sub_metric == "safety" for pair in counterfactuals())
    assert n_wrong > 0
    assert (rows["padded", "safety"]["n_overtaken"], rows["padded", "safety"]["n_behind"]) == (
        n_wrong,
        n_wrong,
    )
    # Of the evidence pairs none is padded, so that nothing can be said of them.
    evidence = rows["padded", "evidence_sufficiency"]
    assert (evidence["n_overtaken"], evidence["n_behind"]) == (None, 0)
    assert rows["padded", "safety"]["largest_shift"] == 85
    assert rows["padded", "response_alignment"]["mean_shift"] == 0
    assert (rows["terse", "safety"]["mean_shift"], rows["terse", "safety"]["n_overtaken"]) == (0, None)
    assert rows["terse", "safety"]["n"] > 0


def test_without_a_judge_there_is_nothing_to_examine() -> None:
    found = doctor("--licence", "--judge", "none")
    assert (found.exit_code, found.stderr) == (
        2,
        "no judge to examine: no judge was asked for (--judge none); name one with --judge\n",
    )
    found = doctor("--attacks", "--listwise", "--judge", "none")
    said = "no judge to examine: no judge was asked for (--judge none)\n"
    assert (found.exit_code, found.stderr) == (2, said)


def test_the_judge_that_compares_has_a_licence_of_its_own(home: Path, judge_server: Any) -> None:
    right = {(pair.clean.question, pair.clean.answer) for pair in compared_pairs()}

    def compared(body: dict[str, Any]) -> str:
        shown = blocks_in(body["messages"][1]["content"])
        points = [4 if (shown["question"], shown[f"Doctor {n}"]) in right else 2 for n in (1, 2)]
        return (
            f"Analyze:\nStep 1: Read.\nScore:\nDoctor 1: {points[0]} points.\nDoctor 2: {points[1]} points."
        )

    judge_server.behaviour.text = compared
    settings = Settings("d", judge=judge_server.spec, listwise=True)
    with started_run(home, settings) as run:
        prepare_comparison(run)
        run.warehouse.execute("update run set state = 'finished'")
    publish(warehouse_at(home), home, run.run_id)
    (said,) = unlicensed_to_compare(home, run.run_id)
    assert said.endswith("medassay doctor --licence --listwise --judge SPEC examines it")
    close_warehouse(home)
    found = doctor("--licence", "--listwise", "--judge", judge_server.spec)
    assert found.exit_code == 0, found.output
    assert f"licensed: {judge_server.spec} side by side sees plain single errors" in found.stdout
    assert "Points that a plain error cost" not in found.stdout
    (standing,) = read_results(home, "from comparing_standing")
    assert (standing["judge"], standing["judge_licensed"], standing["judge_note"]) == (
        judge_server.spec,
        True,
        None,
    )
    assert unlicensed_to_compare(home, run.run_id) == []
    assert {row["run_id"] for row in read_results(home, "from judge_licences")} == {run.run_id}
