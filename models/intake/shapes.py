"""Which form a data set has, and its rows in the own form; answers wrapped in JSON are unwrapped."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, RecordReader, fed
from medassay.models.intake.context_cells import contexts_in
from medassay.models.intake.conversations import as_answer
from medassay.models.intake.data_files import DataFile, adapter_of, data_files
from medassay.models.intake.formats import stem
from medassay.models.intake.headings import (
    NOTHING_CHOSEN,
    Chosen,
    folded,
)
from medassay.models.intake.joining import Asked, Joining
from medassay.models.intake.json_forms import checked
from medassay.models.intake.names import (
    canonical,
    has_decimal_comma,
    no_answer_reason,
)
from medassay.models.intake.plain_records import Ids, PlainRecords
from medassay.models.intake.provider_forms import RETRIEVED, is_provider_form, read_provider_form
from medassay.models.intake.readers import read_rows
from medassay.models.intake.rows import (
    BadRow,
    DataSet,
    Intake,
    IntakeError,
    Kind,
    Place,
    refuse_unreadable,
)
from medassay.models.intake.rows import named as shown
from medassay.models.intake.unread_fields import Remarks
from medassay.models.intake.whole_records import whole_record
from medassay.models.intake.wrapped_records import Beside, Unread, records_in

_FENCED = re.compile(
    r"\s*(?P<fence>```+|~~~+)(?:json)?[ \t]*\r?\n(?P<body>.*)\n[ \t]*(?P=fence)\s*", re.DOTALL | re.IGNORECASE
)
_TEXTS = ("answer", "final_answer", "response", "output", "text")
_REFERENCES = ("references", "citations", "sources")

OWN = "MedAssay's own form"


def without_wrapping(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return an answer's row with the text that its JSON holds, and its references where the row has none.

    None where the answer is no JSON object with a text in it: read as prose, braces and names of fields say nothing.
    """
    text = row.get("answer")
    if not isinstance(text, str) or "{" not in text[:40] or "}" not in text[-40:]:
        return None
    fenced = _FENCED.fullmatch(text)
    try:
        held = json.loads(fenced["body"] if fenced else text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict):
        return None
    said = next((held[name] for name in _TEXTS if isinstance(held.get(name), str)), None)
    if said is None:
        return None
    listed = next((held[name] for name in _REFERENCES if _are_references(held.get(name))), None)
    if listed is None or row.get("references") is not None:
        return {**row, "answer": said}
    return {**row, "answer": said, "references": listed}


def _are_references(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, dict | str) for part in value)


def read_data(path: Path, chosen_columns: Iterable[str] = ()) -> DataSet:
    """Recognise a folder or file and return its rows in the own form, streamed.

    Args:
        path: the folder or file.
        chosen_columns: what headings mean that are not known, as `reference_answer=Gold Answer`.

    Raises:
        IntakeError: when nothing in it can be read as a data set, at once or on the way.
    """
    warnings: list[str] = []
    chosen = Chosen.of(chosen_columns)
    files = data_files(path, warnings, chosen)
    shapes = list(dict.fromkeys(file.adapter.name for file in files if file.adapter))
    return DataSet(", ".join(shapes) or OWN, _Rows(files, warnings, chosen).read(), warnings)


def _is_whole(file: DataFile, record: Record, named: frozenset[Kind]) -> bool:
    """Return whether a record may hold a question with its answers and documents, for which there is no other file."""
    if file.kind == "question":
        inline = (("answers", "answer"), ("documents", "document"))
        return any(isinstance(record.get(name), list | dict) and kind not in named for name, kind in inline)
    return file.kind == "answer" and "question" not in named


