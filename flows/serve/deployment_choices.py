"""Keep the schedules and parameters that users set in the UI when deployments are registered again."""

import json
import os
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import click

from medassay.flows.serve.api import ask
from medassay.models.atomic_files import written_whole
from medassay.models.settings import RENAMED

FORMER_NAMES = {
    "flows/evaluate.py:evaluate": "local",
    "flows/agree.py:agree": "local",
    "flows/train_judge.py:train_judge": "local",
    "flows/train_judge.py:train_stage_flow": "gpu",
}
"""Deployments' names before each had one of its own, by what they start."""
FORMER_EXAMPLE = "examples/clinic"
"""What forms were filled in with before `data` was left for a person to name."""
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
    """Set what was chosen on the deployments that are registered now; one that had another name goes."""
    renamed = {
        one["entrypoint"]: one
        for one in before.values()
        if FORMER_NAMES.get(one["entrypoint"] or "") == one["name"]
    }
    for deployment in deployments(api):
        former = renamed.get(deployment["entrypoint"])
        if former and former["id"] == deployment["id"]:
            continue
        if found := former or before.get(deployment["id"]):
            try:
                ask(f"{api}/deployments/{deployment['id']}", choices(found, deployment), "PATCH")
            except urllib.error.HTTPError as error:
                name = deployment["name"]
                click.echo(
                    f"what was chosen for {name} does not fit its form any more ({error}); it starts from the"
                    f" defaults, look at it in the UI: {found['parameters']}",
                    err=True,
                )
        if former:
            click.echo(f"the deployment {former['name']} is now called {deployment['name']}", err=True)
            with suppress(urllib.error.HTTPError):  # gone already
                ask(f"{api}/deployments/{former['id']}", method="DELETE")


def choices(before: Deployment, now: Deployment) -> dict[str, Any]:
    """Return what has to be set on a deployment that is registered anew; a parameter moves into its group."""
    schema = now["parameter_openapi_schema"]
    known = schema.get("properties", {}).keys()
    chosen = {RENAMED.get(name, name): value for name, value in before["parameters"].items()}
    runs_it = any(one.get("active") for one in before["schedules"])
    if chosen.get("data") == FORMER_EXAMPLE and "data" not in now["parameters"] and not runs_it:
        del chosen["data"]
        click.echo(f"{now['name']} is no longer filled in with {FORMER_EXAMPLE}: name your data", err=True)
    kept = {**now["parameters"], **{name: value for name, value in chosen.items() if name in known}}
    moved = []
    for name, value in chosen.items():
        for group, fields in _groups(schema):
            if name in fields and value != fields[name].get("default"):
                kept[group] = {**(kept.get(group) or {}), name: value}
                moved.append(f"{name} to {group}")
    if moved:
        click.echo(f"parameters of {now['name']} moved: {', '.join(moved)}", err=True)
    return {
        "parameters": kept,
        "paused": before["paused"],
        "schedules": [
            {name: one[name] for name in KEPT_OF_A_SCHEDULE if one.get(name) is not None}
            for one in before["schedules"]
        ],
    }


def _groups(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the groups of a form with their fields."""
    for group, shown in schema.get("properties", {}).items():
        for one in shown.get("anyOf", ()):
            if "$ref" in one:
                definition = schema["definitions"][one["$ref"].rpartition("/")[2]]
                yield group, definition.get("properties", {})


def deployments(api: str) -> list[Deployment]:
    """Return every deployment that the server knows."""
    found: list[Deployment] = ask(f"{api}/deployments/filter", {})
    return found


def time_zone() -> str:
    """Return the name of this machine's time zone, in which schedules are read; UTC where it has none."""
    named = (
        os.environ.get("TZ", "").lstrip(":")
        or str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    )
    return named if named in available_timezones() else "UTC"
