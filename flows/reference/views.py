"""docs/views.md: views and columns with the comments of the published file."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import close_warehouse, warehouse_at

HEAD = """# Views

Every view of `results.duckdb`, and what each column means; written by `make docs` from the comments in the file
itself (`select * from duckdb_columns()` shows them too). Ratios are 0 to 1 unless a column says otherwise, and a
NULL has its reason beside it.
"""


def page() -> str:
    """Write the page from the comments of an empty warehouse's published file."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        publish(warehouse_at(home), home, "empty")
        views = read_results(
            home, "select view_name, comment from duckdb_views() where not internal order by view_name"
        )
        columns = read_results(
            home,
            "select col.table_name, col.column_name, col.data_type, col.comment from duckdb_columns() as col"
            " join duckdb_views() as view on view.view_oid = col.table_oid order by col.table_name, col.column_index",
        )
        close_warehouse(home)
    return HEAD + "\n".join(section(view, columns) for view in views)


def section(view: dict[str, Any], columns: list[dict[str, Any]]) -> str:
    """Write one view's heading, its sentence and the table of its columns."""
    rows = [
        f"| `{c['column_name']}` | {c['data_type'].lower()} | {c['comment']} |"
        for c in columns
        if c["table_name"] == view["view_name"]
    ]
    return "\n".join(
        [
            f"\n## {view['view_name']}\n",
            view["comment"],
            "\n| column | type | meaning |\n|---|---|---|",
            *rows,
        ]
    )


if __name__ == "__main__":
    print(page())
