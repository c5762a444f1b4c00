"""Parameters of the flows, which become Prefect's forms: every option of an evaluation, explained from its record."""

import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from medassay.models.options import Choose, Option
from medassay.models.settings import OPTIONS, Settings

SHARED = {
    "wait": "Wait for another run in this home; off, end at once with exit code 3.",
    "home": "Folder of the warehouse and the reports; MEDASSAY_HOME, else .medassay, unless given.",
}
"""What every flow takes beside its options."""

_ENTRY = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_RECORD = "settings"
F = TypeVar("F", bound=Callable[..., Any])


def with_options(flow: F) -> F:
    """Have a flow that takes the record of options as `settings` take each option as a parameter of its own.

    Deployments, schedules and callers name options one by one; the flow gets the checked record. In the form its data
    comes first, and the options stand where `settings` does.
    """
    types, fields = get_type_hints(Settings, include_extras=True), Settings.model_fields
    data, *others = (
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if fields[name].is_required() else fields[name].default,
            annotation=_as_form(types[name]),
        )
        for name in OPTIONS
    )
    own = inspect.signature(flow)
    listed = [data.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for one in own.parameters.values():
        listed += others if one.name == _RECORD else [one]
    signature = own.replace(parameters=listed)

    @functools.wraps(flow)
    def flat(*given: Any, **named: Any) -> Any:
        chosen = signature.bind(*given, **named).arguments
        options = {name: chosen.pop(name) for name in OPTIONS if name in chosen}
        return flow(**{_RECORD: Settings(**options)}, **chosen)

    flat.__signature__ = signature  # type: ignore[attr-defined]
    return explained(cast(F, flat))


def _as_form(annotation: Any) -> Any:
    """Return an option's type with its bounds and without its words, which stand in the flow's docstring."""
    kept = tuple(one for one in annotation.__metadata__ if not isinstance(one, Option | Choose))
    return Annotated[(annotation.__origin__, *kept)] if kept else annotation.__origin__


def explained(flow: F) -> F:
    """Complete the flow's `Args:`, which become its form, by what its docstring leaves to the options' own words."""
    text = inspect.cleandoc(flow.__doc__ or "")
    head, _, own = text.partition("\n\nArgs:\n")
    told = {name for name, _ in _ENTRY.findall(own)}
    known = {name: option.text for name, option in OPTIONS.items()} | SHARED
    added = [
        f"    {name}: {known[name]}"
        for name in inspect.signature(flow).parameters
        if name not in told and name in known
    ]
    flow.__doc__ = "\n".join([f"{head}\n\nArgs:", *([own.rstrip()] if own.strip() else []), *added])
    return flow
