"""`medassay calibrate`."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors

if TYPE_CHECKING:
    from medassay.tasks.judging.calibrating import Calibrated


@click.command()
@click.argument("human_scores", type=click.Path(path_type=Path))
@click.option(
    "--run", "named", metavar="RUN", help="Run to correct, by id or name; the last one unless given."
)
@click.option(
    "--map",
    "kind",
    type=click.Choice(["isotonic", "linear"]),
    default="isotonic",
    show_default=True,
    help="How marks become human scores: a line that never falls, or a straight one.",
)
@click.option(
    "--scale",
    nargs=2,
    type=float,
    metavar="LOW HIGH",
    help="What people could give; 0–1, 0–5, 0–10 or 0–100, as their scores show, unless given.",
)
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def calibrate(
    human_scores: Path,
    named: str | None,
    kind: Literal["isotonic", "linear"],
    scale: tuple[float, float] | None,
    machine: bool,
) -> None:
    """Put the judge's marks on the scale of the people who scored some of the answers in HUMAN_SCORES.

    HUMAN_SCORES holds question_id, system, metric (rubric_score or a sub-metric), score, perhaps annotator and role,
    named as `evaluate` reads them; rows without a role count as tune here, where something is fitted, and answers with
    a row of role test are left out; `evaluate` and `agree` want a role in every row. 50 answers of a metric are the
    least, drawn at random, 20 of each system for a mean of all. Raw and corrected means stand side by side, and what
    of the file was not used below them (in --json: `notes` of each object).
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.people.scales import Scale
        from medassay.models.usage import UsageError
        from medassay.sql.home import home_folder
        from medassay.tasks.judging.calibrating import calibrate_run

        given = Scale(*scale) if scale else None
        if given and not -math.inf < given.low < given.high < math.inf:
            raise UsageError(
                f"--scale {given.low:g} {given.high:g}: name two numbers, the least first, as --scale 1 5"
            )
        with held_home("calibrate", made=False) as warehouse:
            found = calibrate_run(warehouse, home_folder(), human_scores, named, kind, given)
        if machine:
            click.echo(as_json(found.as_rows()))
            return
        show(found)


def show(found: "Calibrated") -> None:
    """Print raw and corrected means, how good the map is on answers it has not seen, and what was left out."""
    from medassay.flows.terminal.tables import number, print_table, span
    from medassay.models.report.calibrations import ALL, reasons, spoken, worth

    columns = ("metric", "system", "answers", "labels", "judge's mean", "corrected", "95 %")
    rows = [
        [
            spoken(row["metric"]),
            row["system"] or ALL,
            str(row["n_answers"]),
            str(row["n_labels"]),
            number(row["raw"]),
            number(row["corrected"]),
            span(row, ".2f"),
        ]
        for row in found.rows
    ]
    print_table(f"Run {found.run_id}: marks, and what people would give", columns, rows, left=2)
    for line in [
        *(worth(row) for row in found.rows if row["system"] is None),
        *reasons(found.rows),
        *(note.text for note in found.notes),
        "the corrected mean is on the scale of the human scores, if the labelled answers were drawn at random",
    ]:
        click.echo(f"  {line}")
    click.echo(f"results   {found.snapshot} (view calibrations; a new `medassay report` shows them)")
