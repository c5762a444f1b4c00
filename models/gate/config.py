"""Configuration of a gate: the table `[gate]` of a TOML file, with one clear line for each key that is wrong."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from medassay.metrics import BY_NAME
from medassay.models.gate.rules import DEFAULT_RULES, RULES
from medassay.models.usage import UsageError

Level = Literal["error", "warn"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]
_SHORT = re.compile(r"\s*(>=|<=)\s*(\d+(?:\.\d*)?|\.\d+)\s*")
_SHORT_FORM = (
    'a text such as ">= 0.5" or "<= 0.1", a table such as {at_least = 0.5, level = "warn"}, or a list of them'
)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Bound(_Table):
    """What a metric's mean, or its 95 % interval, has to keep to, system by system.

    Attributes:
        at_least: Least value.
        at_most: Largest value.
        max_null: Largest share of questions without a value.
        level: Whether a broken bound fails the gate or is only told.
        on: `mean`, or `interval`: the whole interval has to lie on the good side.
        systems: Only these; all of them unless given.
        categories: `all` questions together, `each` category by itself, or the names of categories.
    """

    at_least: float | None = None
    at_most: float | None = None
    max_null: Share | None = None
    level: Level = "error"
    on: Literal["mean", "interval"] = "mean"
    systems: Names | None = None
    categories: Literal["all", "each"] | Names = "all"

    @model_validator(mode="before")
    @classmethod
    def _read_short_form(cls, given: Any) -> Any:
        if isinstance(given, str) and (found := _SHORT.fullmatch(given)):
            return {"at_least" if found[1] == ">=" else "at_most": float(found[2])}
        if not isinstance(given, Mapping):
            raise PydanticCustomError("config", "{said}", {"said": f"is {given!r}: write {_SHORT_FORM}"})
        return given

    @model_validator(mode="after")
    def _bounds_something(self) -> "Bound":
        if self.at_least is None and self.at_most is None and self.max_null is None:
            raise PydanticCustomError("config", "bounds nothing: give at_least, at_most or max_null")
        return self


class BaselineConfig(_Table):
    """How a run is held against the committed baseline.

    Attributes:
        file: The baseline, beside the configuration; the option `--baseline` goes before it.
        metrics: What may not get worse; the run's primary metrics unless given.
        margin: By how much of its scale a metric may be worse, 0 to 1; one number, or one a metric.
        insufficient: Whether too little data to tell ends with a verdict of its own, or is only told.
    """

    file: str | None = None
    metrics: Names | None = None
    margin: Share | dict[str, Share] = 0.05
    insufficient: Level = "error"

    def margin_of(self, metric: str) -> float:
        """Return the margin of a metric, as a share of its scale."""
        return self.margin.get(metric, 0.05) if isinstance(self.margin, dict) else self.margin

    @field_validator("metrics")
    @classmethod
    def _know_metrics(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in names or ():
            _refuse_unknown_metric(name)
        return tuple(dict.fromkeys(names)) if names is not None else None

    @field_validator("margin")
    @classmethod
    def _know_margins(cls, margin: float | dict[str, float]) -> float | dict[str, float]:
        for name in margin if isinstance(margin, dict) else ():
            _refuse_unknown_metric(name)
        return margin


class GateConfig(_Table):
    """What a run has to keep to.

    Attributes:
        fail_on: Rules of single answers that fail the gate.
        warn_on: Rules of single answers that are only told.
        bounds: Bounds by metric.
        questions: Ids of questions that have to be there, answered by every system.
        systems: Only these systems are looked at; all of them unless given.
        max_unjudged: Largest share of a system's answers that could not be judged; over it evidence is insufficient.
        baseline: How the run is held against the baseline.
    """

    fail_on: tuple[str, ...] = DEFAULT_RULES
    warn_on: tuple[str, ...] = ()
    bounds: dict[str, tuple[Bound, ...]] = Field(default_factory=dict)
    questions: tuple[str, ...] = ()
    systems: Names | None = None
    max_unjudged: Share = 0.0
    baseline: BaselineConfig = BaselineConfig()

    @field_validator("fail_on", "warn_on")
    @classmethod
    def _know_rules(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in RULES:
                raise PydanticCustomError("config", f"names {name!r}: choose of {', '.join(RULES)}")
        return tuple(dict.fromkeys(names))

    @field_validator("bounds", mode="before")
    @classmethod
    def _list_bounds(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {name: bound if isinstance(bound, list | tuple) else [bound] for name, bound in given.items()}

    @field_validator("bounds")
    @classmethod
    def _know_bounds(cls, bounds: dict[str, tuple[Bound, ...]]) -> dict[str, tuple[Bound, ...]]:
        for name, some in bounds.items():
            _refuse_unknown_metric(name)
            top = BY_NAME[name].high
            for value in (
                one for bound in some for one in (bound.at_least, bound.at_most) if one is not None
            ):
                if not 0 <= value <= top:
                    raise PydanticCustomError(
                        "config", f"bounds {name} at {value:g}: choose a number from 0 to {top:g}"
                    )
        return bounds

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the rules that are looked at, those that fail the gate first."""
        return tuple(dict.fromkeys((*self.fail_on, *self.warn_on)))

    @property
    def checks_nothing(self) -> bool:
        """Whether no rule, bound or question is named."""
        return not (self.rules or self.bounds or self.questions)

    @property
    def needs_baseline(self) -> list[str]:
        """Return the rules that were named, by default none, and need a baseline."""
        named = self.rules if "fail_on" in self.model_fields_set else self.warn_on
        return [name for name in named if RULES[name].needs_baseline]


