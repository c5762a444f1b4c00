"""Which form a data set has, and its rows in the own one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from models.intake.adapters import biogen, kqa, medaesqa, rag
from models.intake.names import canonical, unknown
from models.intake.readers import READERS, read_rows
from models.intake.rows import BadRow, DataSet, Intake, IntakeError, Kind, RawRow

STEMS: dict[str, Kind] = {
    "questions": "question",
    "documents": "document",
    "answers": "answer",
    "human_scores": "human_score",
}
OWN = "MedAssay's own form"
Converted = Iterator[tuple[Kind, dict[str, Any]]]
FOREIGN: tuple[tuple[str, Callable[[dict[str, Any]], bool], Callable[[dict[str, Any]], Converted]], ...] = (
    (medaesqa.NAME, medaesqa.recognises, medaesqa.convert),
    ("RAGChecker", rag.recognises_ragchecker, rag.convert_ragchecker),
    ("open-rag-eval", rag.recognises_open_rag_eval, rag.convert_open_rag_eval),
    ("PubMedQA", rag.recognises_pubmedqa, rag.convert_pubmedqa),
    (biogen.NAME, biogen.recognises, biogen.convert),
    ("nuggetizer", rag.recognises_nuggetizer, rag.convert_nuggetizer),
)


def read_data(path: Path) -> DataSet:
    """Recognise a folder or file and return its rows in the own form, streamed.

    Raises:
        IntakeError: when nothing in it can be read as a data set.
    """
    if not path.exists():
        raise IntakeError(
            f"{path}: no such file or folder; give a folder with questions.* and answers.*, or one file"
        )
    files = data_files(path)
    warnings: list[str] = []
    foreign = _shape_of_folder(files)
    return DataSet(foreign or OWN, _rows(files, warnings), warnings)


def data_files(path: Path) -> list[tuple[Path, Kind | None]]:
    """List a data set's files, questions and documents first; the kind is None where the rows decide.

    Raises:
        IntakeError: when a folder holds none, or two files for one table.
    """
    if path.is_file():
        return [(path, _kind_of(path))]
    readable = sorted(p for p in path.iterdir() if p.is_file() and _ending(p))
    named = [(p, kind) for stem, kind in STEMS.items() for p in readable if _stem(p) == stem]
    for stem in STEMS:
        twins = [p.name for p in readable if _stem(p) == stem]
        if len(twins) > 1:
            raise IntakeError(f"{path}: {' and '.join(twins)} both hold {stem}; keep one of them")
    labels = [(p, None) for p in readable if "labels" in _stem(p)]
    if named:
        return [*named, *labels]
    others = [(p, None) for p in readable]
    if not others:
        raise IntakeError(
            f"{path}: no questions.* or answers.* in it, and no other data file; see README, Your own answers"
        )
    return others


def _ending(path: Path) -> str | None:
    name = path.name.lower().removesuffix(".gz")
    return next((ending for ending in READERS if name.endswith(ending)), None)


def _stem(path: Path) -> str:
    return path.name.lower().removesuffix(".gz").removesuffix(_ending(path) or "")


def _kind_of(path: Path) -> Kind | None:
    return STEMS.get(_stem(path))


def _shape_of_folder(files: list[tuple[Path, Kind | None]]) -> str | None:
    """Look at the first row of each file for a form that is not the own one."""
    for path, _ in files:
        first = next((row for row in read_rows(path) if isinstance(row, RawRow)), None)
        if first is None:
            continue
        if kqa.recognises(first.value):
            return kqa.NAME
        for name, recognises, _ in FOREIGN:
            if recognises(first.value):
                return name
    return None


def _rows(files: list[tuple[Path, Kind | None]], warnings: list[str]) -> Iterator[Intake | BadRow]:
    labels = kqa.Converter()
    seen_unknown: dict[tuple[str, Kind], set[str]] = {}
    for path, kind in files:
        for raw in read_rows(path):
            if isinstance(raw, BadRow):
                yield BadRow(raw.file, raw.line, raw.rule, raw.observed, raw.advice, kind)
                continue
            for found, value in _converted(raw.value, kind, labels):
                row = canonical(found, value)
                if strange := unknown(found, row):
                    seen_unknown.setdefault((raw.file, found), set()).update(strange)
                if found == "question":
                    yield from _blank_nuggets(raw, row)
                yield Intake(found, raw.file, raw.line, row)
    for (file, kind_), names in seen_unknown.items():
        warnings.append(f"{file}: {kind_} columns that nothing reads: {', '.join(sorted(names))}")


def _blank_nuggets(raw: RawRow, row: dict[str, Any]) -> Iterator[BadRow]:
    """Leave out nuggets without a word in them, and say so; the question stays."""
    nuggets = row.get("nuggets")
    if not isinstance(nuggets, list):
        return
    texts = [nugget.get("text") if isinstance(nugget, dict) else nugget for nugget in nuggets]
    blank = [number for number, text in enumerate(texts, 1) if isinstance(text, str) and not text.strip()]
    for number in blank:
        seen = f"nugget {number} of question {row.get('question_id')}"
        yield BadRow(raw.file, raw.line, "the nugget is blank", seen, "write the fact, or remove the nugget", "nugget")
    row["nuggets"] = [nugget for number, nugget in enumerate(nuggets, 1) if number not in blank]


def _converted(value: dict[str, Any], kind: Kind | None, labels: kqa.Converter) -> Converted:
    if kqa.recognises(value):
        return labels.convert(value)
    for _, recognises, convert in FOREIGN:
        if recognises(value):
            return convert(value)
    if kind is not None:
        return iter([(kind, value)])
    return _whole_record(value)


def _whole_record(value: dict[str, Any]) -> Converted:
    """Read a record that holds a question with its answers: a list of them, or one beside the question."""
    inline = value.get("answers")
    own = {name: v for name, v in value.items() if name != "answers"}
    if isinstance(inline, list):
        yield "question", own
        for answer in inline:
            if isinstance(answer, dict):
                yield "answer", {"question_id": value.get("question_id"), **answer}
        return
    of_answer = ("system", "answer", "output", "response", "sentences", "references")
    has_answer = any(name in value for name in ("answer", "output", "response", "sentences"))
    if "question" in value or "question_summary" in value:
        yield "question", {name: v for name, v in own.items() if name not in of_answer}
    if has_answer:
        yield (
            "answer",
            {"question_id": value.get("question_id"), **{n: value[n] for n in of_answer if n in value}},
        )
    if not has_answer and "question" not in value and "question_summary" not in value:
        yield "document" if "text" in value or "sections" in value else "question", own
