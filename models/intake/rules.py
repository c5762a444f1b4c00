"""Validation rules of each table, with severity and advice.

A rule is one expectation of one column. Its column is made of the rows: a field that is text (nothing where it is
missing, blank or of another type), its length, or the fault of a list inside the row. `warning` quarantines the row,
`critical` stops the run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from medassay.models.intake import faults
from medassay.models.intake.conversations import conversation_fault
from medassay.models.intake.file_opening import AS_UTF8
from medassay.models.intake.names import ACTS, SYNONYMS
from medassay.models.intake.references import references_fault, spans_fault
from medassay.models.intake.rows import Kind
from medassay.models.people.labels import KNOWN_WORDS, LABELLED_ITEMS

Severity = Literal["critical", "warning"]
Row = dict[str, Any]
LONGEST_TEXT = 10_000_000
UNREADABLE_SHARE = 0.05
_ANY_ROW = 1e-9
"""The share of rows that a table must have with a column: any at all."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One expectation of one column: what it is called, what to do where it fails, what the column is made of."""

    name: str
    advice: str
    column: str
    fact: Callable[[Row], Any]
    expectation: str
    arguments: dict[str, Any] = field(default_factory=dict)
    seen: Callable[[Row], str | None] | None = None
    severity: Severity = "warning"


def _one(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _filled(name: str) -> Rule:
    return Rule(
        f"{name} is missing or not text",
        f"give every row {_one(name)}",
        name,
        lambda row: faults.words(row.get(name)),
        "ExpectColumnValuesToNotBeNull",
        seen=lambda row: faults.seen(row.get(name)),
    )


def _anywhere(kind: Kind, name: str) -> Rule:
    also = ", ".join(other for other, canonical in SYNONYMS[kind].items() if canonical == name)
    return Rule(
        f"no row has {_one(name)}",
        f"name the column {name}" + (f" (also read: {also})" if also else ""),
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
        seen=lambda row: faults.seen(row.get(name)),
    )


def _short_enough(name: str) -> Rule:
    return Rule(
        f"{name} is longer than {LONGEST_TEXT:,} characters",
        "split it, or check whether a whole file landed in one field",
        f"length of {name}",
        lambda row: faults.length(row, name),
        "ExpectColumnValuesToBeBetween",
        {"max_value": LONGEST_TEXT},
        seen=lambda row: f"{faults.length(row, name) or 0:,.0f} characters",
    )


def _legible(name: str) -> Rule:
    return Rule(
        f"{name} is full of replacement characters",
        "read the original with its own encoding and write it as UTF-8",
        f"unreadable share of {name}",
        lambda row: faults.unreadable_share(row.get(name)),
        "ExpectColumnValuesToBeBetween",
        {"max_value": UNREADABLE_SHARE},
        seen=lambda row: faults.seen(row[name]),
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
        seen=lambda row: faults.seen(row.get(name)),
    )


ROLE_ADVICE = "give every row a role: tune where it may fit something, test where it may not; never both"
_STORABLE = _sound(
    "a text cannot be stored",
    AS_UTF8,
    "unstorable text",
    faults.storage_fault,
)
RULES: dict[Kind, tuple[Rule, ...]] = {
    "question": (
        *(_anywhere("question", name) for name in ("question_id", "question")),
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
        _sound(
            "criteria are not a list of texts with points",
            "write criteria as [{criterion, points, tags}], with points under 0 for what must not be",
            "fault of criteria",
            faults.criteria_fault,
        ),
        *(
            _sound(
                f"{name} is not a list of texts",
                f"write {name} as texts, or as [{{text, by_turn}}] with a turn from 1",
                f"fault of {name}",
                partial(faults.acts_fault, name),
            )
            for name in ACTS
        ),
        *(_short_enough(name) for name in ("question", "reference_answer")),
        *(_legible(name) for name in ("question", "reference_answer")),
        _STORABLE,
    ),
    "answer": (
        *(_anywhere("answer", name) for name in ("question_id", "system")),
        *(_filled(name) for name in ("question_id", "system")),
        _sound(
            "the messages are no conversation",
            "write messages as [{role, content}], with roles user and assistant, the assistant's last; or the last"
            " reply as answer",
            "fault of turns",
            conversation_fault,
        ),
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
            "references cannot be read",
            "write references as [{marker, pmid, doi, url, title, content}]",
            "fault of references",
            references_fault,
        ),
        _sound(
            "cited_spans are no places in the answer",
            'write cited_spans as [{start, end, citations: ["PMID:1"]}], counted in characters',
            "fault of cited_spans",
            spans_fault,
        ),
        _sound(
            "contexts are not a list of texts",
            "write what was retrieved as a list of texts, or of objects with text",
            "fault of contexts",
            faults.contexts_fault,
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
        *(_anywhere("human_score", name) for name in ("question_id", "system", "metric")),
        *(_filled(name) for name in ("question_id", "system", "annotator", "metric")),
        _sound(
            "neither a score nor a label",
            "give score as a number, or label as text",
            "fault of score",
            faults.score_fault,
        ),
        _one_of(
            "role",
            ROLE_ADVICE,
            ("tune", "test"),
            "missing",
        ),
        _sound(
            "the evaluation that is scored names no judge",
            "say whose evaluation it is in judge, or score the answer with target answer",
            "fault of judge",
            lambda row: (
                "judge is empty"
                if row.get("target") == "evaluation" and not faults.words(row.get("judge"))
                else None
            ),
        ),
        _one_of(
            "target",
            "say answer, evaluation, nugget or criterion",
            ("answer", "evaluation", "nugget", "criterion"),
            "answer",
        ),
        _sound(
            "the score is not on the scale that its row names",
            "leave the cell empty where nobody scored; write a scale as 1 to 5",
            "fault of scale",
            faults.scale_fault,
        ),
        *(
            _sound(
                f"the label of a {item} is no known word",
                f"write {KNOWN_WORDS[item]}",
                f"label of a {item}",
                partial(faults.label_fault, item),
            )
            for item in LABELLED_ITEMS
        ),
        _STORABLE,
    ),
    "rationale": (
        *(_anywhere("rationale", name) for name in ("question_id", "system", "author", "rationale")),
        *(_filled(name) for name in ("question_id", "system", "author", "rationale")),
        _short_enough("rationale"),
        _legible("rationale"),
        _STORABLE,
    ),
}
