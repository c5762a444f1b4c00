"""Assign files of a data set to tables by name, header and first rows."""

from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path

from medassay.models.counting import counted
from medassay.models.intake.adapters import ADAPTERS
from medassay.models.intake.adapters.adapter import Adapter, Record
from medassay.models.intake.arrow_files import is_saved_data_set
from medassay.models.intake.file_opening import refuse_absent
from medassay.models.intake.formats import Format, advised, columns, format_of, stem
from medassay.models.intake.headings import (
    Chosen,
    beside_each_other,
    meaning,
    renamed,
)
from medassay.models.intake.names import (
    ALL_NAMES,
    expected_columns,
    missing_columns,
)
from medassay.models.intake.plain_records import names_a_system, system_columns
from medassay.models.intake.readers import read_rows, unread
from medassay.models.intake.rows import (
    IntakeError,
    Kind,
    RawRow,
    refuse_unreadable,
)
from medassay.models.intake.rows import named as shown
from medassay.models.intake.rules import ROLE_ADVICE
from medassay.models.intake.wrapped_records import answers_a_question, records_in

STEMS: dict[str, Kind] = {
    "questions": "question",
    "documents": "document",
    "answers": "answer",
    "human_scores": "human_score",
    "rationales": "rationale",
}
_LOGS_WITHIN = (
    *("**/scenario_state.json", "**/samples_*.jsonl", "**/*.eval"),
    *("experiments/*.csv", "experiments/*.jsonl", ".latest_run_full.json", ".deepeval/.latest_run_full.json"),
)
"""Where HELM, lm-evaluation-harness, Inspect, RAGAS and DeepEval put logs within the folder that they are given."""


@dataclass(frozen=True)
class DataFile:
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
    answers_questions: bool = False


def data_files(path: Path, warnings: list[str], chosen: Chosen) -> list[DataFile]:
    """Look at a file, or at a folder's, in the order in which they are read.

    Raises:
        IntakeError: where nothing can be read, or a file cannot.
    """
    refuse_absent(path)
    if not path.is_dir() or is_saved_data_set(path):
        if _holds_documents(path):
            raise unread(path, "not a form that is read")
        return [_file(path, chosen)]
    there = sorted(p for p in path.iterdir() if not p.name.startswith("."))
    documents = _document_folder(path / "documents", warnings)
    if documents:
        there = [p for p in there if p.name != "documents"]
    # A link that leads nowhere and a folder under a table's name are refused where they are read, not passed over.
    readable = [
        p for p in there if _is_table(p) and (stem(p) in STEMS or not p.is_dir() or is_saved_data_set(p))
    ]
    loose = [(p, form) for p in there if (form := _holds_documents(p)) and stem(p) not in STEMS]
    documents += [DataFile(p, "document", None) for p, form in loose if form.holds == "documents"]
    meant = _meant(there, readable)
    for name in STEMS:
        twins = [p.name for p in readable if stem(p) == name]
        if len(twins) > 1:
            raise IntakeError(path, None, f"{' and '.join(twins)} both hold {name}", "keep one of them")
    files = _all_files([p for name in STEMS for p in readable if stem(p) == name], chosen)
    unnamed = [p for p in readable if stem(p) not in STEMS]
    others = (
        _complements(files, unnamed, warnings, chosen)
        if files
        else _logs_or_all(_all_files(unnamed, chosen), warnings)
    )
    if not others and not any(file.kind == "answer" for file in files):
        others = _logs_within(path, files, warnings, chosen)
    if not files and not others and not documents:
        if meant:
            raise unread(meant[0], "not a form that is read")
        advice = f"give one of them as {advised()}"
        raise IntakeError(path, None, "no questions.*, no answers.* and no other data file in it", advice)
    warnings += [str(unread(p, "not read")) for p in meant]
    warnings += [
        f"{p}: not read; put it into a folder `documents` if answers cite it"
        for p, form in loose
        if form.holds == "one document" and form.layout == "binary"
    ]
    # Documents come before the answers that cite them.
    return files + documents + others


