"""Links of pages lead to files that are there, and decision records are listed under whole names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RECORDS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)")


def name_of(record: Path) -> str:
    """Return the name that a record's number and title make."""
    title = record.read_text("utf-8").splitlines()[0].removeprefix("# ").lower()
    return f"{record.name[:4]}-{re.sub(r'[^a-z0-9]+', '-', title.replace(chr(39), '')).strip('-')}.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    assert [to for to in LINK.findall(page.read_text("utf-8")) if not (page.parent / to).exists()] == []


def test_records_are_named_by_their_whole_titles_and_listed() -> None:
    assert [record.name for record in RECORDS] == [name_of(record) for record in RECORDS]
    listed = LINK.findall((ROOT / "docs" / "decisions" / "index.md").read_text("utf-8"))
    assert sorted(listed) == [record.name for record in RECORDS]


def test_numbers_of_decisions_in_pages_and_code_are_of_records_that_are_there() -> None:
    numbers = {int(record.name[:4]) for record in RECORDS}
    folders = ("docs", "flows", "tasks", "models", "sql", "medassay/metrics", "benchmarks")
    files = [*PAGES, *(p for f in folders for p in (ROOT / f).rglob("*") if p.suffix in (".py", ".sql"))]
    said = re.compile(r"[Dd]ecisions? (\d+)|decisions/(\d{4})")
    named = {int(a or b) for file in files for a, b in said.findall(file.read_text("utf-8"))}
    assert named - numbers == set()
    assert named >= {88, 89, 90}


def test_files_that_architecture_names_are_there() -> None:
    named = re.findall(r"`([\w.]+/[\w./]+\.\w+)`", (ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert [file for file in named if not (ROOT / file).exists()] == []
    assert "tasks/pipeline.py" in named
