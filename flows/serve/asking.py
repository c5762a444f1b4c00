"""`medassay query --ui`: the home's pages on a free port of this machine, opened at the questions."""

import signal
import threading

import click

from medassay.flows.serve.access import reports_key
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import serving_reports
from medassay.flows.serve.serving import serve_token
from medassay.sql.home import home_folder
from medassay.sql.snapshot import published

HERE = "127.0.0.1"


def serve_questions(query: str | None) -> None:
    """Serve until interrupted.

    Args:
        query: SQL that the page shows first.

    Raises:
        NothingPublished: where there is nothing to ask.
        NotServing: where the key cannot be kept safely.
    """
    from urllib.parse import urlencode

    for how in (signal.SIGINT, signal.SIGTERM):
        signal.signal(how, signal.default_int_handler)
    home = home_folder()
    with published(home):
        key = reports_key(serve_token(home))
    with serving_reports(HERE, 0, home, key, hosts_of(HERE)) as port:
        asked = f"?{urlencode({'sql': query})}" if query else ""
        address = f"http://{HERE}:{port}/{key}/ask{asked}"
        click.echo(f"questions: {address}\nThe link lets whoever has it in. Ctrl-C ends it")
        click.launch(address)
        threading.Event().wait()
