"""What a run that failed too much is told to have failed of."""

from functools import partial
from pathlib import Path

import pytest

from medassay.models.report import ReportData
from medassay.models.report.overview import warnings_of
from medassay.models.settings import Settings
from medassay.models.sources.choosing import OFFLINE
from medassay.sql.snapshot import publish, published, read_results
from medassay.tasks.notices import invented, not_understood, notices, unchecked, withdrawn
from medassay.tasks.progress import watched_by
from medassay.tasks.publish import publish_snapshot, rows_of, write_report
from medassay.tasks.run import started_run
from medassay.tasks.summary import Summary, TooManyFailed, refuse_too_many_failures, summarise
from tests.rows import answer_row, citation_row, claim_row
from tests.runs import Told

KEY = "the server refused the request (HTTP 401: wrong key;\n set OPENAI_API_KEY)"


def failed(home: Path, reasons: list[tuple[str, str]], state: str = "failed") -> Summary:
    """Publish a run of which these stages failed, or abstained, for these reasons, of four items each."""
    with started_run(home, Settings("d")) as run:
        for stage in ("fetch", "entail", "judge"):
            n_failed = [name for name, _ in reasons].count(stage)
            row = {"run_id": run.run_id, "stage": stage, "fingerprint": "f", "n_items": 4, "n_pending": 4}
            run.warehouse.insert("run_stage", [{**row, "n_done": 4 - n_failed, "n_failed": n_failed}])
        named = {"run_id": run.run_id, "fingerprint": "f", "state": state, "attempts": 1}
        run.warehouse.insert(
            "outcome",
            [
                {**named, "stage": stage, "item_key": str(n), "reason": reason}
                for n, (stage, reason) in enumerate(reasons)
            ],
        )
        return summarise(run, publish_snapshot(run), home / "report.html")


def test_the_stage_and_its_most_frequent_reason_are_named(home: Path) -> None:
    summary = failed(home, [("fetch", "HTTP 500"), ("entail", "HTTP 500"), ("entail", KEY), ("entail", KEY)])
    with pytest.raises(TooManyFailed) as raised:
        refuse_too_many_failures(summary, 0.02)
    assert str(raised.value) == (
        f"run {summary.run_id} is published, but 75.0% of the stage `entail` failed and 2.0% was allowed: the server "
        "refused the request (HTTP 401: wrong key; set OPENAI_API_KEY); all reasons are in the view `outcomes`, and the "
        "same command asks again for only these"
    )
    because = {stage["stage"]: stage["failed_because"] for stage in summary.stages}
    assert (because["fetch"], because["judge"]) == ("HTTP 500", None)


def test_what_a_stage_abstained_on_is_told_with_the_most_frequent_reason(home: Path) -> None:
    summary = failed(home, [("entail", "no JSON\n object"), ("entail", "b"), ("entail", "b")], "abstained")
    assert summary.notices[0] == ("entail: 3 of 4 abstained, most because b; a run with --retry asks again")
    assert not any("judge" in line for line in failed(home, [("judge", "b")], "abstained").notices)


def test_a_run_that_was_stopped_says_so_in_plain_words(home: Path) -> None:
    with pytest.raises(SystemExit), started_run(home, Settings("d")) as run:
        raise SystemExit
    (found,) = run.warehouse.rows("select state, note from run")
    assert (found["state"], found["note"]) == (
        "failed",
        "stopped before its end; what was done is kept, and the same command goes on from there",
    )


def test_the_view_of_runs_says_why_one_did_not_finish(home: Path) -> None:
    with pytest.raises(ValueError, match="no way"), started_run(home, Settings("failed")):
        raise ValueError("no way\nand more")
    with started_run(home, Settings("killed")):
        pass  # its row still says that it runs
    failed(home, [])
    rows = read_results(home, "select dataset, state, note from runs order by started_at")
    assert [(row["dataset"], row["state"], row["note"]) for row in rows] == [
        ("failed", "failed", "no way"),
        ("killed", "abandoned", "the process ended before the run did"),
        ("d", "running", None),
    ]
    with published(home) as connection:
        meant = "select comment from duckdb_columns() where table_name = 'runs' and column_name = 'note'"
        assert connection.execute(meant).fetchall() == [
            ("why a run failed or was abandoned; NULL for one that finished or still runs",)
        ]


def test_a_run_stopped_before_its_report_says_which_command_writes_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("medassay.models.report.render", stopped)
    summary = failed(home, [])
    told = Told()
    with watched_by(told), pytest.raises(KeyboardInterrupt):
        write_report(home, summary.run_id)
    (line,) = told.lines
    assert line.endswith(f"only its report is not written yet: medassay report {summary.run_id}")


