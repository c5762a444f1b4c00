"""docs/settings.md: the choices of an evaluation, and the environment's variables."""

import inspect
from dataclasses import MISSING, fields

from medassay.flows.forms import meanings
from medassay.models.settings import Settings

HEAD = """# Settings

The choices of one evaluation: options of `medassay evaluate`, fields of the form in the Prefect UI, keywords of
`medassay.evaluate`. They are written into the run. Written by `make docs` from `models/settings.py`.

| setting | type | default | meaning |
|---|---|---|---|
"""


def page() -> str:
    """Return the page: a row a setting."""
    told = meanings()
    return HEAD + "\n".join(
        f"| `{f.name}` | {_cell(_kind(f.type))} | {_default(f.default)} | {_cell(' '.join(told[f.name].split()))} |"
        for f in fields(Settings)
    )


def _kind(annotation: object) -> str:
    return inspect.formatannotation(annotation).replace("typing.", "")


def _default(value: object) -> str:
    return "required" if value is MISSING else f"`{value!r}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
