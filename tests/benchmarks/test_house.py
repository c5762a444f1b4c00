"""What benchmarks/house.py counts, on a small package; and that no modules of this one import each other."""

from pathlib import Path

import pytest

from benchmarks.house import ROOT, circles, first_columns, imports, option_places, stage_files, view_files

SETTINGS = """\
| setting | type | default | meaning |
|---|---|---|---|
| `max_failed` | float | `0.02` | Share of items that may fail. |
| `judge` | str | `'none'` | Who gives marks. |
"""
STAGES = """\
| stage | what it does | reads | fills | code |
|---|---|---|---|---|
| `match` | Decide. | `claim` | `match_made`, `pair_score` | `tasks/stages/match.py` |
| `joint` | Read. | `claim`, `match_made` | `pair_score` | `tasks/stages/joint.py` |
"""
FILES = {
    "docs/settings.md": SETTINGS,
    "docs/architecture.md": STAGES,
    "models/settings.py": "max_failed = 0.02\n",
    "flows/evaluate.py": "def evaluate(max_failed):\n    return Settings(max_failed=max_failed)\n",
    "tasks/summary.py": "run.settings.max_failed, unmax_failed_\n",
    "tasks/stages/match.py": "writes = ('match_made', 'pair_score')\n",
    "tasks/stages/joint.py": "step.rows('from joint_pending')\n",
    "sql/intermediate/match_items.sql": "create or replace view match_items as from claim;\n",
    "sql/intermediate/joint_items.sql": "create or replace view joint_items as from match_made;\n",
    "sql/intermediate/new_citation.sql": "create or replace view new_citation as from joint_items;\n",
    "sql/intermediate/new_system_score.sql": "create or replace view new_system_score as from score;\n",
    "sql/marts/citation_verdicts.sql": "create or replace view citation_verdicts as from mart.citation;\n",
    "sql/marts/leaderboard.sql": "create or replace view leaderboard as from mart.score;\n",
    "tests/test_match.py": "match_made, max_failed\n",
}


@pytest.fixture
def small(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_places_of_an_option_are_all_but_reading_it(small):
    assert option_places(small) == {"max_failed": 4}


def test_files_of_a_stage_name_its_items_or_a_table_that_it_alone_fills(small):
    # match: its module, its items and the items of joint; joint: its module, its items and new_citation.
    assert stage_files(small) == {"match": 3, "joint": 3}


def test_views_behind_a_verdict(small):
    assert {path.stem for path in view_files(small)} == {
        "citation_verdicts", "leaderboard", "new_citation", "new_system_score", "joint_items",
    }  # fmt: skip


def test_rows_of_other_tables_are_no_stages():
    page = Path(__file__).parents[2] / "docs" / "architecture.md"
    assert [row[0] for row in first_columns(page, 5)][:2] == ["decompose", "nuggets"]


def test_circles():
    graph = {"a": ["b", "d"], "b": ["c"], "c": ["a"], "d": ["d"], "e": ["a"]}
    assert circles(graph) == [["a", "b", "c"]]


def test_no_modules_import_each_other_or_themselves():
    graph = imports(ROOT)
    assert circles(graph) == []
    assert [name for name, used in graph.items() if name in used] == []
