"""Canonical field names, their synonyms, and what can be read of a broken row."""

import json
import re
from itertools import takewhile
from typing import Any

from medassay.models.intake.rows import Kind, unclean
from medassay.models.people.labels import LABELLED_ITEMS
from medassay.models.spreadsheets import plain_name
from medassay.models.text.layout.reasoning import without_reasoning

_NOTHING = frozenset("nan none null nil undefined n/a na #n/a #n/a! <na> [] {} <empty> [empty]".split())
FAILED_FORMULAS = frozenset("#ref! #value! #name? #div/0! #n/a #null! #num! #spill! #calc!".split())
_ERROR = re.compile(
    r"(?:[\w.]*(?:Error|Exception)(?: code)?\s?[:(]|Traceback \(most recent call last\)|HTTP(?:/\d\S*)? [45]\d\d\b"
    r"|(?:Error )?[45]\d\d (?:Too Many Requests|Bad Request|Unauthorized|Forbidden|Internal Server Error|Bad Gateway"
    r"|Service Unavailable|Gateway Time-?out))"
)
_LONGEST_ERROR = 2000

IDENTITY = ("question_id", "id", "qid", "query_id", "topic_id")
SYNONYMS: dict[Kind, dict[str, str]] = {
    "question": {
        **dict.fromkeys(IDENTITY[1:], "question_id"),
        "question_summary": "question", "query": "question",
        "expert_answer": "reference_answer", "gt_answer": "reference_answer",
        "evaluator_notes": "guidance", "rubrics": "criteria",
    },
    "answer": {
        **dict.fromkeys(IDENTITY[1:], "question_id"),
        "output": "answer", "response": "answer",
        "model": "system", "run_id": "system", "run_name": "system", "team_id": "system",
    },
    "document": {"document_id": "id", "doc_id": "id", "docid": "id", "content": "text", "abstract": "text"},
    "human_score": {**dict.fromkeys(IDENTITY[1:], "question_id"), "model": "system", "rater": "annotator"},
    "rationale": {
        **dict.fromkeys(IDENTITY[1:], "question_id"),
        "model": "system", "judge": "author", "annotator": "author",
        "justification": "rationale", "explanation": "rationale", "text": "rationale",
    },
}  # fmt: skip
KNOWN: dict[Kind, frozenset[str]] = {
    "question": frozenset(
        "question_id question reference_answer nuggets criteria profile messages guidance risk_level category"
        " case_id must_ask red_flags".split()
    ),
    "answer": frozenset(
        "question_id system answer sentences turns references cited_spans contexts failed".split()
    ),
    "document": frozenset("id title text sections pmid pmcid doi nct url identifiers note".split()),
    "human_score": frozenset(
        "question_id system annotator metric score label target judge role item scale".split()
    ),
    "rationale": frozenset("question_id system author rationale".split()),
}
REQUIRED: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "question": (("question",),),
    "answer": (("question_id", "question"), ("system",), ("answer", "sentences", "messages", "turns")),
    "document": (("id", "pmid", "pmcid", "doi", "nct", "url"), ("text", "sections")),
    "human_score": (
        ("question_id",),
        ("system",),
        ("annotator",),
        ("metric",),
        ("role",),
        ("score", "label"),
    ),
    "rationale": (("question_id",), ("system",), ("author",), ("rationale",)),
}
"""What a table cannot do without: of each group, one column."""
ALL_NAMES = frozenset[str]().union(*KNOWN.values(), *SYNONYMS.values())
"""Every name of a column that something reads, whatever the table."""
IDENTIFIERS = ("pmid", "pmcid", "doi", "nct", "url")
_NAMES = frozenset(
    "question_id system id annotator author case_id judge label risk_level category pmid pmcid doi nct url"
    " metric role target".split()
)
"""Fields that name something: numbers are their text, and white space around them says nothing."""
ACTS = ("must_ask", "red_flags")
"""What an assistant must ask, and what it must raise, each perhaps by a turn."""
_TARGETS = {"nugget_label": "nugget", "criterion_label": "criterion"}
"""What a human metric is of that has a target of its own, where the row names none."""
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+,\d{1,2}|0,\d+)")
"""`4,5`, as most of Europe's spreadsheets write a number; `1,234` may be a thousand and more."""
_READABLE = ("profile", "messages", "guidance")
_OPENING = re.compile(r"\s*\{")
_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r"\s*,")
_BLANKS = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


