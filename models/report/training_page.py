"""HTML page of a judge training: table, curves, introspection rounds."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any

from medassay.models.atomic_files import written_whole
from medassay.models.report.line_chart import Axes, Point, line_chart

COLUMNS = {
    "judge": "judge",
    "format_valid": "valid",
    "accuracy_2tuple": "2-tuple",
    "accuracy_triple": "triple",
    "accuracy_untied": "untied pairs",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "icc": "ICC(2,1)",
}
LEGEND = (
    "valid: share of replies that give points; 2-tuple, triple: share of pairs and triples of answers put in people's"
    " order, ties included; untied: of the pairs that people do not tie."
)


def write_training_page(path: Path, found: Mapping[str, Any]) -> Path:
    """Write the page of a training's table (`table.json`) and card; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(training_page(found))
    return path


def training_page(found: Mapping[str, Any]) -> str:
    """Return the page as HTML."""
    from jinja2 import Environment, StrictUndefined

    written = files("medassay.models.report").joinpath("assets", "training.html.j2").read_text("utf-8")
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    rows = {row["checkpoint"]: row for row in found["table"] if row["checkpoint"]}
    more = {one["ablation"]: one for one in found["ablations"]}
    # What the judge has over each ablation, and that they were trained for as many steps.
    compared = [(name, rows[name], more.get(name)) for name in (found["judge"], *more)] if more else []
    return str(
        page.from_string(written).render(
            found,
            columns=COLUMNS,
            legend=LEGEND,
            compared=compared,
            losses=_losses(found["courses"]),
            accuracies=_accuracies(found),
        )
    )


def _losses(courses: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Draw the loss over all steps of a training, one line for the judge and one for each ablation."""
    lines: dict[str, list[Point]] = {}
    for name, stages in courses.items():
        begun = _beginnings(stages)
        lines[name if lines else "the judge"] = [
            Point(start + step, loss)
            for start, stage in zip(begun, stages, strict=True)
            for step, loss in stage["losses"]
        ]
    judge = next(iter(courses.values()), [])
    marks = [(start, stage["stage"]) for start, stage in zip(_beginnings(judge), judge, strict=True)]
    return line_chart(lines, Axes("step", "loss, logarithmic", logarithmic=True), marks=marks)


def _beginnings(stages: Sequence[Mapping[str, Any]]) -> list[int]:
    return [0, *accumulate(stage["n_steps"] for stage in stages)][:-1]


def _accuracies(found: Mapping[str, Any]) -> str:
    left_out = {one["ablation"] for one in found["ablations"]}
    rows = [row for row in found["table"] if row["checkpoint"] and row["checkpoint"] not in left_out]
    lines = {
        name: [
            Point(n, row[key], row.get(f"{key}_low"), row.get(f"{key}_high"))
            for n, row in enumerate(rows)
            if row[key] is not None
        ]
        for key, name in (
            ("format_valid", "valid replies"),
            ("accuracy_2tuple", "2-tuple"),
            ("accuracy_triple", "triple"),
        )
    }
    levels = {
        f"commonest order, {what}": found[key]
        for key, what in (("majority_2tuple", "2-tuple"), ("majority_triple", "triple"))
        if found[key] is not None
    }
    names = [row["checkpoint"] for row in rows]
    axes = Axes("checkpoint", "share, with 95 % intervals", names, top=1.0)
    return line_chart(lines, axes, levels=levels)
