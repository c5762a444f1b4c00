"""`medassay gate`: hold a run against rules, bounds and a committed baseline, for CI."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from medassay.flows.alerts import alerting
from medassay.flows.commands.choices import NO_WAIT, GroupedCommand, settings_options, with_options
from medassay.flows.commands.exit_codes import BAD_INPUT, clear_errors, stop

if TYPE_CHECKING:
    from medassay.models.gate.record import GateRecord

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(cls=GroupedCommand)
@click.argument("target", metavar="RUN|DATA")
@click.option(
    "-c",
    "--config",
    type=FILE,
    default="medassay.toml",
    show_default=True,
    help="TOML file with the table [gate]; see docs/gate.md.",
)
@click.option(
    "--baseline", type=FILE, help="Baseline to hold the run against; before `file` in [gate.baseline]."
)
@click.option("--write-baseline", "writes_baseline", is_flag=True, help="Write the baseline from this run.")
@click.option(
    "--allow-other-baseline",
    "allows_other",
    is_flag=True,
    help="Compare with a baseline that was made with other options or models, too.",
)
@click.option(
    "--record",
    "record_file",
    type=FILE,
    help="Where the record goes as JSON; gate.json in the home unless given.",
)
@click.option(
    "--junit", type=FILE, help="Write JUnit XML: a test case a question and system, and one a check."
)
@click.option(
    "--summary",
    "summary_file",
    type=FILE,
    help="Write Markdown; $GITHUB_STEP_SUMMARY is added to, others are replaced.",
)
@click.option("--sarif", type=FILE, help="Write SARIF 2.1.0: a result at each claim that breaks a rule.")
@with_options(*settings_options(), NO_WAIT)
@click.option("--json", "machine", is_flag=True, help="Print the record as one JSON object.")
@click.pass_context
def gate(
    context: click.Context,
    /,
    target: str,
    config: Path,
    baseline: Path | None,
    writes_baseline: bool,
    allows_other: bool,
    record_file: Path | None,
    junit: Path | None,
    summary_file: Path | None,
    sarif: Path | None,
    machine: bool,
    no_wait: bool,
    **chosen: Any,
) -> None:
    """Evaluate DATA, or take the finished RUN (an id, a name or `last`), and hold it against the gate in CONFIG.

    Exit code 0: passed; 1: a rule or bound is broken; 2: could not be held, such as by a wrong configuration; 3: the
    evaluation could not run; 4: insufficient evidence to say so.
    """
    with clear_errors(), alerting(f"gate of {target} ended red") as alert:
        from medassay.flows.terminal.gate import print_gate
        from medassay.models.gate.baseline import read_baseline
        from medassay.models.gate.config import read_config
        from medassay.sql.home import home_folder
        from medassay.tasks.gating import RECORD, gate_home

        gate_config = read_config(config)
        if baseline and not writes_baseline:
            read_baseline(baseline)  # before anything is paid
        run_id, failed = found_run(context, target, machine, no_wait, chosen)
        home = home_folder()
        record = gate_home(
            home,
            run_id,
            gate_config,
            str(config),
            baseline,
            record=record_file,
            writes_baseline=writes_baseline,
            allows_other=allows_other,
            failed=failed,
        )
        write_outputs(record, junit, summary_file, sarif)
        if machine:
            click.echo(record.model_dump_json())
        else:
            print_gate(record)
            click.echo(f"record    {record_file or home / RECORD}")
        if os.environ.get("GITHUB_ACTIONS") == "true":
            from medassay.models.gate.annotations import annotations

            for line in annotations(record):
                click.echo(line, err=machine)
        if record.exit_code:
            alert.changed = [
                {
                    "question_id": answer.question_id,
                    "system": answer.system,
                    "rule": one.rule,
                    "what": one.message,
                }
                for answer in record.answers
                for one in answer.findings
            ]
            alert.post(f"gate of {target}: {record.verdict.replace('_', ' ')}", "\n".join(record.lines()))
            raise SystemExit(record.exit_code)


def found_run(
    context: click.Context, target: str, machine: bool, no_wait: bool, chosen: dict[str, Any]
) -> tuple[str, str | None]:
    """Evaluate data, or find the finished run of this name; return its id, and why it ended red.

    Raises:
        UsageError: where options of an evaluation stand beside a finished run.
    """
    from medassay.flows.commands.evaluation import show
    from medassay.flows.commands.run_flow import run_flow
    from medassay.models.settings import OPTIONS
    from medassay.models.usage import UsageError
    from medassay.sql.home import home_folder
    from medassay.tasks.comparing.grid import LAST, finished_runs
    from medassay.tasks.summary import summary_and_failure

    if Path(target).exists():
        summary, over = summary_and_failure(
            lambda: run_flow("evaluate", machine, no_wait, Path(target), chosen)
        )
        if not machine:
            show(summary)
        return summary["run_id"], str(over) if over else None
    runs = finished_runs(home_folder())
    for row in runs:
        if target in (row["run_id"], row["name"], LAST):
            for option in context.command.params:
                given = context.get_parameter_source(option.name or "")
                if option.name in OPTIONS and given is click.core.ParameterSource.COMMANDLINE:
                    raise UsageError(
                        f"{option.opts[0]}: run {row['run_id']} is finished; to choose it, give its DATA"
                    )
            return row["run_id"], None
    known = ", ".join(row["run_id"] for row in runs[:5]) or "none"
    stop(f"{target}: neither a file or folder nor a finished run; the latest runs are: {known}", BAD_INPUT)


def write_outputs(record: "GateRecord", junit: Path | None, summary: Path | None, sarif: Path | None) -> None:
    """Write what is made of the record."""
    if junit:
        from medassay.models.gate.junit import junit_xml

        junit.write_text(junit_xml(record), encoding="utf-8")
    if sarif:
        from medassay.models.gate.sarif import sarif as as_sarif

        sarif.write_text(as_sarif(record), encoding="utf-8")
    if summary:
        from medassay.models.gate.markdown import MOST_BYTES, markdown

        # A step's own summary holds what its other commands wrote.
        is_step = str(summary) == os.environ.get("GITHUB_STEP_SUMMARY")
        taken = summary.stat().st_size if is_step and summary.exists() else 0
        with summary.open("a" if is_step else "w", encoding="utf-8") as file:
            file.write(markdown(record, max(1_000, MOST_BYTES - taken)))
