"""Which form a data set has, and its rows in the own one."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medassay.models.intake.adapters import ADAPTERS
from medassay.models.intake.adapters.adapter import Adapter, Found, Reading, Record, fed
from medassay.models.intake.headings import (
    NOTHING_CHOSEN,
    Chosen,
    beside_each_other,
    folded,
    meaning,
    renamed,
)
from medassay.models.intake.json_forms import checked
from medassay.models.intake.names import (
    ALL_NAMES,
    canonical,
    expected_columns,
    missing_columns,
)
from medassay.models.intake.opening import refuse_absent
from medassay.models.intake.plain_records import Ids, PlainRecords, names_a_system, system_columns
from medassay.models.intake.provider_forms import is_provider_form, read_provider_form
from medassay.models.intake.publications import BIBLIOGRAPHIES
from medassay.models.intake.publications import READERS as DOCUMENT_FORMS
from medassay.models.intake.readers import FORMS, ending, read_rows, stem, unread
from medassay.models.intake.remarks import Remarks
from medassay.models.intake.rows import (
    BadRow,
    DataSet,
    Intake,
    IntakeError,
    Kind,
    Place,
    RawRow,
    refuse_unreadable,
)
from medassay.models.intake.rows import named as shown
from medassay.models.intake.rules import ROLE_ADVICE
from medassay.models.intake.silence import why_no_answer
from medassay.models.intake.tables import columns
from medassay.models.intake.whole_records import Beside, Unread, records_in, whole_record
from medassay.models.intake.wrapped import without_wrapping

STEMS: dict[str, Kind] = {
    "questions": "question",
    "documents": "document",
    "answers": "answer",
    "human_scores": "human_score",
    "rationales": "rationale",
}
OWN = "MedAssay's own form"


@dataclass(frozen=True)
class _File:
    """One file of a data set: its rows' kind where its name says so, and the peer's form of its first row.

    What other files of the folder hold by their names is `elsewhere`: it is not read here a second time.
    """

    path: Path
    kind: Kind | None
    adapter: Adapter | None
    elsewhere: frozenset[Kind] = frozenset()
    systems: tuple[str, ...] = ()
    names_no_system: bool = False
    first_unnamed: bool = False


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
    files = _data_files(path, warnings, chosen)
    shapes = list(dict.fromkeys(file.adapter.name for file in files if file.adapter))
    return DataSet(", ".join(shapes) or OWN, _Rows(files, warnings, chosen).read(), warnings)


def _data_files(path: Path, warnings: list[str], chosen: Chosen) -> list[_File]:
    refuse_absent(path)
    if not path.is_dir():
        if ending(path) in DOCUMENT_FORMS:
            raise unread(path, "not a form that is read")
        return [_file(path, chosen)]
    there = sorted(p for p in path.iterdir() if not p.name.startswith("."))
    documents = _document_folder(path / "documents", warnings)
    if documents:
        there = [p for p in there if p.name != "documents"]
    # A link that leads nowhere and a folder under a table's name are refused where they are read, not passed over.
    readable = [p for p in there if _is_table(p) and (stem(p) in STEMS or not p.is_dir())]
    loose = [p for p in there if ending(p) in DOCUMENT_FORMS and stem(p) not in STEMS]
    documents += [_File(p, "document", None) for p in loose if ending(p) in BIBLIOGRAPHIES]
    meant = _meant(there, readable)
    for name in STEMS:
        twins = [p.name for p in readable if stem(p) == name]
        if len(twins) > 1:
            raise IntakeError(path, None, f"{' and '.join(twins)} both hold {name}", "keep one of them")
    files = _all_files([p for name in STEMS for p in readable if stem(p) == name], chosen)
    unnamed = [p for p in readable if stem(p) not in STEMS]
    others = _complements(files, unnamed, warnings, chosen) if files else _all_files(unnamed, chosen)
    if not files and not others and not documents:
        if meant:
            raise unread(meant[0], "not a form that is read")
        advice = f"give one of them as {FORMS}"
        raise IntakeError(path, None, "no questions.*, no answers.* and no other data file in it", advice)
    warnings += [str(unread(p, "not read")) for p in meant]
    warnings += [
        f"{p}: not read; put it into a folder `documents` if answers cite it"
        for p in loose
        if ending(p) == ".pdf"
    ]
    # Documents come before the answers that cite them.
    return files + documents + others


def _is_table(path: Path) -> bool:
    """Say whether a file's form is that of a table; `documents.*` may have one of documents."""
    form = ending(path)
    return form is not None and (form not in DOCUMENT_FORMS or stem(path) == "documents")