def no_answer_reason(text: str) -> str | None:
    """Return why a text is no answer: an error's message, a program's word for nothing, thoughts without an end."""
    said = text.strip()
    if said.lower() in _NOTHING | FAILED_FORMULAS:
        return f"{said!r} stands where the answer should: what programs write for nothing"
    if len(said) <= _LONGEST_ERROR and _ERROR.match(said):
        return f"an error stands where the answer should: {' '.join(said.split())[:160]}"
    if said and not without_reasoning(text).strip():
        return "the answer was cut off in its reasoning, before it said anything"
    return None


def is_name(column: str) -> bool:
    """Return whether a column names something in any of the tables."""
    return any(synonyms.get(column, column) in _NAMES for synonyms in SYNONYMS.values())


def canonical(kind: Kind, value: dict[str, Any]) -> dict[str, Any]:
    """Give a row's fields their canonical names, and what names something its text; drop what is NULL.

    A canonical name that is there wins over its synonyms; one that says something else is kept, as are unknown
    fields: the caller says which.
    """
    synonyms = SYNONYMS[kind]
    row = {name: v for name, v in value.items() if name not in synonyms and v is not None}
    for other, name in synonyms.items():
        if value.get(other) is not None and row.setdefault(name, value[other]) != value[other]:
            row[other] = value[other]
    if kind == "question" and str(row.get("reference_answer")).strip().lower() in FAILED_FORMULAS:
        del row["reference_answer"]
    for name in _NAMES & row.keys():
        row[name] = as_identifier(row[name]) if name in IDENTIFIERS else as_name(row[name])
    if not isinstance(row.get("item", ""), str):  # a text may be a nugget, word for word
        row["item"] = as_name(row["item"])
    for name in _READABLE if kind == "question" else ():
        if name in row and not isinstance(row[name], str):
            row[name] = readable(row[name])
    if isinstance(row.get("nuggets"), list):
        row["nuggets"] = [_nugget(nugget) for nugget in row["nuggets"]]
    if isinstance(row.get("criteria"), list):
        row["criteria"] = [_criterion(criterion) for criterion in row["criteria"]]
    if is_conversation(row.get("question")):
        row["question"] = conversation(row["question"])
    for name in ACTS if kind == "question" else ():
        if name in row:
            row[name] = _acts(row[name])
    if kind == "human_score":
        row = {"target": _TARGETS.get(str(row.get("metric")), "answer"), "judge": "", "item": ""} | row
        row |= {"score": _number(row["score"])} if "score" in row else {}
        row |= {"label": str(row["label"]).lower()} if isinstance(row.get("label"), bool) else {}
        if row["target"] in LABELLED_ITEMS and "label" not in row and row.get("score") in (0, 1):
            row["label"] = str(int(row["score"]))
    if kind == "document" and "id" not in row:
        named = next((f"{name}:{row[name]}" for name in IDENTIFIERS if row.get(name)), None)
        row |= {"id": named} if named else {}
    return row


def as_name(value: Any) -> Any:
    """Write a whole number as the id that it is, 116 and 116.0 as 116, a text without what is blank around it."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def as_identifier(value: Any) -> Any:
    """Write a number as the identifier that it is, and one that was rounded to three digits as 1.88E+07.

    A float with five zeros at its end has most likely been through a cell of a spreadsheet that showed it so, and is
    another record's number.
    """
    if isinstance(value, float) and value >= 1e6 and value % 100_000 == 0:
        return f"{value:.2E}"
    return as_name(value)


def has_decimal_comma(value: Any) -> bool:
    """Return whether a text is a number with a decimal comma, as `4,5`."""
    return isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()) is not None


def _number(value: Any) -> Any:
    """Read a number that a table holds as text; what is none stays, for the rules to name."""
    try:
        if has_decimal_comma(value):
            value = value.replace(",", ".")
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _nugget(nugget: Any) -> Any:
    if not isinstance(nugget, dict):
        return nugget
    named = {
        "text" if name in ("nugget", "claim") else name: v for name, v in nugget.items() if v is not None
    }
    if isinstance(named.get("importance"), str):
        named["importance"] = named["importance"].strip().lower()
    return named


def _criterion(criterion: Any) -> Any:
    """Give a criterion its text, points (1 unless given) and tags; what is none stays, for the rules to name."""
    if isinstance(criterion, str):
        return {"text": criterion, "points": 1.0, "tags": []}
    if not isinstance(criterion, dict):
        return criterion
    text, tags = criterion.get("criterion", criterion.get("text")), criterion.get("tags") or []
    return {"text": text, "points": _number(criterion.get("points", 1.0)), "tags": tags}


def _acts(listed: Any) -> Any:
    """Write what must be asked or raised as texts with the turn by which; what is none stays, for the rules to name."""
    if isinstance(listed, str):
        listed = [line for line in listed.splitlines() if line.strip()]
    return [_act(one) for one in listed] if isinstance(listed, list) else listed


def _act(act: Any) -> Any:
    if not isinstance(act, dict):
        return {"text": act}
    text = next((act[name] for name in ("text", "question", "item", "ask", "flag") if name in act), None)
    turn = next((act[name] for name in ("by_turn", "by", "turn") if act.get(name) is not None), None)
    return {"text": text, **({"by_turn": _number(turn)} if turn is not None else {})}


def is_conversation(value: Any) -> bool:
    """Return whether a value is a list of messages, each with a role and content."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(turn, dict) and {"role", "content"} <= turn.keys() for turn in value)
    )


