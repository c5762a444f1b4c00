"""Great Expectations suites as code, one a table: which rows are sound, and what to do about the others.

A chunk of rows becomes a frame of facts (is it there, is it text, how long is it), and the suite judges the
facts; so one suite says all the rules of a table, by name, with their severity.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from models.intake.rows import Kind, shortened

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["critical", "warning"]
LONGEST_TEXT = 10_000_000
IMPORTANCE = ("vital", "okay")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of one table: a fact about a row that must hold, its name, and what to do where it does not."""

    name: str
    advice: str
    holds: Callable[[dict[str, Any]], bool]
    seen: Callable[[dict[str, Any]], Any]
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a row of the chunk breaks; `row` is its index in the chunk."""

    row: int
    rule: str
    observed: str
    advice: str
    severity: Severity


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _filled(name: str) -> Rule:
    return Rule(
        f"{name} is missing or not text",
        f"give every row a {name}",
        lambda row: _text(row.get(name)),
        lambda row: row.get(name),
    )


def _optional_text(name: str) -> Rule:
    return Rule(
        f"{name} is not text",
        f"write {name} as text, or leave it out",
        lambda row: row.get(name) is None or isinstance(row[name], str),
        lambda row: row[name],
    )


def _short_enough(name: str) -> Rule:
    return Rule(
        f"{name} is longer than {LONGEST_TEXT:,} characters",
        "split it, or check whether a whole file landed in one field",
        lambda row: not isinstance(row.get(name), str) or len(row[name]) <= LONGEST_TEXT,
        lambda row: f"{len(row[name]):,} characters",
    )


def _clean(name: str) -> Rule:
    return Rule(
        f"{name} holds a NUL byte or half a character",
        "write the file again as UTF-8",
        lambda row: not isinstance(row.get(name), str) or _encodable(row[name]),
        lambda row: row[name],
    )


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def _nuggets_sound(row: dict[str, Any]) -> bool:
    nuggets = row.get("nuggets")
    return nuggets is None or (isinstance(nuggets, list) and all(_nugget_sound(nugget) for nugget in nuggets))


def _nugget_sound(nugget: Any) -> bool:
    if isinstance(nugget, dict):
        return _text(nugget.get("text")) and nugget.get("importance") in (None, *IMPORTANCE)
    return _text(nugget)


def _has_answer(row: dict[str, Any]) -> bool:
    return isinstance(row.get("answer"), str) or isinstance(row.get("sentences"), list)


def _sentences_sound(row: dict[str, Any]) -> bool:
    return all(
        isinstance(s, str)
        or (
            isinstance(s, dict)
            and isinstance(s.get("text"), str)
            and isinstance(s.get("citations") or [], list)
        )
        for s in row.get("sentences") or ()
    )


def _references_sound(row: dict[str, Any]) -> bool:
    listed = row.get("references")
    return listed is None or (
        isinstance(listed, list) and all(isinstance(r, dict | str | int) for r in listed)
    )


def _document_has_text(row: dict[str, Any]) -> bool:
    sections = row.get("sections")
    if isinstance(sections, dict):
        return all(isinstance(text, str) for text in sections.values()) and bool(sections)
    if isinstance(sections, list) and sections:
        return all(
            _text(part if isinstance(part, str) else part.get("text"))
            for part in sections
            if part is not None
        )
    return _text(row.get("text"))


RULES: dict[Kind, tuple[Rule, ...]] = {
    "question": (
        _filled("question_id"),
        _filled("question"),
        *(_optional_text(name) for name in ("reference_answer", "guidance", "risk_level", "category", "case_id")),
        Rule(
            "nuggets are not a list of texts",
            "write nuggets as texts, or as objects with text and importance vital or okay",
            _nuggets_sound,
            lambda row: row["nuggets"],
        ),
        _short_enough("reference_answer"),
        *(_clean(name) for name in ("question_id", "question", "reference_answer")),
    ),
    "answer": (
        _filled("question_id"),
        _filled("system"),
        Rule(
            "answer is missing or not text",
            "give the answer as text, empty where the system said nothing, or as sentences",
            _has_answer,
            lambda row: row.get("answer"),
        ),
        Rule(
            "sentences are not objects with text and citations",
            "write sentences as [{text, citations: [\"PMID:1\"]}]",
            _sentences_sound,
            lambda row: row["sentences"],
        ),
        Rule(
            "references are not a list",
            "write references as [{marker, pmid, doi, url, title, content}]",
            _references_sound,
            lambda row: row["references"],
        ),
        _short_enough("answer"),
        *(_clean(name) for name in ("question_id", "system", "answer")),
    ),
    "document": (
        _filled("id"),
        Rule(
            "the document has no text",
            "give text, or sections as [{label, text}]",
            _document_has_text,
            lambda row: row.get("text") or row.get("sections"),
        ),
        _optional_text("title"),
        _short_enough("text"),
        *(_clean(name) for name in ("id", "text", "title")),
    ),
    "human_score": (
        *(_filled(name) for name in ("question_id", "system", "annotator", "metric")),
        Rule(
            "neither a score nor a label",
            "give score as a number, or label as text",
            lambda row: _text(row.get("label")) or _is_number(row.get("score")),
            lambda row: row.get("score"),
        ),
        Rule(
            "role is neither tune nor test",
            "say tune for rows that may fit something, test for those that may not; never both",
            lambda row: row.get("role") in ("tune", "test"),
            lambda row: row.get("role"),
        ),
        Rule(
            "target is unknown",
            "say answer, evaluation or nugget",
            lambda row: row.get("target", "answer") in ("answer", "evaluation", "nugget"),
            lambda row: row.get("target"),
        ),
    ),
}  # fmt: skip


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def violations(kind: Kind, rows: list[dict[str, Any]]) -> list[Violation]:
    """Judge a chunk of rows by its table's suite; every broken rule of every row, in the rules' order.

    Ten thousand rows take well under a second; the import of Great Expectations takes four, once.
    """
    if not rows:
        return []
    import pandas as pd

    rules = RULES[kind]
    facts = pd.DataFrame({rule.name: [rule.holds(row) for row in rows] for rule in rules})
    facts["row_no"] = range(len(rows))
    found = _broken(kind, facts)
    return [
        Violation(index, rule.name, _observed(rule, rows[index]), rule.advice, rule.severity)
        for rule in rules
        for index in found.get(rule.name, ())
    ]


def _observed(rule: Rule, row: dict[str, Any]) -> str:
    value = rule.seen(row)
    return "nothing there" if value is None else shortened(value)


def _broken(kind: Kind, facts: "pd.DataFrame") -> dict[str, list[int]]:
    validation = _validation(kind)
    result = validation.run(
        batch_parameters={"dataframe": facts},
        result_format={
            "result_format": "COMPLETE",
            "unexpected_index_column_names": ["row_no"],
            "include_unexpected_rows": False,
        },
    )
    broken: dict[str, list[int]] = {}
    for outcome in result.results:
        if not outcome.success:
            places = outcome.result.get("unexpected_index_list") or []
            broken[outcome.expectation_config.kwargs["column"]] = [int(place["row_no"]) for place in places]
    return broken


@cache
def _context() -> Any:
    """Open one ephemeral context a process; it reports nothing to anybody."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "False")
    import great_expectations as gx

    for name in ("great_expectations", "great_expectations.data_context.types.base"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]  # a plain dict is documented
    return context


@cache
def _validation(kind: Kind) -> Any:
    """Build the table's suite once a process."""
    context = _context()
    import great_expectations as gx

    suite = gx.ExpectationSuite(
        name=kind,
        expectations=[
            gx.expectations.ExpectColumnValuesToBeInSet(column=rule.name, value_set=[True], severity=rule.severity)
            for rule in RULES[kind]
        ],
    )
    asset = context.data_sources.add_pandas(name=kind).add_dataframe_asset(name=kind)
    batch = asset.add_batch_definition_whole_dataframe("chunk")
    return context.validation_definitions.add(
        gx.ValidationDefinition(name=kind, data=batch, suite=context.suites.add(suite))
    )