def _document_folder(folder: Path, warnings: list[str]) -> list[_File]:
    """Take up the files of a folder `documents`, each a document or a list of them."""
    if not folder.is_dir():
        return []
    there = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    warnings += [str(unread(p, "not read")) for p in there if not ending(p)]
    return [_File(p, "document", None) for p in there if ending(p)]


def _all_files(paths: list[Path], chosen: Chosen) -> list[_File]:
    """Look at files; where one cannot be read, the others are read to their ends, so that all are told of at once.

    Raises:
        IntakeError: with a line for each that cannot be read.
    """
    files, errors = [], []
    for path in paths:
        try:
            files.append(_file(path, chosen))
        except IntakeError as error:
            errors.append(error)
    if errors:
        for file in files:
            try:
                deque(read_rows(file.path), maxlen=0)
            except IntakeError as error:
                errors.append(error)
    refuse_unreadable(errors)
    return files


def _meant(there: list[Path], readable: list[Path]) -> list[Path]:
    """Return what holds a table by its name, as a folder or in a form that is not read, where no other does."""
    held = {stem(path) for path in readable}
    named = ((path, path.name.lower().split(".")[0]) for path in there if path not in readable)
    return [path for path, name in named if name in STEMS and name not in held]


def _complements(files: list[_File], unnamed: list[Path], warnings: list[str], chosen: Chosen) -> list[_File]:
    """Take up the peers' files beside those whose names say what they hold; of others, say that they are not read."""
    named = frozenset(file.kind for file in files if file.kind)
    found = []
    for path in unnamed:
        try:
            file = _file(path, chosen)
        except IntakeError as error:
            warnings.append(f"{path}: not read; {error.what}")
            continue
        if file.adapter:
            found.append(replace(file, elsewhere=named))
        else:
            warnings.append(f"{path}: not read; neither its name nor its form is known")
    return found


def _file(path: Path, chosen: Chosen) -> _File:
    """Look at a file's header and first row.

    Raises:
        IntakeError: when it cannot be read, or its header lacks what its table needs.
    """
    kind = STEMS.get(stem(path))
    first = next((row.value for row in read_rows(path) if isinstance(row, RawRow)), None)
    adapter = next((_adapter_of(one) for one in records_in(first or {}) if isinstance(one, dict)), None)
    named = columns(path)
    systems: tuple[str, ...] = ()
    if named is not None and adapter is None:
        together = beside_each_other(named, chosen)
        meant = [meaning(name, kind, together) or name for name in named]
        systems = system_columns(named, first or {}, kind, chosen)
        if not ALL_NAMES.intersection(meant):
            seen = shown(named, 8)
            advice = f"give the names in the first line: {expected_columns(kind)}"
            raise IntakeError(path, 1, f"none of the columns is known: {seen}", advice)
        if kind is not None and (missing := missing_columns(kind, meant)):
            seen = shown(named, 8)
            what = f"no column {' and no '.join(missing)}; there are {seen}"
            raise IntakeError(path, 1, what, ROLE_ADVICE if missing == ["role"] else "add it")
    said, _ = renamed(first or {}, kind, chosen)
    return _File(
        path,
        kind,
        adapter,
        systems=systems,
        names_no_system=kind is None and not systems and not names_a_system(said),
        first_unnamed=bool(named) and named is not None and named[0] == "",
    )


