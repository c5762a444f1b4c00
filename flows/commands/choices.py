"""Options shared by several commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import share
from medassay.models.settings import PRIMARY


def with_options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command these options, in this order."""

    def given(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return given


PROFILE = click.option(
    "--profile",
    type=click.Choice(["seed", "bioace", "trec"]),
    default="seed",
    show_default=True,
    help="Which definition of the four answer scores.",
)
MODELS = (
    click.option(
        "--llm",
        default="none",
        show_default=True,
        metavar="SPEC",
        help="Model that decomposes answers, makes and assigns nuggets: none | embedded | hf:<id, folder"
        " or GGUF file> | <base_url>#<model>.",
    ),
    click.option(
        "--embedder",
        default="embedded",
        show_default=True,
        metavar="SPEC",
        help="Sentence-embedding model: embedded | hf:<id or folder>.",
    ),
    click.option(
        "--reader",
        "--entailment",
        "entailment",
        default="auto",
        show_default=True,
        metavar="SPEC",
        help="Who reads texts against nuggets and claims: encoder | llm | cascade (both) | auto | none"
        " | hf:<id or folder> | <base_url>#<model>, whose probabilities are read where logprobs: stands before it.",
    ),
)
DECIDING = (
    click.option(
        "--matcher",
        type=click.Choice(["combined", "cosine"]),
        default="combined",
        show_default=True,
        help="How claims and nuggets are matched.",
    ),
    click.option("--threshold", type=float, default=0.75, show_default=True, help="Least score of a match."),
    click.option(
        "--supports-at",
        type=float,
        default=0.5,
        show_default=True,
        metavar="P",
        help="Least probability at which a source supports a claim; lower finds more, higher is surer.",
    ),
    click.option(
        "--contradicts-at",
        type=float,
        default=0.5,
        show_default=True,
        metavar="P",
        help="Least probability at which a source contradicts a claim.",
    ),
    click.option("--offline", is_flag=True, help="Ask no source outside this machine, fetch no model."),
    click.option(
        "--max-failed",
        type=share,
        default="2%",
        show_default=True,
        metavar="SHARE",
        help="Over this share of failures the run ends with exit code 1; rows in quarantine are not counted.",
    ),
)
PRIMARY_METRICS = click.option(
    "--primary",
    callback=lambda _context, _option, named: tuple(
        part.strip() for part in named.split(",") if part.strip()
    ),
    default=",".join(PRIMARY),
    show_default=True,
    metavar="METRICS",
    help="Metrics by which systems are compared, one family with every pair; commas between.",
)
RUN = (
    click.option("--run-name", metavar="NAME", help="A name for people."),
    click.option(
        "--dataset", metavar="NAME", help="The data set's name; its folder's or file's name unless given."
    ),
    click.option("--retry", is_flag=True, help="Ask again for what was not found or abstained."),
    click.option("--no-wait", is_flag=True, help="End with exit code 3 where another run holds the home."),
)
PHI = click.option(
    "--phi",
    type=click.Choice(["block", "redact", "allow"]),
    default="block",
    show_default=True,
    help="Where something that may name a patient would leave this machine.",
)
CAPS = (
    click.option("--max-calls", type=int, help="Stop cleanly at this many calls to models."),
    click.option("--max-tokens", type=int, help="Stop cleanly at this many tokens."),
    click.option("--max-money", type=float, help="Stop cleanly at this much money; needs prices."),
    click.option(
        "--prices",
        type=click.Path(path_type=str, dir_okay=False),
        help="Price file, by model; prices.json in the home unless given.",
    ),
)
DATA = click.argument("data", type=click.Path(path_type=Path))
