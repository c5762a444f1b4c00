"""Webhook for commands that end red: what `medassay serve` has Prefect post for its runs, posted for the others."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import exit_code_of, message_of

ALERT_URL = "MEDASSAY_ALERT_URL"
TIMEOUT_S = 30.0


@dataclass
class Alert:
    """What is posted where a command ends red: the report's address and the answers that changed, once known."""

    report: str = ""
    changed: list[dict[str, Any]] = field(default_factory=list)

    def know(self, summary: dict[str, Any]) -> None:
        """Take over what a run came to."""
        self.report = Path(summary["report"]).as_uri()
        self.changed = summary.get("newly_contradicted", [])

    def post(self, title: str, text: str) -> None:
        """Post `{title, text, url, changed}` to the webhook; where nobody takes it, a line says so."""
        url = os.environ.get(ALERT_URL, "")
        if not url:
            return
        import urllib.request
        from http.client import HTTPException

        body = {"title": title, "text": text, "url": self.report, "changed": self.changed}
        try:
            if not url.startswith(("http://", "https://")):
                raise ValueError("it is no http:// or https:// address")
            request = urllib.request.Request(
                url, json.dumps(body, default=str).encode(), {"content-type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=TIMEOUT_S):
                pass
        except (OSError, ValueError, HTTPException) as error:
            # The address may hold a secret: it is not repeated.
            said = "it is no address" if isinstance(error, ValueError) and url in str(error) else error
            click.echo(f"{ALERT_URL} was not told: {said}", err=True)


@contextmanager
def alerting(title: str) -> Iterator[Alert]:
    """Post what a command ends with, where that is an error that a person can act on."""
    alert = Alert()
    try:
        yield alert
    except Exception as error:
        if exit_code_of(error) is not None:
            alert.post(title, message_of(error))
        raise
