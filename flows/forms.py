"""Parameter types of the flows: descriptions and validation for Prefect's forms."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import Field

from medassay.metrics import BY_NAME
from medassay.models.settings import JUDGE, LOCAL_MODEL, MODEL, READER, Settings

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Amount = Annotated[int, Field(ge=0)]
Money = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
AtLeastOne = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(pattern=r"\S")]
DataPath = Annotated[str, Field(min_length=1)]
JudgeSpec = Annotated[str, Field(pattern=JUDGE)]
ModelSpec = Annotated[str, Field(pattern=MODEL)]
ReaderSpec = Annotated[str, Field(pattern=READER)]
LocalModel = Annotated[str, Field(pattern=LOCAL_MODEL)]
# A list to choose from in the form.
SortBy = Annotated[str, Field(json_schema_extra={"enum": list(BY_NAME)})]
Metrics = Annotated[tuple[SortBy, ...], Field(min_length=1, json_schema_extra={"uniqueItems": True})]

SHARED = {
    "wait": "Wait for another run in this home; off, end at once with exit code 3.",
    "home": "Folder of the warehouse and the reports; MEDASSAY_HOME, else .medassay, unless given.",
}
"""What every flow takes beside its settings."""

_ENTRY = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
F = TypeVar("F", bound=Callable[..., Any])


def meanings() -> dict[str, str]:
    """Return what each setting means, from where the settings are defined."""
    text = inspect.cleandoc(Settings.__doc__ or "").partition("Attributes:\n")[2]
    return {name: meaning for name, meaning in _ENTRY.findall(text)} | SHARED


def explained(flow: F) -> F:
    """Complete the flow's `Args:`, which become its form, by what its docstring leaves to the settings' own words."""
    text = inspect.cleandoc(flow.__doc__ or "")
    head, _, own = text.partition("\n\nArgs:\n")
    told = {name for name, _ in _ENTRY.findall(own)}
    known = meanings()
    added = [
        f"    {name}: {known[name]}"
        for name in inspect.signature(flow).parameters
        if name not in told and name in known
    ]
    flow.__doc__ = "\n".join([f"{head}\n\nArgs:", *([own.rstrip()] if own.strip() else []), *added])
    return flow
