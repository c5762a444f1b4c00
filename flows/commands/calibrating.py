"""`medassay calibrate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from flows.commands.leaving import as_json, clear_errors
from models.counting import counted

if TYPE_CHECKING:
    from tasks.judging.calibrating import Calibrated


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
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def calibrate(
    human_scores: Path, named: str | None, kind: Literal["isotonic", "linear"], machine: bool
) -> None:
    """Put the judge's marks on the scale of the people who scored some of the answers in HUMAN_SCORES.

    HUMAN_SCORES holds question_id, system, metric (rubric_score or a sub-metric), score, perhaps annotator and role;
    rows without a role count as tune here, where something is fitted, and rows of role test are left out; `evaluate`
    and `agree` want a role in every row. 50 answers of a metric are the least, drawn at random. Raw and corrected
    means stand side by side.
    """
    with clear_errors():
        from flows.commands.sources import held_home
        from sql.warehouse import home_folder
        from tasks.judging.calibrating import calibrate_run

        with held_home("calibrate", made=False) as warehouse:
            found = calibrate_run(warehouse, home_folder(), human_scores, named, kind)
        if machine:
            click.echo(as_json(found.rows))
            return
        show(found)


def show(found: "Calibrated") -> None:
    """Print raw and corrected means, and how good the correction is on answers it has not seen."""
    from flows.terminal_tables import number, print_table, span

    columns = ("metric", "system", "answers", "labels", "judge's mean", "corrected", "95 %")
    rows = [
        [
            row["metric"].replace("_", " "),
            row["system"] or "all systems",
            str(row["n_answers"]),
            str(row["n_labels"]),
            number(row["raw"]),
            number(row["corrected"]),
            span(row, ".2f"),
        ]
        for row in found.rows
    ]
    print_table(f"Run {found.run_id}: marks, and what people would give", columns, rows, left=2)
    for row in found.rows:
        if row["system"] is None:
            click.echo(
                f"  {row['metric'].replace('_', ' ')}: off by {number(row['error'])} on questions it was not fitted "
                f"on ({row['map']}), {number(row['error_of_the_mean'])} by always giving the mean; "
                f"the map removes {number(row['skill'], '.0%')} of the error"
            )
    for reason in sorted({row["reason"] for row in found.rows if row["reason"]}):
        click.echo(f"  {reason}")
    if found.ignored:
        click.echo(
            f"  not used: {counted(found.ignored, 'row')} of another metric or target, or of role test"
        )
    click.echo(
        "  the corrected mean is on the scale of the human scores, if the labelled answers were drawn at random"
    )
    click.echo(f"results   {found.snapshot} (view calibrations)")
