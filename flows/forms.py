"""Parameters of the flows, which become Prefect's forms: every option of an evaluation, explained from its record.

A form shows first what most runs need, then groups that are folded until somebody opens them: Prefect draws a
parameter that is either nothing or an object as two buttons, and the object's fields behind the second.
"""

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from pydantic import ConfigDict, Field, create_model

from medassay.models.options import Choose, Option
from medassay.models.settings import OPTIONS, Settings

SHARED = {
    "wait": "Wait for another run in this home; off, end at once with exit code 3.",
    "home": "Folder of the warehouse and the reports; MEDASSAY_HOME, else .medassay, unless given.",
}
"""What every flow takes beside its options."""
FIRST = ("data", "run_name", "judge", "reader", "offline")
"""Options that a form shows at once."""
GROUPS = {
    "Measured": ("measures", "What is measured: definitions, the metrics that decide, headings of the data."),
    "Judge": ("judging", "How the judge is asked: how often, side by side, how many criteria at once."),
    "Models": ("models", "The other models: for atomic facts and nuggets, and for embeddings."),
    "Decisions": ("decisions", "Cut-offs at which texts match, support or contradict each other."),
    "Limits": (
        "limits",
        "Most calls, tokens and money; how much may fail; what happens where a text may name a patient.",
    ),
    "Engine": ("machine", "Where it is computed, in how many parts, and in which home."),
}
"""Folded groups of a form by the options' groups: the parameter's name, and what it says."""
WHERE = GROUPS["Engine"][0]
"""The group that takes what every flow takes beside its options."""
FOLDED, OPENED = "as usual", "change"

_ENTRY = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_RECORD = "settings"
F = TypeVar("F", bound=Callable[..., Any])
G = TypeVar("G")


def with_options(**groups: tuple[str, ...]) -> Callable[[F], F]:
    """Have a flow that takes the record of options as `settings` take each option as a parameter of its own.

    Callers and schedules name options one by one, or in the groups of the form; the flow gets the checked record.

    Args:
        groups: the flow's own parameters that its form folds, by the group's name, which `Args:` explain.
    """

    def wrapped(flow: F) -> F:
        own = [one for one in inspect.signature(flow).parameters.values() if one.name != _RECORD]
        members = dict(groups)
        for name, option in OPTIONS.items():
            if name not in FIRST:
                group = GROUPS[option.group][0]
                members[group] = (*members.get(group, ()), name)

        def checked(chosen: dict[str, Any]) -> dict[str, Any]:
            options = {name: chosen.pop(name) for name in OPTIONS if name in chosen}
            return {_RECORD: Settings(**options), **chosen}

        return _grouped(flow, [*_parameters(), *own], members, checked)

    return wrapped


def with_groups(**groups: tuple[str, ...]) -> Callable[[F], F]:
    """Have a flow take its parameters in the groups of its form, too, or one by one.

    Args:
        groups: the parameters that its form folds, by the group's name, which `Args:` explain.
    """
    return lambda flow: _grouped(flow, list(inspect.signature(flow).parameters.values()), groups, dict)


def _grouped(
    flow: F,
    parameters: list[inspect.Parameter],
    groups: Mapping[str, tuple[str, ...]],
    given_to: Callable[[dict[str, Any]], dict[str, Any]],
) -> F:
    """Return a flow that takes parameters one by one and in groups, with a form that folds the groups."""
    known = {one.name: one for one in parameters}
    members = {**groups, WHERE: (*groups.get(WHERE, ()), *SHARED)}
    texts = _explain(flow, [*known, *members])
    folded = [_folded(group, [known[name] for name in names], texts) for group, names in members.items()]
    inside = {name for names in members.values() for name in names}
    shown = [one for name, one in known.items() if name not in inside]
    # After the data what the flow itself asks for.
    shown.sort(key=lambda one: (one.name != "data", one.name in OPTIONS))
    accepted = inspect.signature(flow).replace(parameters=[*known.values(), *folded])

    @functools.wraps(flow)
    def flat(*given: Any, **named: Any) -> Any:
        chosen = accepted.bind(*given, **named).arguments
        for opened in [chosen.pop(group, None) for group in members]:
            chosen |= {name: getattr(opened, name) for name in getattr(opened, "model_fields_set", ())}
        return flow(**given_to(chosen))

    flat.__signature__ = accepted  # type: ignore[attr-defined]
    flat.form = accepted.replace(parameters=[*shown, *folded])  # type: ignore[attr-defined]
    return cast(F, flat)


def with_form(flow: G) -> G:
    """Have Prefect draw the form that was made for the flow, where it would draw every parameter that is accepted."""
    flow.__signature__ = flow.form  # type: ignore[attr-defined]
    return flow


def _parameters() -> list[inspect.Parameter]:
    """Return the options as parameters, the data first."""
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
    return [data.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD), *others]


def _folded(group: str, members: list[inspect.Parameter], texts: Mapping[str, str]) -> inspect.Parameter:
    """Return a parameter that is nothing, or an object with the group's parameters as fields."""
    fields: dict[str, Any] = {
        one.name: (
            one.annotation,
            Field(default=one.default, title=one.name, description=texts.get(one.name)),
        )
        for one in members
    }
    record = create_model(group.capitalize(), __config__=ConfigDict(extra="forbid", title=OPENED), **fields)
    nothing = Annotated[None, Field(title=FOLDED)]
    return inspect.Parameter(group, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=nothing | record)


def _as_form(annotation: Any) -> Any:
    """Return an option's type with its bounds and without its words, which stand in the flow's docstring."""
    kept = tuple(one for one in annotation.__metadata__ if not isinstance(one, Option | Choose))
    return Annotated[(annotation.__origin__, *kept)] if kept else annotation.__origin__


def explained(flow: F) -> F:
    """Complete the flow's `Args:`, which become its form, by what its docstring leaves to the options' own words."""
    _explain(flow, inspect.signature(flow).parameters)
    return flow


def _explain(flow: Callable[..., Any], names: Iterable[str]) -> dict[str, str]:
    """Complete the flow's `Args:`, and return what they say of each name."""
    head, _, own = inspect.cleandoc(flow.__doc__ or "").partition("\n\nArgs:\n")
    told = dict(_ENTRY.findall(own))
    known = {name: option.text for name, option in OPTIONS.items()} | SHARED | dict(GROUPS.values())
    added = {name: known[name] for name in names if name not in told and name in known}
    lines = [f"    {name}: {text}" for name, text in added.items()]
    flow.__doc__ = "\n".join([f"{head}\n\nArgs:", *([own.rstrip()] if own.strip() else []), *lines])
    return {name: " ".join(text.split()) for name, text in (told | added).items()}
