"""docs/settings.md: the choices of an evaluation, and the environment's variables."""

import inspect

from pydantic_core import PydanticUndefined

from medassay.models.options import type_of
from medassay.models.settings import OPTIONS, Settings

HEAD = """# Settings

The choices of one evaluation: options of `medassay evaluate`, fields of the form in the Prefect UI, keywords of
`medassay.evaluate`. They are written into the run. Written by `make docs` from `models/settings.py`.

| setting | type | default | meaning |
|---|---|---|---|
"""


def page() -> str:
    """Return the page: a row a setting."""
    return HEAD + "\n".join(
        f"| `{name}` | {_cell(_kind(name))} | {_default(name)} | {_cell(' '.join(option.text.split()))} |"
        for name, option in OPTIONS.items()
    )


def _kind(name: str) -> str:
    if name in ("sort_by", "primary"):
        return "metric" if name == "sort_by" else "metrics"
    return inspect.formatannotation(type_of(Settings.model_fields[name])).replace("typing.", "")


def _default(name: str) -> str:
    value = Settings.model_fields[name].default
    return "required" if value is PydanticUndefined else f"`{value!r}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