@dataclass
class _Rows:
    """The rows of a data set's files, one after another."""

    files: list[DataFile]
    warnings: list[str]
    chosen: Chosen = NOTHING_CHOSEN
    remarks: Remarks = field(default_factory=Remarks)
    ids: Ids = field(default_factory=Ids)
    asked: Asked | None = None
    joinings: dict[str, Joining] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep the questions where a log's are to be joined to them."""
        logs = [
            str(f.path) for f in self.files if f.adapter and f.adapter.is_log and "question" in f.elsewhere
        ]
        self.asked = Asked() if logs else None
        self.joinings = {name: Joining(self.asked) for name in logs if self.asked}

    def read(self) -> Iterator[Intake | BadRow]:
        """Yield every row, and every line that is none; at the end, warn of what nothing reads.

        Raises:
            IntakeError: at the end, with a line for each file that broke off.
        """
        named = frozenset(file.kind for file in self.files if file.kind)
        errors = []
        for file in self.files:
            try:
                yield from self._of_file(file, named)
            except IntakeError as error:
                errors.append(error)
        refuse_unreadable(errors)
        unused = self.chosen.meanings.keys() - self.remarks.headings
        if self.chosen.meanings and unused:
            self.warnings.append(f"--column: no file has a heading that reads {shown(sorted(unused))}")
        self.warnings.extend(self.remarks.told())
        self.warnings += [
            f"{name}: {line}" for name, joining in self.joinings.items() for line in joining.told()
        ]

    def _of_file(self, file: DataFile, named: frozenset[Kind]) -> Iterator[Intake | BadRow]:
        readings: dict[Adapter, RecordReader] = {}
        systems = () if file.kind == "question" and "answer" in named else file.systems
        plain = PlainRecords(
            file.path, file.kind, self.remarks, self.ids, systems, file.names_no_system, self.chosen,
            is_whole=file.kind == "answer" and "question" not in named,
        )  # fmt: skip
        if file.first_unnamed:
            self.remarks.first_unnamed.append(str(file.path))
        if file.kind == "answer" and "question" in named:
            file = replace(file, elsewhere=file.elsewhere | {"question"})
        if file.kind == "human_score" and file.adapter:
            file = replace(file, elsewhere=file.elsewhere | named - {"human_score"})
        for raw in read_rows(file.path, beside=True):
            if isinstance(raw, BadRow):
                yield replace(raw, kind=file.kind, fields=canonical(file.kind or "answer", raw.fields))
                continue
            if raw.beside:
                self.remarks.beside.setdefault(str(file.path), set()).update(raw.value)
                continue
            for record in records_in(raw.value, self.chosen):
                if isinstance(record, Beside):
                    self.remarks.beside.setdefault(str(file.path), set()).update(record.names)
                    continue
                if isinstance(record, Unread):
                    yield replace(record.at(raw.file, raw.place), kind=file.kind)
                    continue
                adapter = adapter_of(record)
                if not (adapter and adapter.is_log) and is_provider_form(record):
                    record = read_provider_form(record)
                    adapter = adapter_of(record)
                if adapter is None:
                    record = plain.plain(record)
                else:
                    self.remarks.headings.update(map(folded, record))
                if adapter is not None:
                    reading = readings.get(adapter) or readings.setdefault(
                        adapter, _begun(adapter, file.path)
                    )
                    found = fed(adapter, reading, record, raw)
                elif file.kind is None or _is_whole(file, record, named):
                    found = ((kind, row, raw.place) for kind, row in whole_record(record))
                else:
                    found = iter([(file.kind, record, raw.place)])
                yield from self._named(file, found)
        for reading in readings.values():
            yield from self._named(file, reading.rest())

    def _named(self, file: DataFile, found: Iterator[Found | BadRow]) -> Iterator[Intake | BadRow]:
        name = str(file.path)
        for one in found:
            if isinstance(one, BadRow):
                yield replace(one, kind=file.kind, fields=canonical(file.kind or "answer", one.fields))
                continue
            kind, value, place = one
            if joining := self.joinings.get(name):
                if kind == "question" and (repeat := joining.take(value)):
                    yield Intake(kind, name, place, repeat)
                value = {**value, "question_id": joining.ids.get(value["question_id"], value["question_id"])}
            if kind in file.elsewhere:
                self.remarks.left_out[name, kind] += 1
                continue
            if kind == "answer":
                value, unread = self._with_contexts(name, place, value)
                yield from unread
            row = canonical(kind, read_provider_form(value) if kind == "answer" else value)
            if kind == "answer":
                row = as_answer(row)
            if kind == "answer" and isinstance(said := row.get("answer"), str) and not row.get("failed"):
                if row.get("sentences") is None and (why := no_answer_reason(said)):
                    row["failed"] = why
            if kind == "answer" and (unwrapped := without_wrapping(row)):
                row = unwrapped
                if isinstance(bad := checked(file.path, place, row), BadRow):  # an escape within the text
                    yield replace(bad, kind=kind)
                    continue
                self.remarks.wrapped[name] += 1
            if kind == "human_score" and has_decimal_comma(value.get("score")):
                self.remarks.commas.setdefault(name, []).append(value["score"].strip())
            self.remarks.take(name, kind, row)
            if kind == "question":
                self.ids.take(row)
                if self.asked is not None:
                    self.asked.take(row)
                yield from _blank_nuggets(name, place, row)
            yield Intake(kind, name, place, row)

    def _with_contexts(
        self, name: str, place: Place, value: dict[str, Any]
    ) -> tuple[dict[str, Any], list[BadRow]]:
        """Read what was retrieved as a list; without one where it cannot be read, which is then said."""
        field = next((field for field in RETRIEVED if value.get(field)), None)
        if field is None:
            return value, []
        found = contexts_in(value[field])
        if found.doubt:
            self.remarks.contexts.setdefault((name, found.doubt), []).append(place.within(name))
        others = {other: part for other, part in value.items() if other != field}
        read = others | ({field: found.listed} if found.listed else {})
        if not found.fault:
            return read, []
        rule, advice = "the contexts are no list", "write them as JSON; the answer is read without contexts"
        return read, [BadRow(name, place.line, rule, place.of(found.fault), advice, "context")]


def _begun(adapter: Adapter, path: Path) -> RecordReader:
    return adapter.begin_file(path) if adapter.begin_file else adapter.begin(stem(path))


def _blank_nuggets(name: str, place: Place, row: dict[str, Any]) -> Iterator[BadRow]:
    """Leave out nuggets without a word in them, and say so; the question stays."""
    nuggets = row.get("nuggets")
    if not isinstance(nuggets, list):
        return
    texts = [nugget.get("text") if isinstance(nugget, dict) else nugget for nugget in nuggets]
    blank = [number for number, text in enumerate(texts, 1) if isinstance(text, str) and not text.strip()]
    for number in blank:
        seen = place.of(f"nugget {number} of question {row.get('question_id')}")
        yield BadRow(
            name, place.line, "the nugget is blank", seen, "write the fact, or remove the nugget", "nugget"
        )
    row["nuggets"] = [nugget for number, nugget in enumerate(nuggets, 1) if number not in blank]
