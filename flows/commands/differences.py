"""`medassay diff`: what changed between two runs, and what changed it."""

import click

from medassay.flows.commands.exit_codes import as_json, clear_errors


@click.command()
@click.argument("run_a")
@click.argument("run_b")
@click.option(
    "--metric", "metrics", multiple=True, metavar="METRIC", help="Only this metric; may be repeated."
)
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Only this system; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Print every changed score, not only the largest.")
@click.option("--no-wait", is_flag=True, help="End with exit code 3 where a run holds the home.")
@click.option("--json", "machine", is_flag=True, help="Print everything as one JSON object.")
def diff(
    run_a: str,
    run_b: str,
    metrics: tuple[str, ...],
    systems: tuple[str, ...],
    everything: bool,
    no_wait: bool,
    machine: bool,
) -> None:
    """Attribute every score that changed from RUN_A to RUN_B (ids or names; `last`) to what differs between them.

    RUN_A's ingredients are replaced by RUN_B's one after another, in this order: answer, nuggets, evidence, embedding
    model, entailment model, language model, judge, prompt, weights, profile, stage version. A step that would need a
    model call is not computed; what the steps do not tell apart is the interaction. The parts add up to the change.
    """
    with clear_errors():
        from dataclasses import asdict

        from medassay.flows.commands.nuggets import refuse_no_home
        from medassay.sql.home import home_folder
        from medassay.tasks.comparing.attribution import diff_runs

        refuse_no_home()
        found = diff_runs(home_folder(), run_a, run_b, metrics, systems, wait=not no_wait)
        if machine:
            click.echo(as_json(asdict(found)))
            return
        from medassay.flows.terminal.differences import print_differences

        print_differences(found, everything)
