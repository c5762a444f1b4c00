"""The graph of stages in docs/architecture.md: who reads what whom wrote, from the stages and their views."""

import re
from collections.abc import Iterable
from itertools import combinations

from medassay.sql.views import sources_of
from medassay.tasks.stages.order import STAGES
from medassay.tasks.stages.stage import Stage

SHARED = {"text", "answer_sentence"}
"""Filled by whoever comes first, so that it says nothing of who needs whom."""


def reads(stage: Stage) -> set[str]:
    """Return the tables that a stage's pending items, or its own queries, are read from."""
    return (sources_of(f"{stage.name}_pending") | set(stage.reads)) - SHARED


def edges() -> list[tuple[Stage, Stage, list[str]]]:
    """Return (earlier stage, later stage, the tables that the later one reads of the earlier one).

    A table is the first stage's that fills it.
    """
    owner = {name: stage for stage in reversed(STAGES) for name in stage.writes}
    read = {stage.name: reads(stage) for stage in STAGES}
    return [
        (a, b, shared)
        for a, b in combinations(STAGES, 2)
        if (shared := sorted(name for name in read[b.name] if owner.get(name) is a))
    ]


def diagram() -> str:
    """Return the graph as a Mermaid flow chart."""
    first = {stage.name for stage in STAGES} - {b.name for _, b, _ in edges()}
    starts = " & ".join(stage.name for stage in STAGES if stage.name in first)
    lines = ["```mermaid", "flowchart TD", f"    data[(data)] --> ingest --> validate --> {starts}"]
    lines += [f'    {stage.name}["<b>{stage.name}</b><br/>{"<br/>".join(stage.writes)}"]' for stage in STAGES]
    lines += [f"    {a.name} --> {b.name}" for a, b, _ in direct(edges())]
    last = {stage.name for stage in STAGES} - {a.name for a, _, _ in edges()}
    lines.append(f"    {' & '.join(stage.name for stage in STAGES if stage.name in last)} --> aggregate")
    lines.append("    aggregate --> marts[(marts)] --> publish --> results[(results.duckdb)]")
    return "\n".join([*lines, "```"])


def direct(found: list[tuple[Stage, Stage, list[str]]]) -> Iterable[tuple[Stage, Stage, list[str]]]:
    """Leave out edges that a longer path implies."""
    pairs = {(a.name, b.name) for a, b, _ in found}
    implied = {(a, c) for a, b in pairs for b_, c in pairs if b == b_}
    return [edge for edge in found if (edge[0].name, edge[1].name) not in implied]


def table() -> str:
    """Return a row a stage: what it does, what it reads of other stages, what it fills, where its code is."""
    lines = ["| stage | what it does | reads | fills | code |", "|---|---|---|---|---|"]
    found = edges()
    for stage in STAGES:
        of_others = sorted({f"`{name}`" for _, b, names in found if b is stage for name in names})
        does = re.sub(r"\s+", " ", stage.work.__doc__ or "").strip()
        code = stage.work.__module__.removeprefix("medassay.").replace(".", "/")
        fills = ", ".join(f"`{name}`" for name in stage.writes)
        lines.append(f"| `{stage.name}` | {does} | {', '.join(of_others)} | {fills} | `{code}.py` |")
    return "\n".join(lines)
