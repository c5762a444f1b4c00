"""`medassay evaluate`."""

from pathlib import Path
from typing import Any

import click

from flows.commands.leaving import as_json, clear_errors, share


@click.command()
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
    "judges",
    multiple=True,
    metavar="SPEC",
    help="none | embedded | hf:<id or folder> | <base_url>#<model>; several, or one with commas, are a panel."
    "  [default: embedded where it is pulled]",
)
@click.option(
    "--samples", type=int, default=1, show_default=True, help="How often the judge is asked about an answer."
)
@click.option(
    "--listwise", is_flag=True, help="Have the judge compare a question's answers side by side too."
)
@click.option(
    "--phi",
    type=click.Choice(["block", "redact", "allow"]),
    default="block",
    show_default=True,
    help="Where something that may name a patient would leave this machine.",
)
@click.option("--max-calls", type=int, help="Stop cleanly at this many calls to models.")
@click.option("--max-tokens", type=int, help="Stop cleanly at this many tokens.")
@click.option("--max-money", type=float, help="Stop cleanly at this much money; needs prices.")
@click.option(
    "--prices",
    type=click.Path(path_type=str),
    help="Price file, by model; prices.json in the home unless given.",
)
@click.option(
    "--llm",
    default="none",
    show_default=True,
    metavar="SPEC",
    help="Model that decomposes answers, makes and assigns nuggets, in the same form.",
)
@click.option(
    "--embedder", default="embedded", show_default=True, metavar="SPEC", help="Sentence-embedding model."
)
@click.option(
    "--entailment",
    default="embedded",
    show_default=True,
    metavar="SPEC",
    help="Entailment model: embedded | none | hf:<id or folder> | <base_url>#<model>.",
)
@click.option(
    "--entail-on",
    type=click.Choice(["here", "gpu"]),
    default="here",
    show_default=True,
    help="Read pairs here, or on the workers of the work pool `gpu`.",
)
@click.option(
    "--matcher",
    type=click.Choice(["combined", "cosine"]),
    default="combined",
    show_default=True,
    help="How claims and nuggets are matched.",
)
@click.option("--threshold", type=float, default=0.75, show_default=True, help="Least score of a match.")
@click.option(
    "--supports-at",
    type=float,
    default=0.5,
    show_default=True,
    metavar="P",
    help="Least probability at which a source supports a claim; lower finds more, higher is surer.",
)
@click.option(
    "--contradicts-at",
    type=float,
    default=0.5,
    show_default=True,
    metavar="P",
    help="Least probability at which a source contradicts a claim.",
)
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
def evaluate(
    machine: bool, no_wait: bool, data: Path, threshold: float, judges: tuple[str, ...], **chosen: Any
) -> None:
    """Evaluate the answers in DATA, a folder or a file, and publish results and a report."""
    from flows.terminal import print_leaderboard, watching

    with clear_errors():
        from models.chat.endpoint import parse_spec
        from models.settings import LOUD_THRESHOLD, Settings

        chosen["judge"] = ",".join(judges) or "auto"
        for spec in (*chosen["judge"].split(","), chosen["llm"], chosen["entailment"]):
            if spec != "auto":
                parse_spec(spec)
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
        from flows.engine import leash_server, prepare_prefect

        prepare_prefect()
        if not machine:
            click.echo("starting Prefect …", err=True)
        leash_server()
        from flows.evaluate import evaluate as flow

        with watching():
            summary = flow(data=str(data.resolve()), threshold=threshold, wait=not no_wait, **chosen)
    if machine:
        click.echo(as_json(summary))
        return
    title = f"{summary['dataset']}: {summary['n_answers']} answers to {summary['n_questions']} questions"
    print_leaderboard(summary["leaderboard"], title)
    for notice in summary["notices"]:
        click.echo(notice)
    if summary["n_quarantined"]:
        click.echo(f'{summary["n_quarantined"]} rows in quarantine: medassay query "from quarantine"')
    click.echo(f"report    {summary['report']}")
    click.echo(
        f"results   {Path(summary['snapshot']).parent.parent / 'results.duckdb'}  (run {summary['run_id']})"
    )
