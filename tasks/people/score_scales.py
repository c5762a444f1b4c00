"""Landed human scores that lie outside the scale of their metric, found over all rows of the data."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from medassay.models.counting import counted
from medassay.models.people.missing_codes import Given, Outside, outside
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.progress import watcher

OUTSIDE = "the score lies outside its scale"
ADVICE = "leave the cell empty where nobody scored, or name the scale in a column scale (0 to 100)"


@dataclass(frozen=True, slots=True)
class Stray:
    """A landed row that is left out, and what was seen in it."""

    row: Row
    observed: str


def stray_scores(warehouse: Warehouse) -> list[Stray]:
    """Find scores that are codes for none, and say of each metric in one line which values they are.

    Rows that name their scale are held against that alone, by the rules of rows.
    """
    rows = warehouse.rows(statement("statements/people/score_scales/landed_scores"))
    by_metric: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_metric[row["metric"]].append(row)
    found = []
    for metric, own in by_metric.items():
        strange = outside([Given((r["question_id"], r["system"]), r["annotator"], r["score"]) for r in own])
        for line in _told(metric, strange):
            watcher().say(line)
        scale = f"scores from {strange.low:g} to {strange.high:g}"
        found += [
            Stray(row, f"{metric} is {row['score']:g} among {scale}")
            for row in own
            if row["score"] in strange.left_out
        ]
    return found


def _told(metric: str, found: Outside) -> list[str]:
    others = f"beside scores from {found.low:g} to {found.high:g}"
    told = []
    if found.left_out:
        n = sum(found.left_out.values())
        told.append(
            f"human scores: {counted(n, 'score')} of {metric} outside the scale and left out: {_values(found.left_out)}"
            f" {others}; {ADVICE}"
        )
    if found.doubts:
        told.append(
            f"human scores: {metric} has {_values(found.doubts)} {others}, which may mean that nobody scored, and"
            " counts as a score; leave the cell empty if so, or name the scale in a column scale (0 to 5)"
        )
    return told


def _values(counts: Mapping[float, int]) -> str:
    return ", ".join(f"{value:g}" + (f" ({n} times)" if n > 1 else "") for value, n in sorted(counts.items()))
