"""Keep the schedules and parameters that users set in the UI when deployments are registered again."""

import json
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from medassay.flows.serve.api import ask
from medassay.models.atomic_files import written_whole
from medassay.models.settings import RENAMED

KEPT_OF_A_SCHEDULE = ("schedule", "active", "max_scheduled_runs", "parameters")
Deployment = dict[str, Any]


@contextmanager
def kept_choices(api: str, kept: Path) -> Iterator[None]:
    """Put parameters, schedules and pauses back as they were, whatever the registration inside has set them to.

    A parameter that was renamed has its new name, one that the flow no longer has is dropped, and a new one has the
    default of deployments/prefect.yaml.
    Until they are back, they are in the file `kept` too: who is stopped in between leaves them to the next one.
    """
    before = {deployment["id"]: deployment for deployment in deployments(api)}
    with suppress(FileNotFoundError):
        before |= json.loads(kept.read_text("utf-8"))
    with written_whole(kept) as file:
        json.dump(before, file)
    yield
    put_back(api, before)
    kept.unlink()


def put_back(api: str, before: dict[str, Deployment]) -> None:
    """Set what was chosen on the deployments that are registered now."""
    for deployment in deployments(api):
        if found := before.get(deployment["id"]):
            try:
                ask(f"{api}/deployments/{deployment['id']}", choices(found, deployment), "PATCH")
            except urllib.error.HTTPError as error:
                name = deployment["name"]
                click.echo(
                    f"what was chosen for {name} does not fit its form any more ({error}); it starts from the"
                    f" defaults, look at it in the UI: {found['parameters']}",
                    err=True,
                )


def choices(before: Deployment, now: Deployment) -> dict[str, Any]:
    """Return what has to be set on a deployment that is registered anew."""
    known = now["parameter_openapi_schema"].get("properties", {}).keys()
    chosen = {RENAMED.get(name, name): value for name, value in before["parameters"].items()}
    return {
        "parameters": {
            **now["parameters"],
            **{name: value for name, value in chosen.items() if name in known},
        },
        "paused": before["paused"],
        "schedules": [
            {name: one[name] for name in KEPT_OF_A_SCHEDULE if one.get(name) is not None}
            for one in before["schedules"]
        ],
    }


def deployments(api: str) -> list[Deployment]:
    """Return every deployment that the server knows."""
    found: list[Deployment] = ask(f"{api}/deployments/filter", {})
    return found
