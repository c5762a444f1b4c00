"""`medassay annotate serve`: the home's pages on a port of their own, with a link for each annotator."""

import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

import click

from medassay.flows.serve.access import reports_key
from medassay.flows.serve.annotation_pages import link
from medassay.flows.serve.annotation_pages import named as name_of
from medassay.flows.serve.case_pages import CASES, jury_path
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import serving_reports
from medassay.flows.serve.serving import NotServing, reached_by_others, serve_token
from medassay.sql.home import home_folder
from medassay.tasks.judge_training.browser_checks import CheckedData
from medassay.tasks.judge_training.jury_votes import Jury
from medassay.tasks.people.in_browser import Order, task_of

__all__ = ["NotServing", "serve_annotators"]


def serve_annotators(
    names: Sequence[str],
    run: str | None,
    order: Order,
    host: str,
    port: int,
    *,
    named: bool,
    data: Path | None = None,
    jury: tuple[str, int] | None = None,
) -> None:
    """Serve until interrupted, and take every score in.

    With `data`, experts check the cases of a judge instead; with `jury`, a training's name and an iteration, people
    decide what waits there.

    Raises:
        UsageError: where there is no such run.
        NotServing: where the port is taken, or the key cannot be kept safely.
    """
    for how in (signal.SIGINT, signal.SIGTERM):
        signal.signal(how, signal.default_int_handler)
    home = home_folder()
    checked = CheckedData(home, data, order) if data else None
    if jury:
        Jury(home, *jury)
        asked, everybody = jury_path(*jury), f"jury?{urlencode({'training': jury[0], 'iteration': jury[1]})}"
    elif checked:
        asked, everybody = CASES, ""
    else:
        asked = f"?run={quote(task_of(home, run, order, named=named).run.run_id)}"
        everybody = f"annotate{asked}"
    key = reports_key(serve_token(home))
    try:
        with serving_reports(
            host, port, home, key, hosts_of(host), order, names, named=named, checked=checked
        ) as listens:
            address = f"http://{reached_by_others(host)}:{listens}"
            for name in filter(None, map(name_of, names)):
                click.echo(f"{name}: {address}/{link(key, name).removeprefix('../')}{asked}")
            if checked:
                click.echo(f"what fails is dropped by: medassay judge-data split --data {data}")
            else:
                click.echo(f"everybody, and how well they agree: {address}/{key}/{everybody}")
            if jury:
                click.echo(
                    "what is accepted is revised and learnt when the same `medassay train judge` is given again"
                )
            click.echo("Each link lets whoever has it in. Ctrl-C ends it; what was scored stays")
            threading.Event().wait()
    except OSError as error:
        raise NotServing(
            f"port {port} cannot be listened at ({error.strerror}); choose another --port"
        ) from None
