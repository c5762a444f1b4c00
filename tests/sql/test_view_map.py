"""The map of views: its keys and relations hold in published results, and what breaks them is found."""

from functools import partial
from pathlib import Path

import duckdb
import pytest

from medassay.flows.reference import which_view
from medassay.sql.snapshot import read_results
from medassay.sql.view_map import CORE, broken_rules, view_map
from tests.published_home import publish_runs

STATES = {("q1", "good"): ["covered", "missing"], ("q1", "bad"): ["contradicted"], ("q2", "bad"): ["partial"]}


def test_keys_are_unique_and_rows_are_of_rows_that_are_there(home: Path) -> None:
    ranked = {"settings": '{"sort_by": "nugget_coverage"}'}
    more = {"r1": ranked, "r2": {"dataset": "e", **ranked}, "r3": {"state": "failed"}}
    publish_runs(home, {"r1": STATES, "r2": STATES, "r3": {}}, **more)
    assert broken_rules(partial(read_results, home)) == []
    for mapped in view_map().values():
        has = {row["column_name"] for row in read_results(home, f"describe {mapped.view}")}
        assert set(mapped.shows) - has == set(), mapped.view
    filled = [name for name in view_map() if read_results(home, f"select 1 from {name} limit 1")]
    assert {"claims", "citation_verdicts", "nugget_states", "judgements", "guidance_states"} <= set(filled)
    assert [row["run_id"] for row in read_results(home, "from latest_run")] == ["r2"]
    assert [row["run_id"] for row in read_results(home, "from latest_runs order by dataset")] == ["r1", "r2"]
    assert [(row["run_id"], row["system"]) for row in read_results(home, "from leaderboard")] == [
        ("r2", "good"), ("r2", "bad"), ("r1", "good"), ("r1", "bad"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "insert into claims from claims",
            "claims: two rows of one key (run_id, question_id, system, claim_id)",
        ),
        ("update nuggets set nugget_id = null", "nuggets: a key is NULL (run_id, question_id, nugget_id)"),
        (
            "update claims set system = 'x'",
            "claims: a row of no row in answers (run_id, question_id, system)",
        ),
    ],
)
def test_what_breaks_a_rule_is_named(statement: str, expected: str) -> None:
    with duckdb.connect() as results:
        for mapped in view_map().values():
            columns = ", ".join(f"'1' as {key}" for key in mapped.keys)
            results.execute(f"create table {mapped.view} as select {columns}")
        assert broken_rules(lambda query: results.execute(query).fetchall()) == []
        results.execute(statement)
        assert expected in broken_rules(lambda query: results.execute(query).fetchall())


def test_every_view_of_the_map_says_what_its_rows_are_of_and_hangs_in_the_tree() -> None:
    assert [name for name in view_map() if not which_view.grain(name)] == []
    assert sorted(line.split()[0] for line in which_view.tree(None)) == sorted(view_map())
    assert len(list(view_map())[:CORE]) == CORE
