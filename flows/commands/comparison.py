"""`medassay compare` and `medassay agree`: which system is better, and whether people agree with the numbers."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from medassay.flows.alerts import alerting
from medassay.flows.commands.answering import CITE, GIVEN, SYSTEM, TEMPERATURE, TOKENS, limits_of
from medassay.flows.commands.choices import MACHINE, GroupedCommand, evaluating, with_options
from medassay.flows.commands.exit_codes import clear_errors
from medassay.flows.commands.run_flow import found_data, run_flow
from medassay.flows.commands.run_output import show_leaderboard, show_notices, show_places, told


class Comparison(GroupedCommand):
    """The command `compare`, which says where two runs are compared."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse two names in place of DATA with the command that takes them."""
        if len(args) >= 2 and not any(one.startswith("-") or Path(one).exists() for one in args[:2]):
            raise click.UsageError(
                f"compare evaluates one folder or file of DATA; two runs are held against each other by:"
                f" medassay diff {args[0]} {args[1]}",
                ctx,
            )
        return super().parse_args(ctx, args)


REGRESSION, CONTRADICTION = "regression", "newly-contradicted"
BY_THE_FLOW = {"fail_on_regression": False, "fail_on_contradiction": False}
"""What the command itself decides, after it has shown what came out."""


@click.command(cls=Comparison)
@evaluating
@click.option(
    "--baseline",
    metavar="RUN",
    help="Run to hold this one against: its id, its name, or `last`. What --fail-on names ends with exit code 1.",
)
@click.option(
    "--fail-on",
    type=click.Choice([REGRESSION, CONTRADICTION, "nothing"]),
    multiple=True,
    default=[REGRESSION, CONTRADICTION],
    show_default=True,
    help="With --baseline: a primary metric that fell beyond its interval; a nugget that an answer turns around now and"
    " did not before. May be repeated.",
)
@with_options(SYSTEM, TEMPERATURE, TOKENS, CITE, GIVEN)
@click.option(
    "--max-age",
    type=float,
    default=12.0,
    show_default=True,
    metavar="HOURS",
    help="With --system: ask anew where the kept answer is older than this.",
)
@click.option(
    "--anchor",
    metavar="RUN",
    help="Finished run whose answers the judge marks again, to see whether it has drifted.",
)
@click.option(
    "--anchor-answers",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="Most of them to mark again.",
)
@MACHINE
def compare(machine: bool, no_wait: bool, data: Path, fail_on: tuple[str, ...], **chosen: Any) -> None:
    """Evaluate the answers in DATA and say which system is better, and by how much more than chance.

    With --system, the questions in DATA are put to systems first, so that today's models are measured.
    """
    with clear_errors(), alerting(f"comparison of {data} ended red") as alert:
        from medassay.models.answering.systems import Sampling, check_sampling, parse_systems
        from medassay.sql.home import home_folder
        from medassay.tasks.answering.answers import refuse_unpriced
        from medassay.tasks.comparing.grid import refuse_unknown_runs

        # The flow asks all this as well; here nobody waits for Prefect to hear it.
        sampling = Sampling(chosen["temperature"], tokens=chosen["answer_tokens"], cite=chosen["cite"])
        check_sampling(sampling)
        limits = limits_of(chosen)
        if chosen["systems"]:
            refuse_unpriced(parse_systems(chosen["systems"], sampling), home_folder(), limits)
        refuse_unknown_runs(home_folder(), chosen["baseline"], chosen["anchor"])
        chosen["systems"] = list(chosen["systems"])
        summary = told(
            lambda: run_flow(
                "compare",
                machine,
                no_wait,
                data,
                {**chosen, **BY_THE_FLOW},
            ),
            machine,
            partial(show_comparison, baseline=chosen["baseline"]),
        )
        alert.know(summary)
        if summary["baseline"]:
            from medassay.tasks.comparing.regressions import Change, refuse_regressions

            refuse_regressions(
                [Change(**row) for row in summary["changes"]] if REGRESSION in fail_on else [],
                summary["run_id"],
                summary["baseline"],
                summary["newly_contradicted"] if CONTRADICTION in fail_on else [],
            )


def show_comparison(summary: dict[str, Any], baseline: str | None) -> None:
    """Print metrics, who is better than whom, what that leaves out, and what changed since the `baseline` asked for."""
    from medassay.flows.terminal.tables import (
        print_asked,
        print_changes,
        print_comparisons,
        print_drift,
        print_preferences,
    )

    if summary["asked"]:
        print_asked(summary["asked"])
    show_leaderboard(summary)
    print_comparisons(summary["comparisons"])
    if summary["preferences"]:
        print_preferences(summary["preferences"])
    if baseline and not summary["baseline"]:
        click.echo("no run of this data set before this one: there is nothing to hold it against")
    if summary["baseline"]:
        print_changes(summary["changes"], summary["baseline"])
    if summary["drift"]:
        print_drift(summary["drift"])
    show_notices(summary)
    show_places(summary)


@click.command(cls=GroupedCommand)
@evaluating
@click.option(
    "--every", is_flag=True, help="Print every metric, level and measure against every human score."
)
@click.option(
    "--reference",
    default="reference",
    show_default=True,
    metavar="AUTHOR",
    help="Whose rationales in rationales.* the others are held against.",
)
@click.option(
    "--bertscore",
    default="embedded",
    show_default=True,
    metavar="SPEC",
    help="Encoder for BERTScore of rationales: none | embedded | hf:<id or folder>.",
)
@click.option(
    "--bartscore",
    default="none",
    show_default=True,
    metavar="SPEC",
    help="Model for BARTScore of rationales: none | hf:<id or folder>.",
)
@MACHINE
def agree(machine: bool, no_wait: bool, data: Path, every: bool, **chosen: Any) -> None:
    """Evaluate the answers in DATA and say how far the scores agree with the human ones that lie beside them."""
    with clear_errors():
        from medassay.models.rationales.loading import refuse_unknown
        from medassay.sql.home import home_folder
        from medassay.tasks.people.opinions import refuse_silence

        refuse_unknown(chosen["bertscore"], chosen["bartscore"])
        # The flow asks this as well; here nobody waits for Prefect to hear it.
        refuse_silence(home_folder(), found_data(data), chosen["dataset"], wait=not no_wait)
        told(
            lambda: run_flow("agree", machine, no_wait, data, chosen),
            machine,
            partial(show_agreement, every=every, profile=chosen["profile"]),
        )


def show_agreement(summary: dict[str, Any], every: bool, profile: str) -> None:
    """Print how far the scores agree with people's, and what that leaves out."""
    from medassay.flows.terminal.agreement import cost_line, print_agreement

    print_agreement(summary["agreement"], every, profile)
    if summary.get("took"):
        print(cost_line(summary["took"]))
    if summary.get("judge_table"):
        from medassay.flows.terminal.training import print_compared

        print_compared(summary["judge_table"])
    show_notices(summary)
    show_places(summary)
