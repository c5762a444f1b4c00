"""The map of packages in docs/architecture.md, from their docstrings."""

import ast
from pathlib import Path

NOT_SHIPPED = {"tests", "benchmarks", "deployments", "examples"}


def table(root: Path) -> str:
    """Return a row a package below a checkout: its path and the first line of its docstring."""
    shipped = (
        file for file in root.glob("*/**/__init__.py") if file.relative_to(root).parts[0] not in NOT_SHIPPED
    )
    lines = ["| package | what is in it |", "|---|---|"]
    for file in sorted(shipped):
        if not file.relative_to(root).parts[0].startswith("."):
            words = (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n")[0]
            lines.append(f"| `{file.parent.relative_to(root)}` | {words} |")
    return "\n".join(lines)
