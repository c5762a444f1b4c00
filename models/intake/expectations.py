"""Great Expectations suites as code, one a table: which rows are sound, and what to do about the others.

A chunk of rows becomes a frame with one column for each thing a rule looks at: a field that is text (nothing where
it is missing, blank or of another type), its length, or the fault of a list inside the row. A rule is one expectation
of one column, with its name, its advice and its severity: `warning` quarantines the row, `critical` stops the run.
"""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from models.intake import faults
from models.intake.rows import Kind, shortened

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["critical", "warning"]
Row = dict[str, Any]
LONGEST_TEXT = 10_000_000
UNREADABLE_SHARE = 0.05
_ANY_ROW = 1e-9
"""The share of rows that a table must have with a column: any at all."""
A_TABLE = 100
"""Rows from which on a column that none of them has is the table's fault; of fewer, each is named."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One expectation of one column: what it is called, what to do where it fails, what the column is made of."""

    name: str
    advice: str
    column: str
    fact: Callable[[Row], Any]
    expectation: str
    arguments: dict[str, Any] = field(default_factory=dict)
    seen: Callable[[Row], Any] | None = None
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a row of the chunk breaks; `row` is its index in the chunk, 0 where the table breaks it."""

    row: int
    rule: str
    observed: str
    advice: str
    severity: Severity


def _filled(name: str) -> Rule:
    return Rule(
        f"{name} is missing or not text",
        f"give every row a {name}",
        name,
        lambda row: faults.words(row.get(name)),
        "ExpectColumnValuesToNotBeNull",
        seen=lambda row: row.get(name),
    )


def _anywhere(name: str) -> Rule:
    return Rule(
        f"no row has a {name}",
        f"name the column {name}, or one of its synonyms in the README",
        name,
        lambda row: faults.words(row.get(name)),
        "ExpectColumnValuesToNotBeNull",
        {"mostly": _ANY_ROW},
        seen=lambda row: "fields " + ", ".join(row),
        severity="critical",
    )


def _optional_text(name: str) -> Rule:
    return Rule(
        f"{name} is not text",
        f"write {name} as text, or leave it out",
        f"type of {name}",
        lambda row: None if row.get(name) is None else type(row[name]).__name__,
        "ExpectColumnValuesToBeInSet",
        {"value_set": ["str"]},
        seen=lambda row: row.get(name),
    )


def _short_enough(name: str) -> Rule:
    return Rule(
        f"{name} is longer than {LONGEST_TEXT:,} characters",
        "split it, or check whether a whole file landed in one field",
        f"length of {name}",
        lambda row: float(len(row[name])) if isinstance(row.get(name), str) else None,
        "ExpectColumnValuesToBeBetween",
        {"max_value": LONGEST_TEXT},
        seen=lambda row: f"{len(row[name]):,} characters",
    )


def _legible(name: str) -> Rule:
    return Rule(
        f"{name} is full of replacement characters",
        "read the original with its own encoding and write it as UTF-8",
        f"unreadable share of {name}",
        lambda row: faults.unreadable_share(row.get(name)),
        "ExpectColumnValuesToBeBetween",
        {"max_value": UNREADABLE_SHARE},
        seen=lambda row: row[name],
    )


def _sound(name: str, advice: str, column: str, fault: Callable[[Row], str | None]) -> Rule:
    return Rule(name, advice, column, fault, "ExpectColumnValuesToBeNull", seen=fault)


def _one_of(name: str, advice: str, values: Sequence[str], default: str | None) -> Rule:
    return Rule(
        f"{name} is {'neither ' + ' nor '.join(values) if len(values) == 2 else 'unknown'}",
        advice,
        name,
        lambda row: faults.plain(row.get(name) or default),
        "ExpectColumnValuesToBeInSet",
        {"value_set": [*values]},
        seen=lambda row: row.get(name),
    )


_STORABLE = _sound(
    "a text cannot be stored",
    "remove it, or write the file as UTF-8",
    "unstorable text",
    faults.storage_fault,
)
RULES: dict[Kind, tuple[Rule, ...]] = {
    "question": (
        *(_anywhere(name) for name in ("question_id", "question")),
        *(_filled(name) for name in ("question_id", "question")),
        *(
            _optional_text(name)
            for name in (
                "reference_answer",
                "profile",
                "messages",
                "guidance",
                "risk_level",
                "category",
                "case_id",
            )
        ),
        _sound(
            "nuggets are not a list of texts",
            "write nuggets as texts, or as objects with text and importance vital or okay",
            "fault of nuggets",
            faults.nuggets_fault,
        ),
        *(_short_enough(name) for name in ("question", "reference_answer")),
        *(_legible(name) for name in ("question", "reference_answer")),
        _STORABLE,
    ),
    "answer": (
        *(_anywhere(name) for name in ("question_id", "system")),
        *(_filled(name) for name in ("question_id", "system")),
        _sound(
            "answer is missing or not text",
            "give the answer as text, empty where the system said nothing, or as sentences",
            "fault of answer",
            faults.answer_fault,
        ),
        _sound(
            "sentences are not objects with text and citations",
            'write sentences as [{text, citations: ["PMID:1"]}]',
            "fault of sentences",
            faults.sentences_fault,
        ),
        _sound(
            "references are not a list",
            "write references as [{marker, pmid, doi, url, title, content}]",
            "fault of references",
            faults.references_fault,
        ),
        _short_enough("answer"),
        _legible("answer"),
        _STORABLE,
    ),
    "document": (
        _filled("id"),
        _sound(
            "the document has no text",
            "give text, or sections as [{label, text}]",
            "fault of text",
            faults.document_fault,
        ),
        *(_optional_text(name) for name in ("title", "url")),
        _sound(
            "identifiers are not a list",
            'write identifiers as ["pmid:1", "doi:10.1/x"]',
            "fault of identifiers",
            faults.identifiers_fault,
        ),
        _short_enough("text"),
        _legible("text"),
        _STORABLE,
    ),
    "human_score": (
        *(_anywhere(name) for name in ("question_id", "system", "metric")),
        *(_filled(name) for name in ("question_id", "system", "annotator", "metric")),
        _sound(
            "neither a score nor a label",
            "give score as a number, or label as text",
            "fault of score",
            faults.score_fault,
        ),
        _one_of(
            "role",
            "say tune for rows that may fit something, test for those that may not; never both",
            ("tune", "test"),
            "missing",
        ),
        _one_of("target", "say answer, evaluation or nugget", ("answer", "evaluation", "nugget"), "answer"),
        _STORABLE,
    ),
}


def violations(kind: Kind, rows: list[Row]) -> list[Violation]:
    """Judge a chunk of rows by its table's suite; every broken rule of every row, in the rules' order.

    Ten thousand rows take well under a second; the import of Great Expectations takes four, once.
    """
    if not rows:
        return []
    rules = RULES[kind]
    broken = _broken(kind, _frame(rules, rows))
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
    value = rule.seen(row) if rule.seen else None
    return "nothing there" if value is None else shortened(value)


def _frame(rules: Sequence[Rule], rows: list[Row]) -> "pd.DataFrame":
    import pandas as pd

    columns = {rule.column: rule.fact for rule in rules}
    facts = {name: [fact(row) for row in rows] for name, fact in columns.items()}
    numbers = {rule.column for rule in rules if rule.expectation == "ExpectColumnValuesToBeBetween"}
    frame = pd.DataFrame({
        name: pd.Series(values, dtype="float64" if name in numbers else "object") for name, values in facts.items()
    })  # fmt: skip
    frame["row_no"] = range(len(rows))
    return frame


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
def _context() -> Any:
    """Open one ephemeral context a process; it reports nothing to anybody and draws no bars."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "False")
    import great_expectations as gx

    for name in ("great_expectations", "great_expectations.data_context.types.base"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    return context


@cache
def _validation(kind: Kind) -> Any:
    """Build the table's suite once a process."""
    context = _context()
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
