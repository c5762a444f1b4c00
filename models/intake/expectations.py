"""Great Expectations suites, one a table."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from medassay.models.intake.rows import Kind, shortened
from medassay.models.intake.rules import RULES, Row, Rule, Severity
from medassay.models.keys import content_key

if TYPE_CHECKING:
    import pandas as pd

A_TABLE = 100
"""Rows from which on a column that none of them has is the table's fault; of fewer, each is named."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a row of the chunk breaks; `row` is its index in the chunk, 0 where the table breaks it."""

    row: int
    rule: str
    observed: str
    advice: str
    severity: Severity


def violations(kind: Kind, rows: list[Row]) -> list[Violation]:
    """Judge a chunk of rows by its table's suite; every broken rule of every row, in the rules' order.

    Ten thousand rows take well under a second; the import of Great Expectations takes four, once, and is left out where
    no value is outside any expectation.
    """
    if not rows:
        return []
    rules = RULES[kind]
    facts = {rule.column: [rule.fact(row) for row in rows] for rule in rules}
    if not any(may_break(rule, facts[rule.column]) for rule in rules):
        return []
    broken = _broken(kind, _frame(rules, facts))
    found = []
    for rule in rules:
        indices = broken.get(rule.name, [])
        if rule.severity == "critical":
            indices = indices[: int(len(rows) >= A_TABLE)]
        found += [
            Violation(index, rule.name, _observed(rule, rows[index]), rule.advice, rule.severity)
            for index in indices
        ]
    return found


def _observed(rule: Rule, row: Row) -> str:
    seen = rule.seen(row) if rule.seen else None
    return "nothing there" if seen is None else shortened(seen)


def _frame(rules: Sequence[Rule], facts: Mapping[str, Sequence[Any]]) -> "pd.DataFrame":
    import pandas as pd

    numbers = {rule.column for rule in rules if rule.expectation == "ExpectColumnValuesToBeBetween"}
    frame = pd.DataFrame({
        name: pd.Series(values, dtype="float64" if name in numbers else "object") for name, values in facts.items()
    })  # fmt: skip
    frame["row_no"] = range(len(frame))
    return frame


def may_break(rule: Rule, values: Sequence[Any]) -> bool:
    """Return whether a value of the rule's column is outside its expectation, however many may be by `mostly`.

    Lists are gone through here: importing pandas takes longer than that for most data.
    """
    stated = [value for value in values if value is not None and value == value]
    if rule.expectation == "ExpectColumnValuesToNotBeNull":
        return len(stated) < len(values)
    if rule.expectation == "ExpectColumnValuesToBeNull":
        return len(stated) > 0
    if rule.expectation == "ExpectColumnValuesToBeInSet":
        return any(value not in rule.arguments["value_set"] for value in stated)
    if rule.expectation == "ExpectColumnValuesToBeBetween" and rule.arguments.keys() == {"max_value"}:
        return any(value > rule.arguments["max_value"] for value in stated)
    return True


def _broken(kind: Kind, frame: "pd.DataFrame") -> dict[str, list[int]]:
    result = _validation(kind).run(
        batch_parameters={"dataframe": frame},
        result_format={
            "result_format": "COMPLETE",
            "unexpected_index_column_names": ["row_no"],
            "include_unexpected_rows": False,
        },
    )
    broken: dict[str, list[int]] = {}
    for outcome in result.results:
        if outcome.exception_info and outcome.exception_info.get("raised_exception"):
            raise RuntimeError(
                f"{outcome.expectation_config.meta['rule']}: {outcome.exception_info['exception_message']}"
            )
        if not outcome.success:
            places = outcome.result.get("unexpected_index_list") or []
            broken[outcome.expectation_config.meta["rule"]] = sorted(int(place["row_no"]) for place in places)
    return broken


@cache
def rules_digest() -> str:
    """Name what decides whether a row is sound: the rules' code and the version of Great Expectations."""
    texts = [file.read_text("utf-8") for file in sorted(Path(__file__).parent.glob("*.py"))]
    return content_key([texts, version("great_expectations")])


_opening = Lock()


def open_context() -> Any:
    """Return the one ephemeral context of this process."""
    with _opening:
        return _opened()


@cache
def _opened() -> Any:
    """Open a context that reports nothing to anybody and draws no bars."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "False")
    import great_expectations as gx

    logging.captureWarnings(False)  # its import has every warning of the process logged in place of shown
    for name in ("great_expectations", "great_expectations.data_context.types.base"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    return context


@cache
def _validation(kind: Kind) -> Any:
    """Build the table's suite once a process."""
    context = open_context()
    import great_expectations as gx

    suite = gx.ExpectationSuite(
        name=kind,
        expectations=[
            getattr(gx.expectations, rule.expectation)(
                column=rule.column, severity=rule.severity, meta={"rule": rule.name}, **rule.arguments
            )
            for rule in RULES[kind]
        ],
    )
    asset = context.data_sources.add_pandas(name=kind).add_dataframe_asset(name=kind)
    batch = asset.add_batch_definition_whole_dataframe("chunk")
    return context.validation_definitions.add(
        gx.ValidationDefinition(name=kind, data=batch, suite=context.suites.add(suite))
    )
