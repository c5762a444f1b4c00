"""First pass: the encoder's results, on the screen while the language model has still to read."""

import sys
from pathlib import Path
from typing import Any

from medassay.models.counting import counted
from medassay.models.nli.choosing import CASCADE, ENCODER, named_reader
from medassay.models.settings import Settings
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import statement

FREE_JUDGES = ("none", "evidence")
"""Judges that cost no time; with another one the first pass has no marks."""


def is_wanted(asked: bool | None, settings: Settings, *, machine: bool) -> bool:
    """Return whether the encoder reads first, in a run of its own.

    By default it does on a terminal. It never does where the cascade does not read here, or where a language model is
    to make nuggets: whoever names one waits for it in any case.

    Args:
        asked: what the options or `MEDASSAY_FIRST_PASS` say; None where they say nothing.
        settings: of the final run.
        machine: whether the summary is printed as JSON.
    """
    from medassay.flows.engine import server_may_be_named

    if named_reader(settings.reader) != CASCADE or settings.on != "here" or settings.llm != "none":
        return False
    if asked is not None:
        return asked
    return not machine and sys.stdout.isatty() and sys.stderr.isatty() and not server_may_be_named()


def settings_of(settings: Settings) -> Settings:
    """Return the choices of the first pass, given those of the final run."""
    return settings.but(
        reader=ENCODER,
        judge=settings.judge if settings.judge in FREE_JUDGES else "none",
        samples=1,
        listwise=False,
        run_name=f"{settings.run_name} (first pass)" if settings.run_name else "first pass",
        first_pass=True,
    )


def evaluate_first(settings: Settings, home: Path, *, wait: bool) -> dict[str, Any]:
    """Evaluate with the encoder alone, without Prefect, as a finished and published run; return its summary.

    Raises:
        IntakeError, BadData: when the data cannot be evaluated.
        HomeBusy: when another run holds the home and `wait` is off.
    """
    from medassay.tasks.pipeline import evaluate

    return evaluate(home, settings_of(settings), wait=wait).as_dict()


def changes(home: Path, first: str, final: str) -> dict[str, Any]:
    """Count the verdicts that differ between two published runs of the same data."""
    (row,) = read_results(home, statement("statements/comparing/changed_states"), [first, final])
    return {"run_id": first, **row}


def told(changed: dict[str, Any]) -> str:
    """Return how many verdicts the final run changed."""
    parts = [
        f"{changed[f'n_{kind}_changed']:,} of {counted(changed[f'n_{kind}'], word)}"
        for kind, word in (("nuggets", "nugget state"), ("citations", "citation verdict"))
        if changed[f"n_{kind}"]
    ]
    return f"against the first pass {' and '.join(parts)} changed" if parts else ""