def read_config(path: Path) -> GateConfig:
    """Read the table `[gate]` of a TOML file.

    Raises:
        UsageError: with a line for each key that is wrong and what is allowed there.
        OSError: where the file cannot be read.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{path}: no such file: write one that begins with [gate], or name it with -c"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not text in UTF-8: save the file as TOML") from None
    if not isinstance(found.get("gate"), dict):
        raise UsageError(f"{path}: no table [gate]: begin it with [gate]")
    return config_of(found["gate"], str(path))


def config_of(table: Mapping[str, Any], named: str = "gate") -> GateConfig:
    """Return the configuration that a table holds.

    Raises:
        UsageError: with a line for each key that is wrong and what is allowed there.
    """
    try:
        return GateConfig.model_validate(table)
    except ValidationError as error:
        raise UsageError("\n".join(f"{named}: {line}" for line in _lines(error))) from None


def _refuse_unknown_metric(name: str) -> None:
    if name not in BY_NAME:
        near = get_close_matches(name, BY_NAME, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise PydanticCustomError(
            "config", f"names no metric {name!r}: {meant}choose of {', '.join(BY_NAME)}"
        )


def _lines(error: ValidationError) -> list[str]:
    """Describe for each key what is wrong and what is allowed there, the deepest key of each fault alone."""
    said: dict[tuple[str, ...], str] = {}
    for one in error.errors(include_url=False):
        unknown = one["type"] == "extra_forbidden"
        path = tuple(_written(one["loc"], unknown))
        if unknown:
            text = f": there is no such key; choose of {', '.join(_keys_at(path[:-1]))}"
        else:
            text = " " + _fault(one["type"], one["input"], one["msg"], one.get("ctx") or {})
        said.setdefault(path, text)
    return [
        f"{'.'.join(('gate', *path))}{text}"
        for path, text in said.items()
        if not any(other != path and other[: len(path)] == path for other in said)
    ]


def _written(place: tuple[int | str, ...], unknown: bool) -> Iterator[str]:
    """Yield the keys of an error's place that a person wrote: no numbers of lists, no names of branches of unions."""
    path: list[str] = []
    for n, part in enumerate(place):
        is_last = unknown and n == len(place) - 1
        if isinstance(part, str) and (is_last or part in _keys_at(path)):
            path.append(part)
            yield part


def _keys_at(path: Sequence[str]) -> list[str]:
    """Return the keys of the table at a path."""
    match list(path):
        case []:
            return list(GateConfig.model_fields)
        case ["bounds"] | ["baseline", "margin"]:
            return list(BY_NAME)
        case ["bounds", _]:
            return list(Bound.model_fields)
        case ["baseline"]:
            return list(BaselineConfig.model_fields)
    return []


def _fault(kind: str, given: Any, said: str, context: Mapping[str, Any]) -> str:
    """Describe what is wrong with a value and what may stand there."""
    if kind == "config":
        return said
    allowed = {
        "literal_error": f"choose {context.get('expected')}",
        "tuple_type": 'write a list of texts, such as ["a", "b"]',
        "string_type": "write a text",
        "dict_type": "write a table",
        "model_type": "write a table",
        "too_short": "name one or more, or leave it out",
        "finite_number": "choose a number",
        "float_parsing": "choose a number",
        "float_type": "choose a number",
        "less_than_equal": "choose a number from 0 to 1",
        "greater_than_equal": "choose a number from 0 to 1",
    }
    return f"is {given!r}: {allowed.get(kind, said)}"
