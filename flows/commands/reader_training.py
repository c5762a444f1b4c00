"""`medassay train reader`."""

from pathlib import Path

import click

from medassay.flows.commands.exit_codes import NumberBetween, clear_errors


def _three_weights(
    _context: click.Context, _option: click.Parameter, text: str
) -> tuple[float, float, float]:
    try:
        a, b, c = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is no three numbers with commas between, such as 1,2,1") from None
    if not all(0 < weight < 1000 for weight in (a, b, c)):
        raise click.BadParameter(f"{text!r}: weights are above 0")
    return a, b, c


@click.command("reader")
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for adapter and card.")
@click.option(
    "--base",
    type=click.Path(path_type=Path, exists=True),
    help="Qwen2 to start from: a GGUF file or a folder of transformers; the embedded one unless given.",
)
@click.option(
    "--recipe",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON array of the sets below DATA; that of the packaged adapter unless given.",
)
@click.option(
    "--start-from",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Go on from this adapter, trained on the same base.",
)
@click.option(
    "--leave-out", multiple=True, metavar="SET",
    help="Do not train on this set, measure on it; may be given several times.",
)  # fmt: skip
@click.option(
    "--leave-out-each", is_flag=True, help="Train one more adapter without each set, to measure on it."
)
@click.option("--without-unlicensed", is_flag=True, help="Leave away sets that state no licence.")
@click.option(
    "--rank", type=click.IntRange(1, 256), default=16, show_default=True, help="Rank of the adapter."
)
@click.option(
    "--epochs", type=click.IntRange(min=1), default=1, show_default=True, help="Passes over the pairs."
)
@click.option("--learning-rate", type=NumberBetween(1e-7, 1), default=2e-4, show_default=True)
@click.option(
    "--class-weights", callback=_three_weights, default="1,1,1", show_default=True, metavar="A,B,C",
    help="What an error costs on pairs of each letter.",
)  # fmt: skip
@click.option(
    "--seed", default=1, show_default=True, help="Of what is drawn, its order, and the first weights."
)
@click.option(
    "--tokens-a-step", type=click.IntRange(min=64), default=16_384, show_default=True,
    help="Tokens that a step of the optimiser reads.",
)  # fmt: skip
@click.option(
    "--tokens-at-once", type=click.IntRange(min=64), default=None, metavar="N",
    help="Of these so many at once: 16,384 on a GPU (48 GB for 1.5 billion parameters), else 2,048.",
)  # fmt: skip
@click.option(
    "--dtype", type=click.Choice(["bfloat16", "float32"]), help="bfloat16 where the hardware has it."
)
@click.option(
    "--measure-at-most", type=click.IntRange(min=1), default=2_000, show_default=True, metavar="N",
    help="Pairs of a left-out set that are measured.",
)  # fmt: skip
def train_reader_command(
    data: Path,
    out: Path,
    base: Path | None,
    recipe: Path | None,
    start_from: Path | None,
    leave_out: tuple[str, ...],
    leave_out_each: bool,
    without_unlicensed: bool,
    rank: int,
    epochs: int,
    learning_rate: float,
    class_weights: tuple[float, float, float],
    seed: int,
    tokens_a_step: int,
    tokens_at_once: int | None,
    dtype: str | None,
    measure_at_most: int,
) -> None:
    """Train an adapter of the language-model reader on the labelled sets in DATA.

    A training that is stopped goes on with the same command. To read with what was trained, set
    MEDASSAY_READER_ADAPTER to OUT/adapter.safetensors, and MEDASSAY_READER_BASE where the base is not the embedded one.
    """
    with clear_errors():
        from medassay.models.nli.language_model.merging import BASE
        from medassay.models.nli.language_model.training import run
        from medassay.models.nli.language_model.training.loop import TrainingSettings
        from medassay.models.nli.language_model.training.sets import read_recipe
        from medassay.models.processor import device_here
        from medassay.models.weights import ensure

        at_once = tokens_at_once or (16_384 if device_here() == "cuda" else 2_048)
        plan = run.Plan(
            read_recipe(recipe),
            leave_out,
            without_unlicensed,
            rank,
            dtype,
            measure_at_most,
            TrainingSettings(epochs, learning_rate, tokens_a_step, at_once, class_weights, seed),
            start_from,
        )
        train = run.leave_out_each if leave_out_each else run.train_reader
        card = train(base or ensure(BASE), data, out, plan, click.echo)
        for name, one in card["left_out"].items():
            click.echo(f"{name}, left out: macro-F1 {one['macro_f1']:.3f} of {one['n_measured']:,} pairs")
        click.echo(f"{out}: adapter.safetensors, adapter.gguf, card.json, card.md")