def _logs_within(path: Path, files: list[DataFile], warnings: list[str], chosen: Chosen) -> list[DataFile]:
    """Take up the logs in the folders where tools put them, where a folder itself holds no answers."""
    found = {log.relative_to(path) for pattern in _LOGS_WITHIN for log in path.glob(pattern) if log.is_file()}
    within = sorted(
        log
        for log in found
        if not any(folder.startswith(".") and folder != ".deepeval" for folder in log.parts[:-1])
        and (len(log.parts) > 1 or log.name.startswith("."))
    )
    if within:
        warnings.append(
            f"{path}: {counted(len(within), 'log')} within it: {shown([str(log) for log in within], 8)}"
        )
    named = frozenset(file.kind for file in files if file.kind)
    return [replace(file, elsewhere=named) for file in _all_files([path / log for log in within], chosen)]


def _is_table(path: Path) -> bool:
    """Return whether a file's format is that of a table; `documents.*` may have one of documents."""
    return format_of(path) is not None and (not _holds_documents(path) or stem(path) == "documents")


def _holds_documents(path: Path) -> Format | None:
    """Return the format of a file that can hold nothing but documents."""
    form = format_of(path)
    return None if form is None or form.holds == "tables" else form


def _document_folder(folder: Path, warnings: list[str]) -> list[DataFile]:
    """Take up the files of a folder `documents`, each a document or a list of them."""
    if not folder.is_dir():
        return []
    there = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    warnings += [str(unread(p, "not read")) for p in there if not format_of(p)]
    return [DataFile(p, "document", None) for p in there if format_of(p)]


def _all_files(paths: list[Path], chosen: Chosen) -> list[DataFile]:
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


def _logs_or_all(files: list[DataFile], warnings: list[str]) -> list[DataFile]:
    """Leave out what lies beside a tool's logs and is none: its figures and settings."""
    logs = [file for file in files if file.adapter and file.adapter.is_log]
    if not logs:
        return files
    tool = logs[0].adapter.name if logs[0].adapter else ""
    warnings += [
        f"{file.path}: not read; no log of {tool}, beside which it lies" for file in files if not file.adapter
    ]
    return [file for file in files if file.adapter]


def _complements(
    files: list[DataFile], unnamed: list[Path], warnings: list[str], chosen: Chosen
) -> list[DataFile]:
    """Take up the peers' files beside those whose names say what they hold; of others, say that they are not read."""
    named = frozenset(file.kind for file in files if file.kind)
    found = []
    for path in unnamed:
        try:
            file = _file(path, chosen)
        except IntakeError as error:
            warnings.append(f"{path}: not read; {error.what}")
            continue
        if file.adapter or (file.answers_questions and "answer" not in named):
            found.append(replace(file, elsewhere=named))
        else:
            warnings.append(f"{path}: not read; neither its name nor its form is known")
    return found


def _file(path: Path, chosen: Chosen) -> DataFile:
    """Look at a file's header and first row.

    Raises:
        IntakeError: when it cannot be read, or its header lacks what its table needs.
    """
    kind = STEMS.get(stem(path))
    first = next((row.value for row in read_rows(path) if isinstance(row, RawRow)), None)
    adapter = next(
        (adapter_of(one) for one in records_in(first or {}, chosen) if isinstance(one, dict)), None
    )
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
    return DataFile(
        path,
        kind,
        adapter,
        systems=systems,
        names_no_system=kind is None and not systems and not names_a_system(said),
        first_unnamed=bool(named) and named is not None and named[0] == "",
        answers_questions=answers_a_question(first or {}, chosen),
    )


def adapter_of(record: Record) -> Adapter | None:
    """Return the peer's form that a record has."""
    return next((adapter for adapter in ADAPTERS if adapter.recognises(record)), None)
