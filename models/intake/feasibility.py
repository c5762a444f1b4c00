"""Check before a run whether anything could be measured."""

import re
from collections import deque
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from medassay.models.intake.conversations import Turn, conversation_fault, turns_of
from medassay.models.intake.names import ACTS, SYNONYMS
from medassay.models.intake.rows import Intake, IntakeError
from medassay.models.intake.shapes import read_data

_CITES = re.compile(
    r"\[\^?\w|【|PMID|PMC\d|NCT\d|\bdoi\b|\b10\.\d{4}|https?://|<(?:cite|ref|sup)\b|\((?:[^()]*\b(?:19|20)\d\d)[a-z]?\)|[¹²³⁴-⁹]",
    re.IGNORECASE,
)


MOST_ROWS = 20_000
"""So many rows are looked at before a run is started; what breaks later is told by the run."""


def refuse_unreadable(path: Path, chosen_columns: Iterable[str]) -> None:
    """Refuse data that cannot be read.

    Raises:
        IntakeError: with a line for each file that cannot be read.
    """
    deque(islice(read_data(path, chosen_columns).rows, MOST_ROWS), maxlen=0)


def refuse_nothing_to_measure(path: Path, chosen_columns: Iterable[str]) -> None:
    """Refuse data without a judge's help where every main metric would stay empty; reads only as far as it must.

    Raises:
        IntakeError: where there are answers, and neither a reference answer, a nugget, a citation nor a human score.
    """
    answered = 0
    headings: dict[str, None] = {}
    data = read_data(path, chosen_columns)
    for row in data.rows:
        if not isinstance(row, Intake):
            continue
        if row.kind in ("human_score", "rationale") or _measures(row):
            return
        if row.kind == "answer":
            answered += 1
        headings.update(dict.fromkeys(row.value))
    if answered:
        also = [name for name, meant in SYNONYMS["question"].items() if meant == "reference_answer"]
        raise IntakeError(
            path,
            None,
            "every main metric would be empty: no question has a reference_answer or nuggets, no answer cites anything,"
            f" and marks from evidence need one of them; the fields are {', '.join(headings)}"
            + "".join(f"; {line}" for line in data.warnings if " is not read: " in line),
            f"give a reference_answer (also read: gold answer, ground truth, {', '.join(also)}; any heading with"
            ' --column reference_answer="…"), or name a --judge'
            + "".join(f"; {line.partition(': ')[2]}" for line in data.warnings if " is not read: " in line),
        )


def _measures(row: Intake) -> bool:
    value: dict[str, Any] = row.value
    if row.kind == "question":
        wanted = any(value.get(name) for name in ("nuggets", *ACTS))
        return wanted or bool(str(value.get("reference_answer") or "").strip())
    if row.kind != "answer":
        return False
    sentences = value.get("sentences")
    listed = sentences if isinstance(sentences, list) else []
    cited = any(isinstance(sentence, dict) and sentence.get("citations") for sentence in listed)
    return (
        cited
        or bool(value.get("references") or value.get("cited_spans"))
        or bool(_CITES.search(str(value.get("answer"))))
        or any(
            turn.answer.get("references") or _CITES.search(turn.answer["answer"]) for turn in _turns(value)
        )
    )


def _turns(value: dict[str, Any]) -> list[Turn]:
    return turns_of(value["turns"]) if value.get("turns") and conversation_fault(value) is None else []
