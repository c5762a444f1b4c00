"""Views that a small run keeps as tables."""

from pathlib import Path

import pytest

from medassay.sql.warehouse import Warehouse
from tests.rows import give_answer, run_row


def in_focus(warehouse: Warehouse, run_id: str, text: str) -> None:
    """Write a run with one answer and look at it."""
    warehouse.insert("run", [run_row(run_id)])
    give_answer(warehouse, run_id, text, answer_key=run_id, text_key=run_id)
    warehouse.focus(run_id)


def asked(warehouse: Warehouse) -> list[str]:
    """Return the answers' texts by a view that reads `current_answer`."""
    return [row["text"] for row in warehouse.rows("from asked order by system")]


def test_what_reads_a_kept_view_finds_what_was_kept(warehouse: Warehouse) -> None:
    in_focus(warehouse, "r", "Yes.")
    warehouse.keep("current_answer")
    give_answer(warehouse, "r", "No.", answer_key="b", text_key="u", system="t")
    assert asked(warehouse) == ["Yes."]
    warehouse.let_go()
    assert asked(warehouse) == ["Yes.", "No."]


def test_another_run_in_focus_finds_its_own_rows(warehouse: Warehouse) -> None:
    in_focus(warehouse, "r", "Yes.")
    warehouse.keep("current_answer")
    in_focus(warehouse, "q", "No.")
    assert asked(warehouse) == ["No."]


def test_what_was_kept_within_what_is_undone_is_let_go(warehouse: Warehouse) -> None:
    in_focus(warehouse, "r", "Yes.")
    with pytest.raises(KeyError), warehouse.transaction():
        warehouse.keep("current_answer")
        raise KeyError
    give_answer(warehouse, "r", "No.", answer_key="b", text_key="u", system="t")
    assert asked(warehouse) == ["Yes.", "No."]


def test_a_kept_view_is_in_no_file(warehouse: Warehouse, tmp_path: Path) -> None:
    in_focus(warehouse, "r", "Yes.")
    warehouse.keep("current_answer")
    assert (
        warehouse.rows("select 1 from duckdb_tables() where table_name = 'current_answer' and not temporary")
        == []
    )
