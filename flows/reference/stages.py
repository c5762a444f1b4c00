"""Graph of stages (docs/stages.svg) and their table, derived from the stages and their views."""

import re
from collections.abc import Iterable
from itertools import combinations, pairwise

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


_WIDTH, _BOX, _LINE, _GAP = 1000, 120, 15, 40
"""Of the drawing and its boxes, in pixels; a line of text, and what lies between two rows of boxes."""


def diagram() -> str:
    """Return the graph as an SVG drawing: a row of boxes for every distance from the data."""
    arrows = [(a.name, b.name) for a, b, _ in direct(edges())]
    before, after = {b for _, b in arrows}, {a for a, _ in arrows}
    arrows += [("validate", stage.name) for stage in STAGES if stage.name not in before]
    arrows += [(stage.name, "aggregate") for stage in STAGES if stage.name not in after]
    chain = ("data", "ingest", "validate"), ("aggregate", "publish", "results.duckdb")
    arrows += [pair for names in chain for pair in pairwise(names)]
    tables = {stage.name: stage.writes for stage in STAGES}
    row_of: dict[str, int] = {"data": 0}
    order = [*chain[0], *tables, *chain[1]]
    for name in order[1:]:
        row_of[name] = 1 + max(row_of[a] for a, b in arrows if b == name)
    last = row_of["aggregate"] - 1
    row_of |= {stage.name: last for stage in STAGES if stage.name not in after}
    rows = [[name for name in order if row_of[name] == row] for row in range(max(row_of.values()) + 1)]
    boxes: dict[str, tuple[int, int, int]] = {}
    y = _GAP // 2
    for row in rows:
        height = _LINE * (2 + max(len(tables.get(name, ())) for name in row))
        for place, name in enumerate(row, start=1):
            boxes[name] = _WIDTH * place // (len(row) + 1), y, height
        y += height + _GAP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" font-family="sans-serif">',
            '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>',
            f'<rect width="{_WIDTH}" height="{y}" fill="#fff"/>',
            *(_arrow(boxes[a], boxes[b]) for a, b in arrows),
            *(_box(name, tables.get(name, ()), *boxes[name]) for name in order),
            "</svg>\n",
        ]
    )


def _arrow(start: tuple[int, int, int], end: tuple[int, int, int]) -> str:
    (x1, top, height), (x2, y2, _) = start, end
    y1 = top + height
    bend = (y2 - y1) // 2
    path = f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"
    return f'<path d="{path}" fill="none" stroke="#666" marker-end="url(#end)"/>'


def _box(name: str, tables: tuple[str, ...], x: int, y: int, height: int) -> str:
    texts = [
        f'<text x="{x}" y="{y + _LINE + 4}" text-anchor="middle" font-size="13" font-weight="bold">{name}</text>'
    ]
    texts += [
        f'<text x="{x}" y="{y + _LINE * (line + 2) + 2}" text-anchor="middle" font-size="11" fill="#444">{table}</text>'
        for line, table in enumerate(tables)
    ]
    shape = f'<rect x="{x - _BOX // 2}" y="{y}" width="{_BOX}" height="{height}" rx="4" fill="#eef3f8" stroke="#456"/>'
    return shape + "".join(texts)


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
