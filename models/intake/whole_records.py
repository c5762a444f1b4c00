"""Records with answers and documents nested in a question."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record
from medassay.models.intake.names import IDENTITY, KNOWN, SYNONYMS
from medassay.models.intake.rows import Kind

_ANSWER = ("answer", "output", "response", "sentences", "turns")
_SYSTEM = ("system", "model", "run_id", "run_name", "team_id")
_OF_ANSWER = frozenset((*_ANSWER, "references", "cited_spans", "contexts", "citations", *_SYSTEM))
_ASKED = ("question", "question_summary", "query")
_INLINE = ("answers", "documents")


def whole_record(record: Record) -> Iterator[tuple[Kind, Record]]:
    """Read a record that may hold a question, its answers and its documents; every part of it becomes a row.

    Answers are a list, a map by system, or one answer in `answers` or beside the question; documents are a list, a
    map by id, or one document. What is none of these becomes a row that the rules of its table refuse.
    """
    identity = next((record[name] for name in IDENTITY if record.get(name) is not None), None)
    named = {name: record[name] for name in _SYSTEM if record.get(name) is not None}
    own = {name: v for name, v in record.items() if name not in _INLINE and v is not None}
    inline = {name: record[name] for name in _INLINE if record.get(name) is not None}
    one = any(name in own for name in _ANSWER)
    asked = any(name in record for name in _ASKED)
    if asked:
        of_answers = _SYSTEM if "answers" in inline else ()
        yield (
            "question",
            {n: v for n, v in own.items() if (_is_of_the_question(n) if one else n not in of_answers)},
        )
    for document in _documents(inline.get("documents")):
        yield "document", document
    for answer in _answers(inline.get("answers")):
        yield "answer", {"question_id": identity, **(named if not one else {}), **answer}
    if one:
        yield (
            "answer",
            {"question_id": identity}
            | {n: v for n, v in own.items() if not (n in IDENTITY if not asked else _is_of_the_question(n))},
        )
    if not asked and not one and (not inline or own.keys() - {*IDENTITY, *_SYSTEM}):
        yield (_kind_of(own) if not inline else "question"), own


def _kind_of(own: Record) -> Kind:
    if "annotator" in own:
        return "human_score"
    return "document" if own.keys() & {"text", "sections"} else "question"


def _is_of_the_question(name: str) -> bool:
    """Return whether a field is the question's; what nothing reads, a latency say, is of the answer beside it."""
    return name not in _OF_ANSWER and (name in KNOWN["question"] or name in SYNONYMS["question"])


def _answers(inline: Any) -> list[Record]:
    if inline is None:
        return []
    if isinstance(inline, dict) and not (inline.keys() & {*_ANSWER} and _all_known("answer", inline)):
        return [
            {"system": system, **answer} if isinstance(answer, dict) else {"system": system, "answer": answer}
            for system, answer in inline.items()
        ]
    listed = inline if isinstance(inline, list) else [inline]
    return [answer if isinstance(answer, dict) else {"answer": answer} for answer in listed]


def _documents(inline: Any) -> list[Record]:
    if inline is None:
        return []
    if isinstance(inline, dict) and not (
        inline.keys() & {"text", "sections"} and _all_known("document", inline)
    ):
        return [
            {"id": name, **document} if isinstance(document, dict) else {"id": name, "text": document}
            for name, document in inline.items()
        ]
    listed = inline if isinstance(inline, list) else [inline]
    return [document if isinstance(document, dict) else {"text": document} for document in listed]


def _all_known(kind: Kind, value: Record) -> bool:
    return all(name in KNOWN[kind] or name in SYNONYMS[kind] for name in value)
