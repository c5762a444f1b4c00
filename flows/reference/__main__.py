"""Write the generated pages: `python -m medassay.flows.reference`, which `make docs` runs."""

import re
from collections.abc import Callable
from pathlib import Path

from medassay.flows.reference import commands, formats, metrics, rooms, settings, stages, views, which_view

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def write_pages(docs: Path) -> None:
    """Write the generated pages of docs, stages.svg, and the generated blocks of other pages."""
    for name, module in (
        ("views", views),
        ("metrics", metrics),
        ("commands", commands),
        ("settings", settings),
        ("which_view", which_view),
    ):
        (docs / f"{name}.md").write_text(module.page().rstrip() + "\n", encoding="utf-8")
    (docs / "stages.svg").write_text(stages.diagram(), encoding="utf-8")
    for name in ("architecture", "data"):
        page = docs / f"{name}.md"
        page.write_text(with_blocks(page.read_text("utf-8")), encoding="utf-8")


def with_blocks(text: str) -> str:
    """Return a page with every block between `<!-- generated: NAME -->` and `<!-- end -->` written anew."""
    made: dict[str, Callable[[], str]] = {
        "stages": stages.table,
        "formats": formats.table,
        "packages": lambda: rooms.table(ROOT),
    }
    return _BLOCK.sub(lambda block: f"{block[1]}\n{made[block[2]]()}\n\n{block[3]}", text)


if __name__ == "__main__":
    write_pages(ROOT / "docs")