def conversation(turns: list[dict[str, Any]]) -> str:
    """Write messages as a question: one of a user as its text, several with their roles, a blank line between."""
    if len(turns) == 1 and turns[0]["role"] == "user":
        return _said(turns[0]["content"])
    return "\n\n".join(f"{turn['role']}: {_said(turn['content'])}" for turn in turns)


def _said(content: Any) -> str:
    """Return what a message says: its text, or those of its parts."""
    if isinstance(content, list):
        return "\n".join(_said(part) for part in content)
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return str(content["text"])
    return readable(content)


def readable(value: Any) -> str:
    """Write a list or an object as lines of text, as a reader would note it."""
    if isinstance(value, dict):
        if set(value) >= {"role", "content"}:
            return f"{value['role']}: {readable(value['content'])}"
        return "\n".join(f"{name}: {readable(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "\n".join(readable(part) for part in value)
    return value if isinstance(value, str) else str(value)


def unknown(kind: Kind, row: dict[str, Any]) -> frozenset[str]:
    """Return the fields that nothing reads."""
    return frozenset(row) - KNOWN[kind]


def recognised(columns: list[str]) -> list[str]:
    """Give columns their known names, whatever their capitals and blanks; not where two would then be one."""
    meant = [plain if (plain := plain_name(name)) in ALL_NAMES else name for name in columns]
    return [name if meant.count(plain) > 1 else plain for name, plain in zip(columns, meant, strict=True)]


def expected_columns(kind: Kind | None) -> str:
    """Name the columns that a table may have, those that it needs first."""
    if kind is None:
        return "question_id, question, system, answer"
    first = ["question_id"] if "question_id" in KNOWN[kind] else []
    needed = dict.fromkeys([*first, *(n for group in REQUIRED[kind] for n in group if n in KNOWN[kind])])
    return ", ".join([*needed, *sorted(KNOWN[kind] - needed.keys())])


def missing_columns(kind: Kind, columns: list[str]) -> list[str]:
    """Name what a table with these columns lacks, as `answer or sentences`."""
    named = {SYNONYMS[kind].get(name, name) for name in columns}
    return [" or ".join(group) for group in REQUIRED[kind] if not named.intersection(group)]


def leading_fields(text: str) -> dict[str, Any]:
    """Read the fields of a JSON object up to where it breaks; of a name that stands there twice nothing is known."""
    fields: dict[str, Any] = {}
    twice: set[str] = set()
    step = _OPENING.match(text)
    while step:
        try:
            name, at = _DECODER.raw_decode(text, _end_of_blanks(text, step.end()))
            if not isinstance(name, str) or (step := _COLON.match(text, at)) is None:
                break
            value, at = _DECODER.raw_decode(text, step.end())
        except (ValueError, RecursionError):
            break
        if name in fields:
            twice.add(name)
        fields[name] = value
        step = _COMMA.match(text, at)
    return storable({name: value for name, value in fields.items() if name not in twice})


def leading_cells(names: list[str], cells: list[str]) -> dict[str, str]:
    """Read the names before the first text of a row that does not fit its header: it did not break before there."""
    held = takewhile(lambda cell: is_name(cell[0]), zip(names, cells, strict=False))
    return storable(dict(held))


def storable(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a database can hold."""
    return {name: value for name, value in fields.items() if not unclean({name: value})}


def _end_of_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
