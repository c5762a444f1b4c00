"""Sound data sets of every format that is read, from which `benchmarks.chaos inputs` makes damaged ones."""

import gzip
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd

from tests.golden.test_golden import EXAMPLES, rows
from tests.intake.real_shapes import SHAPES
from tests.intake.test_publications import BIB, NBIB, RIS, workbook
from tests.rows import write_pdf

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "tests" / "intake" / "logs"
PASSED_OVER = (".md", ".log")
LARGEST = 200_000
CONVERSATION = (
    {"role": "user", "content": "What can I take for my headache?"},
    {"role": "assistant", "content": "Are you pregnant?"},
    {"role": "user", "content": "Yes."},
    {
        "role": "assistant",
        "content": "Paracetamol [doc-1].",
        "contexts": ["Paracetamol is the first choice."],
    },
)


def make_corpus(folder: Path, shared: Path | None) -> dict[Path, list[Path]]:
    """Write the sound data sets; return the files of each that may be damaged."""
    folder.mkdir()
    shutil.copytree(EXAMPLES, folder / "examples")
    _write_formats(folder)
    _write_documents(folder / "publications")
    _write_talks(folder / "talks")
    for shape in SHAPES:
        (folder / f"shape-{shape.name}").mkdir()
        (folder / f"shape-{shape.name}" / shape.file).write_text(shape.text, "utf-8")
    for log in LOGS.iterdir():
        if log.is_dir():
            shutil.copytree(log, folder / f"log-{log.name}")
        elif log.suffix != ".md":
            (folder / f"log-{log.name}").mkdir()
            shutil.copy(log, folder / f"log-{log.name}")
    if shared:
        for case in sorted({file.parent for file in shared.rglob("*") if file.is_file()}):
            if case != shared:
                shutil.copytree(case, folder / f"case-{'-'.join(case.relative_to(shared).parts)}")
    found = {data: sorted(filter(_is_read, data.rglob("*"))) for data in folder.iterdir()}
    return {data: files for data, files in found.items() if files}


def _is_read(file: Path) -> bool:
    is_small = file.is_file() and file.stat().st_size < LARGEST
    return is_small and (file.parent.name == "documents" or file.suffix not in PASSED_OVER)


def _write_formats(folder: Path) -> None:
    """Write the first questions of the examples in every format that a table can have."""
    tables = {
        "questions": [{**row, "nuggets": row.get("nuggets") or []} for row in rows("questions")[:2]],
        "answers": rows("answers")[:4],
        "documents": rows("documents")[:4],
        "human_scores": [
            {"question_id": rows("questions")[0]["question_id"], "system": rows("answers")[0]["system"],
             "annotator": f"a{n}", "metric": "safety", "score": n, "role": "tune"} for n in range(3)
        ],
    }  # fmt: skip
    for ending in ("jsonl", "json", "csv", "tsv", "parquet", "arrow", "feather", "xlsx", "xlsm", "ods"):
        for packed in ("", ".gz") if ending not in ("xlsx", "xlsm", "ods") else ("",):
            data = folder / f"format-{ending}{packed}"
            data.mkdir()
            for name, table in tables.items():
                _write_table(data / f"{name}.{ending}", pd.DataFrame(table))
                if packed:
                    plain = data / f"{name}.{ending}"
                    (data / f"{name}.{ending}.gz").write_bytes(gzip.compress(plain.read_bytes()))
                    plain.unlink()


def _write_table(path: Path, frame: pd.DataFrame) -> None:
    cells = frame.map(lambda value: value if isinstance(value, str | int) else str(value))
    match path.suffix:
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True)
        case ".json":
            frame.to_json(path, orient="records")
        case ".csv":
            cells.to_csv(path, index=False)
        case ".tsv":
            cells.to_csv(path, index=False, sep="\t")
        case ".parquet":
            frame.to_parquet(path)
        case ".arrow" | ".feather":
            frame.to_feather(path)
        case ".ods":
            _write_open_document(path, [list(cells), *cells.to_numpy().tolist()])
        case _:
            workbook(
                path,
                Sheet=[[_xml(cell) for cell in row] for row in [list(cells), *cells.to_numpy().tolist()]],
            )


def _xml(value: Any) -> Any:
    return value.replace("&", "&amp;").replace("<", "&lt;") if isinstance(value, str) else value


def _write_open_document(path: Path, table: list[list[Any]]) -> None:
    """Write a workbook of LibreOffice with one sheet."""
    name = "urn:oasis:names:tc:opendocument:xmlns"
    body = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{_xml(str(cell))}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in table
    )
    content = (
        f'<office:document-content xmlns:office="{name}:office:1.0" xmlns:table="{name}:table:1.0"'
        f' xmlns:text="{name}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">{body}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        archive.writestr("mimetype", kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{name}:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
        archive.writestr("content.xml", content)


def _write_documents(data: Path) -> None:
    """Write a data set whose documents are a bibliography, PDFs and plain texts."""
    folder = data / "documents"
    folder.mkdir(parents=True)
    for name in ("questions", "answers"):
        shutil.copy(EXAMPLES / f"{name}.jsonl", data)
    write_pdf(folder / "lithium.pdf", "Lithium harms the kidneys.", "It is excreted by them.")
    for name, text in {
        "a.nbib": NBIB,
        "b.ris": RIS,
        "c.bib": BIB,
        "d.txt": BIB,
        "e.md": f"# T\n\n{RIS}",
    }.items():
        (folder / name).write_text(text, "utf-8")


def _write_talks(data: Path) -> None:
    """Write conversations with acts, and rationales."""
    data.mkdir()
    question: dict[str, Any] = {
        "question_id": "c1", "question": "Headache in pregnancy", "nuggets": ["Paracetamol is the first choice."],
        "must_ask": [{"text": "Are you pregnant?", "by_turn": 1}, "Ask about drug allergies"],
        "red_flags": ["A headache with visual disturbance is urgent."],
        "criteria": [{"criterion": "Names the doctor", "points": 5, "tags": ["axis:completeness"]}],
        "guidance": "Should ask about pregnancy.", "risk_level": "high", "profile": "patient",
    }  # fmt: skip
    pd.DataFrame([question]).to_json(data / "questions.jsonl", orient="records", lines=True)
    answer = {"question_id": "c1", "system": "a", "messages": list(CONVERSATION)}
    pd.DataFrame([answer]).to_json(data / "answers.jsonl", orient="records", lines=True)
    rationale = {"question_id": "c1", "system": "a", "author": "p", "rationale": "It asks first."}
    pd.DataFrame([rationale]).to_json(data / "rationales.jsonl", orient="records", lines=True)
