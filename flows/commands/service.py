"""`medassay serve`."""

from pathlib import Path

import click

from medassay.flows.commands.exit_codes import COULD_NOT_RUN, clear_errors, stop

HIGHEST_PORT = 65535


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address; any but loopback is open to others.",
)
@click.option(
    "--port",
    type=click.IntRange(1, HIGHEST_PORT - 1),
    default=4200,
    show_default=True,
    help="Port of the server and its UI; reports are one above it.",
)
@click.option(
    "--name",
    metavar="HOST",
    help="What links call this machine where others open them; its address or its own name unless given.",
)
@click.option(
    "--inbox",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Evaluate each new file or folder there as `evaluate-answers` is set; results or the refusal come beside it.",
)
@click.option(
    "--gpu-pool",
    is_flag=True,
    help="Make the work pool `gpu` for workers elsewhere; where this machine has a GPU it is made anyway.",
)
def serve(host: str, port: int, name: str | None, inbox: Path | None, gpu_pool: bool) -> None:
    """Start the Prefect server with its UI, a worker and every deployment; Ctrl-C stops it all."""
    with clear_errors():
        from medassay.flows.serve.serving import NotServing
        from medassay.flows.serve.serving import serve as run

        try:
            run(host, port, name, inbox, gpu_pool)
        except NotServing as error:
            stop(str(error), COULD_NOT_RUN)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
