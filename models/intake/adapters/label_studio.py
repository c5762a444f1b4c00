"""Label Studio's exports: people's ratings, numbers and choices as human scores of an answer."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, listed
from medassay.models.intake.adapters.log_records import OF_ROWS, LogForm, LogRecords, parsed
from medassay.models.intake.headings import renamed
from medassay.models.intake.rows import Place

_FORM = LogForm(
    "Label Studio", (), ("question",), ("answer",), ("reference_answer",), ("contexts",), ("question_id",),
    ("system",), scores=lambda record: record["scores"],
)  # fmt: skip
_READ = frozenset({"question_id", "question", "reference_answer", "system", "answer", "contexts", *OF_ROWS})
_OF_EXPORT = frozenset(
    {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"}
)


def _is_task(record: Record) -> bool:
    return isinstance(record.get("data"), dict) and isinstance(record.get("annotations"), list)


def _is_flat(record: Record) -> bool:
    """Return whether a record is a line of JSON_MIN, CSV or TSV: an annotation with its task's fields beside it."""
    return {"annotation_id", "annotator", "lead_time", "updated_at"} <= record.keys()


@dataclass
class Exports:
    """The reading of an export, in which a task comes once, or once for each of its annotations."""

    stem: str
    given: set[tuple[str, Any, Any]] = field(default_factory=set)

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield a task's question and answer, where it holds them, and what each person said of it."""
        data, results = (record["data"], list(_results(record))) if _is_task(record) else _taken_apart(record)
        fields = {name: value for name, value in renamed(data, None)[0].items() if value is not None}
        identity, system = fields.get("question_id"), fields.get("system") or self.stem
        found: list[Record] = []
        unread = fields.keys() - _READ
        for annotator, name, value in results:
            score = _score(value)
            if score is None:
                unread.add(name)
            else:
                found.append({"annotator": annotator, "metric": name, **score})
        if record.get("predictions"):
            unread.add("predictions")
        if fields.get("question") is None and identity is not None:
            for score in found:
                yield (
                    "human_score",
                    {"question_id": identity, "system": system, "role": "tune", **score},
                    place,
                )
            return
        for kind, row, at in LogRecords(_FORM, self.stem).feed({**fields, "scores": found}, place):
            key = (kind, row["question_id"], row.get("system"))
            if kind != "human_score" and key in self.given:
                continue
            self.given.add(key)
            if kind == "answer":
                row |= {name: fields[name] for name in OF_ROWS[2:] if fields.get(name)}
                row |= dict.fromkeys(unread, True)
            yield kind, row, at

    def rest(self) -> Iterator[Found]:
        """Yield nothing: no record waits."""
        return iter(())


def _results(task: Record) -> Iterator[tuple[str, str, Any]]:
    """Yield who gave which value under which name; annotations that were cancelled hold none."""
    for one in task["annotations"]:
        if one.get("was_cancelled") or one.get("skipped"):
            continue
        for result in listed(one.get("result")):
            if result.get("from_name"):
                yield _person(one.get("completed_by")), result["from_name"], result.get("value")


def _taken_apart(line: Record) -> tuple[Record, list[tuple[str, str, Any]]]:
    """Take a line's results, which are objects in lists, from the task's own fields.

    A text may be a choice or one of the task's fields: nothing tells, so that it is not read as a score.
    """
    person = _person(line["annotator"])
    results: list[tuple[str, str, Any]] = []
    data: Record = {}
    for name, value in line.items():
        cell = parsed(value)
        values = cell if isinstance(cell, list) else [cell]
        if name in _OF_EXPORT:
            continue
        if values and all(isinstance(one, dict) and (_score(one) or "labels" in one) for one in values):
            results += [(person, name, one) for one in values]
        else:
            data[name] = value
    return data, results


def _person(named: Any) -> str:
    if isinstance(named, dict):
        named = named.get("email") or named.get("id")
    return str(named) if named not in (None, "") else "a person"


def _score(value: Any) -> Record | None:
    """Return a rating or a number as a score, a choice as a label; texts, spans and ranks are neither."""
    if not isinstance(value, dict):
        return None
    number = next((value[name] for name in ("rating", "number") if name in value), None)
    if isinstance(number, int | float) and not isinstance(number, bool):
        return {"score": number}
    choices = value.get("choices")
    return {"label": ", ".join(map(str, choices)).lower()} if isinstance(choices, list) and choices else None


ADAPTER = Adapter(_FORM.tool, lambda record: _is_task(record) or _is_flat(record), Exports, is_log=True)