def test_a_system_all_of_whose_rows_are_in_quarantine_is_named(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        row = {"run_id": run.run_id, "table_name": "answer", "file": "a", "rule": "r", "advice": "a"}
        values = ['{"system": "x"}', '{"system": "x"}', '{"system": 5}', "null", '{"system": "y"}']
        run.warehouse.append("rejected_row", [{**row, "line": n, "value": v} for n, v in enumerate(values)])
        run.warehouse.insert("mart.answer", [answer_row("q", "y", run.run_id, state="empty", n_claims=0)])
        summary = summarise(run, publish_snapshot(run), home / "report.html")
        rows = rows_of(partial(read_results, home), run.run_id)
    said = "in quarantine with all their rows, and so in no table: x (2 rows)"
    assert said in summary.notices
    assert f"{said[:1].upper()}{said[1:]}." in warnings_of(ReportData(**rows))


def test_claims_that_a_model_left_to_the_rules_are_told_with_the_most_frequent_reason(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        reasons = [None, "no JSON\n object", "no JSON\n object", "the reply left the sentence out"]
        run.warehouse.insert("text", [{"text_key": "t", "text": "It helps."}])
        run.warehouse.append(
            "mart.claim",
            [
                claim_row(run_id=run.run_id, claim_id=f"c{n}", position=n, split_reason=reason)
                for n, reason in enumerate(reasons)
            ],
        )
        said = (
            "decompose: 3 of 4 claims stand as the rules cut them, most because no JSON object;"
            " split_reason in the view claims names them"
        )
        assert summarise(run, publish_snapshot(run), home / "report.html").notices == [said]
        told = {
            "run_id": run.run_id,
            "stage": "decompose",
            "item_key": "a",
            "fingerprint": "f",
            "attempts": 1,
        }
        run.warehouse.insert("outcome", [{**told, "state": "abstained", "reason": "no JSON object"}])
        again = said + ", and a run with --retry asks again about 1 answer"
        assert summarise(run, publish_snapshot(run), home / "report.html").notices == [again]


def test_citations_of_what_was_retracted_are_told(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        standing = [
            ("pmid:2", "yes", "no"),
            ("pmid:1", "yes", "yes"),
            ("pmid:3", "no", "yes"),
            ("pmid:4", "no", "no"),
        ]
        cited = {"run_id": run.run_id, "state": "supports"}
        run.warehouse.append(
            "mart.citation",
            [
                citation_row(**cited, ordinal=n, source_id=name, retracted=retracted, concern=concern)
                for n, (name, retracted, concern) in enumerate(standing)
            ],
        )
        publish(run.warehouse, home, run.run_id)
        named = "they count by what it says; retracted and concern in the view citations name them"
        assert withdrawn(home, run.run_id) == [
            f"2 of 4 citations cite what is retracted (pmid:1 and 1 more): {named}",
            f"1 of 4 citations cite what is under an expression of concern (pmid:3): {named}",
        ]


def cited_as(home: Path, states: list[tuple[str, str, str | None]], asked_again: tuple[str, ...] = ()) -> str:
    """Publish a run whose one answer cites these sources: id, state, reason; return the run's id."""
    with started_run(home, Settings("d")) as run:
        run.warehouse.append(
            "mart.citation",
            [
                citation_row("q1", run_id=run.run_id, ordinal=n, source_id=name, state=state, reason=reason)
                for n, (name, state, reason) in enumerate(states)
            ],
        )
        failed = {"run_id": run.run_id, "stage": "fetch", "fingerprint": "f", "state": "failed"}
        rows = [{**failed, "reason": "HTTP 500", "item_key": name} for name in asked_again]
        run.warehouse.insert("outcome", rows)
        publish(run.warehouse, home, run.run_id)
    return run.run_id


def test_citations_that_could_not_be_checked_are_counted_with_the_reason(home: Path) -> None:
    one = [("pmid:1", "unverifiable", OFFLINE), ("pmid:2", "supports", None)]
    assert unchecked(home, cited_as(home, one)) == [
        "1 of 2 citations could not be checked, because this run is offline, and what is kept here does not hold it: run"
        " without --offline to ask PubMed; state and reason in the view citations name them"
    ]
    two = [("pmid:1", "unverifiable", "HTTP\n 500"), ("pmid:3", "unverifiable", "HTTP\n 500"), *one[:1]]
    (said,) = unchecked(home, cited_as(home, two, asked_again=("pmid:1", "pmid:3")))
    assert said.startswith(
        "3 of 3 citations could not be checked, most because HTTP 500; the same command asks again; state"
    )


def test_invented_citations_are_named_with_the_answer_they_stand_in(home: Path) -> None:
    states = [(f"pmid:{n}", "not_found", "PubMed has none") for n in (9, 8, 7, 6)]
    run_id = cited_as(home, [*states, states[0], ("pmid:5", "supports", None)])
    said = (
        "5 of 6 citations name what the source that was asked does not have (not_found): pmid:6 in s's answer to q1,"
        " pmid:7 in s's answer to q1, pmid:8 in s's answer to q1 and 1 more; the view citations names them"
    )
    assert invented(home, run_id) == [said]
    assert said in notices(home, run_id, [])
    assert (not_understood(home, run_id), unchecked(home, run_id)) == ([], [])


def test_marks_that_lead_nowhere_are_named_with_the_answer_they_stand_in(home: Path) -> None:
    run_id = cited_as(home, [("untraceable:1", "untraceable", "no entry"), ("pmid:5", "supports", None)])
    said = "1 of 2 citations lead to no source (untraceable): [1] in s's answer to q1; the view citations names them"
    assert not_understood(home, run_id) == [said]
    assert said in notices(home, run_id, [])
    assert invented(home, run_id) == []
