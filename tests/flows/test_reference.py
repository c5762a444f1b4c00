"""Pages of docs/ that are written from the code say what the code does."""

from pathlib import Path

import pytest

from medassay.flows.reference import commands, metrics, stages, views
from medassay.flows.reference.__main__ import with_blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("name", "page"), [("views", views.page), ("metrics", metrics.page)])
def test_the_page_in_docs_is_up_to_date(name: str, page) -> None:
    assert (DOCS / f"{name}.md").read_text("utf-8").strip() == page().strip(), "run make docs"


@pytest.mark.parametrize("name", ["architecture", "data"])
def test_the_generated_parts_of_pages_are_up_to_date(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text("utf-8")
    assert text == with_blocks(text), "run make docs"


def test_architecture_draws_the_stages_that_there_are() -> None:
    assert (DOCS / "stages.svg").read_text("utf-8") == stages.diagram(), "run make docs"
    found = {(a.name, b.name): tables for a, b, tables in stages.edges()}
    assert found["decompose", "fetch"] == ["citation"]
    assert found["entail", "match"] == ["pair_score"]
    assert ("judge", "listwise") not in found


def test_commands_are_listed_with_their_options() -> None:
    text = commands.page()
    assert "## medassay nuggets export" in text
    assert "--sort-by" in text
