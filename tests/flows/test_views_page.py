"""The page of views is what the published file says."""

from pathlib import Path

from medassay.flows.views_page import page


def test_the_page_in_docs_is_the_one_that_the_file_writes() -> None:
    committed = Path(__file__).resolve().parents[2] / "docs" / "views.md"
    assert committed.read_text("utf-8").strip() == page().strip(), "run make docs"
