"""The command `medassay`. Imports wait inside the commands, so that `--help` answers at once."""

import atexit
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

OVER_MAX_FAILED, BAD_INPUT, COULD_NOT_RUN = 1, 2, 3


def run() -> None:
    """Run the command and leave with its exit code.

    The last thing to happen is `os._exit`, after every other exit handler: the interpreter's own teardown lets
    DuckDB's bindings print a page of leak warnings whenever Prefect has kept a frame alive.
    """
    code: list[int] = [0]

    def leave() -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code[0])

    atexit.register(leave)
    try:
        main()
    except SystemExit as end:
        code[0] = end.code if isinstance(end.code, int) else int(end.code is not None)


def stop(message: str, code: int) -> None:
    """Print one clear line a problem and end with the exit code."""
    for line in message.splitlines():
        click.echo(line, err=True)
    raise SystemExit(code)


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn the errors a person can act on into their line and their exit code; never a traceback."""
    from models.entailment.protocol import EntailmentUnavailable, SelfTestFailed
    from models.intake import IntakeError

    from models.chat.endpoint import SpecError
    from models.embedding import EmbedderUnavailable
    from models.registry import ModelMissing, PullFailed, UnknownModel, WrongDigest
    from models.settings import UsageError
    from sql.snapshot import NothingPublished
    from sql.warehouse import WarehouseError
    from tasks.run import BadData, HomeBusy
    from tasks.summary import TooManyFailed

    try:
        yield
    except TooManyFailed as error:
        stop(str(error), OVER_MAX_FAILED)
    except (BadData, IntakeError, UsageError, SpecError) as error:
        stop(str(error), BAD_INPUT)
    except UnknownModel as error:
        stop(str(error), BAD_INPUT)
    except (HomeBusy, WarehouseError, NothingPublished, ModelMissing, WrongDigest, PullFailed) as error:
        stop(str(error), COULD_NOT_RUN)
    except (EmbedderUnavailable, EntailmentUnavailable, SelfTestFailed) as error:
        stop(str(error), COULD_NOT_RUN)
    except KeyboardInterrupt:
        stop("stopped; what was done is kept, and the same command goes on from there", 130)
    except OSError as error:
        stop(f"{error.filename or 'the system'}: {error.strerror or error}", COULD_NOT_RUN)


def share(text: str) -> float:
    """Read `2%` or `0.02`."""
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no share: write 2% or 0.02") from None


def as_json(value: Any) -> str:
    """Write rows for machines; what JSON has no form for becomes text, and NaN never appears."""
    return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="medassay")
def main() -> None:
    """Measure biomedical answers: what they cover, what they get wrong, whether their citations hold."""


@main.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--profile",
    type=click.Choice(["seed", "bioace", "trec"]),
    default="seed",
    show_default=True,
    help="Which definition of the four answer scores.",
)
@click.option(
    "--judge",
    default="auto",
    show_default=True,
    metavar="SPEC",
    help="none | embedded | hf:<id or folder> | <base_url>#<model>; auto: embedded where it is pulled.",
)
@click.option(
    "--llm",
    default="none",
    show_default=True,
    metavar="SPEC",
    help="Model that decomposes answers, in the same form.",
)
@click.option(
    "--embedder", default="embedded", show_default=True, metavar="SPEC", help="Sentence-embedding model."
)
@click.option("--entailment", default="embedded", show_default=True, metavar="SPEC", help="Entailment model.")
@click.option(
    "--matcher",
    type=click.Choice(["combined", "cosine"]),
    default="combined",
    show_default=True,
    help="How claims and nuggets are matched.",
)
@click.option("--threshold", type=float, default=0.75, show_default=True, help="Least score of a match.")
@click.option("--offline", is_flag=True, help="Ask no source outside this machine.")
@click.option(
    "--max-failed",
    type=share,
    default="2%",
    show_default=True,
    metavar="SHARE",
    help="Over this share of failures the run ends with exit code 1.",
)
@click.option(
    "--sort-by",
    default="nugget_coverage",
    show_default=True,
    metavar="METRIC",
    help="Metric that sorts the leaderboard.",
)
@click.option("--run-name", metavar="NAME", help="A name for people.")
@click.option(
    "--dataset", metavar="NAME", help="The data set's name; its folder's or file's name unless given."
)
@click.option("--retry", is_flag=True, help="Ask again for what was not found or abstained.")
@click.option("--no-wait", is_flag=True, help="End with exit code 3 where another run holds the home.")
@click.option("--json", "machine", is_flag=True, help="Print the summary as one JSON object.")
def evaluate(machine: bool, no_wait: bool, data: Path, threshold: float, **chosen: Any) -> None:
    """Evaluate the answers in DATA, a folder or a file, and publish results and a report."""
    from flows.terminal import print_leaderboard, watching

    with clear_errors():
        from models.settings import LOUD_THRESHOLD, Settings

        Settings(str(data), threshold=threshold, **chosen)
        if threshold < LOUD_THRESHOLD:
            click.secho(
                f"WARNING: threshold {threshold} is below {LOUD_THRESHOLD}: "
                "sentences that merely share a topic will count as matches",
                err=True,
                fg="yellow",
                bold=True,
            )
        if not data.exists():
            from tasks.run import BadData

            raise BadData(
                f"{data}: no such file or folder; give a folder with questions.* and answers.*, or one file"
            )
        from flows.engine import prepare_prefect

        prepare_prefect()
        if not machine:
            click.echo("starting Prefect …", err=True)
        from flows.evaluate import evaluate as flow

        with watching():
            summary = flow(data=str(data.resolve()), threshold=threshold, wait=not no_wait, **chosen)
    if machine:
        click.echo(as_json(summary))
        return
    title = f"{summary['dataset']}: {summary['n_answers']} answers to {summary['n_questions']} questions"
    print_leaderboard(summary["leaderboard"], title)
    if summary["n_quarantined"]:
        click.echo(f'{summary["n_quarantined"]} rows in quarantine: medassay query "from quarantine"')
    click.echo(f"report    {summary['report']}")
    click.echo(
        f"results   {Path(summary['snapshot']).parent.parent / 'results.duckdb'}  (run {summary['run_id']})"
    )


@main.command()
@click.argument("run", required=False)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def report(run: str | None, show: bool) -> None:
    """Write the report of RUN, the last finished one unless given, and say where it is."""
    with clear_errors():
        from sql.snapshot import NothingPublished, read_results
        from sql.warehouse import home_folder
        from tasks.publish import write_report

        home = home_folder()
        known = read_results(
            home, "select run_id, name from runs where state = 'finished' order by started_at desc"
        )
        chosen = next((row["run_id"] for row in known if run in (None, row["run_id"], row["name"])), None)
        if chosen is None:
            raise NothingPublished(f'no finished run {run!r} in {home}; see: medassay query "from runs"')
        path = write_report(home, chosen)
        click.echo(path)
        if show:
            click.launch(path.as_uri())


@main.command()
@click.argument("query")
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def query(query: str, machine: bool) -> None:
    """Run QUERY against the published results, read-only."""
    with clear_errors():
        import duckdb

        from sql.snapshot import read_results
        from sql.warehouse import home_folder

        try:
            rows = read_results(home_folder(), query)
        except duckdb.Error as error:
            stop(str(error).strip(), BAD_INPUT)
        if machine:
            click.echo(as_json(rows))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(*(rows[0] if rows else ("no rows",)))
        for row in rows:
            table.add_row(*("–" if value is None else str(value) for value in row.values()))
        Console(width=None if sys.stdout.isatty() else 200, markup=False).print(table)


@main.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Where the verdicts go, a line a pair."
)
@click.option("--entailment", default="embedded", show_default=True, metavar="SPEC", help="Entailment model.")
def entail(pairs: Path, out: Path, entailment: str) -> None:
    """Give every (premise, hypothesis) of PAIRS a label and its three probabilities."""
    with clear_errors():
        from tasks.pairs import entail_file

        for line in entail_file(pairs, out, entailment):
            click.echo(line, err=True)


@main.group()
def models() -> None:
    """The embedded models: list them, pull them, check their digests."""


@models.command("list")
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def models_list(machine: bool) -> None:
    """Show which models there are, what they are for, and which are here."""
    with clear_errors():
        from models.registry import listing

        rows = listing()
        if machine:
            click.echo(as_json([asdict(row) for row in rows]))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table("model", "role", "licence", "size", "here")
        for row in rows:
            where = str(row.path) if row.pulled else "no: medassay models pull " + row.name
            table.add_row(row.name, row.role, row.licence, f"{row.size / 1e6:,.0f} MB", where)
        Console(width=None if sys.stdout.isatty() else 200).print(table)


@models.command("pull")
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Pull every embedded model.")
def models_pull(names: tuple[str, ...], everything: bool) -> None:
    """Fetch models by NAME; without a name, those that an evaluation uses by default."""
    with clear_errors():
        from flows.pulling import pull_models

        pull_models(names, everything)


@models.command("verify")
@click.argument("names", nargs=-1)
def models_verify(names: tuple[str, ...]) -> None:
    """Hash the pulled models again and hold them against their digests."""
    with clear_errors():
        from flows.pulling import verify_models

        if not verify_models(names):
            raise SystemExit(COULD_NOT_RUN)


@main.command()
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def doctor(machine: bool) -> None:
    """Look at this installation and say what works, what does not, and what to do."""
    with clear_errors():
        from flows.doctor import examine

        findings = examine()
        if machine:
            click.echo(as_json([finding.as_dict() for finding in findings]))
        else:
            for finding in findings:
                colour: dict[str, str] = {"ok": "green", "note": "yellow", "broken": "red"}
                click.echo(click.style(f"{finding.state:>6}", fg=colour[finding.state]) + f"  {finding.what}")
        if any(finding.state == "broken" for finding in findings):
            raise SystemExit(COULD_NOT_RUN)
