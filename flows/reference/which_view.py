"""docs/which_view.md: which view answers which question, what its rows are of, and how views hang together."""

import re

from medassay.sql.view_map import CORE, Mapped, view_map
from medassay.sql.warehouse import statement

HEAD = """# Which view for which question

The twelve views that most questions need, then the others that have a key of their own; written by `make docs` from
`sql/view_map.json`, whose keys and relations a test holds against published results. Columns are in
[views.md](views.md), ready questions in `examples/questions`.

`leaderboard` and the others hold every run: `where run_id = (select run_id from latest_run)` takes the newest, and
`medassay query leaderboard` shows that one (`--run NAME`, or `--run all`).
"""
TREE = """
## How they hang together

A view's rows are of the rows of the view above it, joined by that one's key.

```
"""
_GRAIN = re.compile(r"^-- (One row [^\n]*?)[.;]?\n", re.MULTILINE)


def page() -> str:
    """Write the page."""
    mapped = list(view_map().values())
    return (
        HEAD
        + "\n## Twelve to begin with\n\n"
        + table(mapped[:CORE])
        + "\n## The others\n\n"
        + table(mapped[CORE:])
        + TREE
        + "\n".join(tree(None))
        + "\n```\n"
    )


def table(views: list[Mapped]) -> str:
    """Write a row a question."""
    rows = [
        f"| {question} | `{mapped.view}` | {grain(mapped.view)} | {', '.join(f'`{key}`' for key in mapped.keys)} |"
        for mapped in views
        for question in mapped.asks
    ]
    return "\n".join(["| question | view | grain | key |", "|---|---|---|---|", *rows, ""])


def grain(view: str) -> str:
    """Return what a row is of, from the head of the view's file."""
    found = _GRAIN.search(statement(f"marts/{view}"))
    return found[1].split("; ")[0] if found else ""


def tree(parent: str | None, depth: int = 0) -> list[str]:
    """Return the views below one, each with what its key adds."""
    lines = []
    for mapped in view_map().values():
        if mapped.of == parent:
            above = view_map()[parent].keys if parent else ()
            own = [key for key in mapped.keys if key not in above]
            lines.append(
                f"{'    ' * depth}{mapped.view}{' + ' if own and parent else ' ' if own else ''}{', '.join(own)}"
            )
            lines += tree(mapped.view, depth + 1)
    return lines


if __name__ == "__main__":
    print(page())