def _adapter_of(record: Record) -> Adapter | None:
    return next((adapter for adapter in ADAPTERS if adapter.recognises(record)), None)


def _is_whole(file: _File, record: Record, named: frozenset[Kind]) -> bool:
    """Say whether a record may hold a question with its answers and documents, for which there is no other file."""
    if file.kind == "question":
        inline = (("answers", "answer"), ("documents", "document"))
        return any(isinstance(record.get(name), list | dict) and kind not in named for name, kind in inline)
    return file.kind == "answer" and "question" not in named


@dataclass
class _Rows:
    """The rows of a data set's files, one after another."""

    files: list[_File]
    warnings: list[str]
    chosen: Chosen = NOTHING_CHOSEN
    remarks: Remarks = field(default_factory=Remarks)
    ids: Ids = field(default_factory=Ids)

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

    def _of_file(self, file: _File, named: frozenset[Kind]) -> Iterator[Intake | BadRow]:
        readings: dict[Adapter, Reading] = {}
        systems = () if file.kind == "question" and "answer" in named else file.systems
        plain = PlainRecords(
            file.path, file.kind, self.remarks, self.ids, systems, file.names_no_system, self.chosen
        )
        if file.first_unnamed:
            self.remarks.first_unnamed.append(str(file.path))
        if file.kind == "answer" and "question" in named:
            file = replace(file, elsewhere=file.elsewhere | {"question"})
        for raw in read_rows(file.path, beside=True):
            if isinstance(raw, BadRow):
                yield replace(raw, kind=file.kind, fields=canonical(file.kind or "answer", raw.fields))
                continue
            if raw.beside:
                self.remarks.beside.setdefault(str(file.path), set()).update(raw.value)
                continue
            for record in records_in(raw.value):
                if isinstance(record, Beside):
                    self.remarks.beside.setdefault(str(file.path), set()).update(record.names)
                    continue
                if isinstance(record, Unread):
                    yield replace(record.at(raw.file, raw.place), kind=file.kind)
                    continue
                if is_provider_form(record):
                    record = read_provider_form(record)
                adapter = _adapter_of(record)
                if adapter is None:
                    record = plain.plain(record)
                else:
                    self.remarks.headings.update(map(folded, record))
                if adapter is not None:
                    reading = readings.get(adapter) or readings.setdefault(
                        adapter, adapter.begin(stem(file.path))
                    )
                    found = fed(adapter, reading, record, raw)
                elif file.kind is None or _is_whole(file, record, named):
                    found = ((kind, row, raw.place) for kind, row in whole_record(record))
                else:
                    found = iter([(file.kind, record, raw.place)])
                yield from self._named(file, found)
        for reading in readings.values():
            yield from self._named(file, reading.rest())

    def _named(self, file: _File, found: Iterator[Found | BadRow]) -> Iterator[Intake | BadRow]:
        name = str(file.path)
        for one in found:
            if isinstance(one, BadRow):
                yield replace(one, kind=file.kind, fields=canonical(file.kind or "answer", one.fields))
                continue
            kind, value, place = one
            if kind in file.elsewhere:
                self.remarks.left_out[name, kind] += 1
                continue
            row = canonical(kind, read_provider_form(value) if kind == "answer" else value)
            if kind == "answer" and isinstance(said := row.get("answer"), str) and not row.get("failed"):
                if row.get("sentences") is None and (why := why_no_answer(said)):
                    row["failed"] = why
            if kind == "answer" and (unwrapped := without_wrapping(row)):
                row = unwrapped
                if isinstance(bad := checked(file.path, place, row), BadRow):  # an escape within the text
                    yield replace(bad, kind=kind)
                    continue
                self.remarks.wrapped[name] += 1
            self.remarks.take(name, kind, row)
            if kind == "question":
                self.ids.take(row)
                yield from _blank_nuggets(name, place, row)
            yield Intake(kind, name, place, row)


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
