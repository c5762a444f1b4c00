"""Rows as a data set's files, and rows of the warehouse that many tests need alike."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from medassay.sql.warehouse import Row, Warehouse


def write_rows(path: Path, rows: Iterable[Any]) -> Path:
    """Write rows as JSON lines, gzipped where the name says so, and return the file."""
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(body) if path.suffix == ".gz" else body)
    return path


def write_tables(folder: Path, **tables: Iterable[Any]) -> Path:
    """Write a file of JSON lines a table into a folder, made where it has to be, and return the folder."""
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        write_rows(folder / f"{name}.jsonl", rows)
    return folder


def run_row(run_id: str = "r", **more: Any) -> Row:
    """Return a run of the data set `d`, finished on the first of January 2026."""
    row = {"run_id": run_id, "dataset": "d", "data": "d", "state": "finished", "profile": "seed"}
    return {**row, "settings": '{"data": "d"}', "version": "0", "started_at": "2026-01-01", **more}


def give_answer(
    warehouse: Warehouse, run_id: str, text: str, *, answer_key: str = "a", text_key: str = "t", system: str = "s",
    question: str = "?", **of_question: Any,
) -> None:  # fmt: skip
    """Write the question `q` and an answer to it, as a run has them before its first stage."""
    warehouse.insert("question", [{"question_key": "q", "question": question}])
    asked = {"run_id": run_id, "question_id": "q", "question_key": "q", **of_question}
    warehouse.insert("run_question", [asked])
    warehouse.insert("text", [{"text_key": text_key, "text": text}])
    lists = dict.fromkeys(("reference_list", "cited_spans", "documents"), "[]")
    warehouse.insert(
        "answer", [{"answer_key": answer_key, "question": question, "text_key": text_key, **lists}]
    )
    warehouse.insert(
        "run_answer", [{"run_id": run_id, "question_id": "q", "system": system, "answer_key": answer_key}]
    )


def answer_row(question_id: str = "q", system: str = "s", run_id: str = "r", **more: Any) -> Row:
    """Return a row of `mart.answer`: one claim of one character."""
    counts = {"n_claims": 1, "n_non_claims": 0, "n_characters": 1, "n_characters_covered": 1}
    row = {"run_id": run_id, "question_id": question_id, "system": system, "state": "answered"}
    return {**row, **counts, "has_references": False, **more}


def claim_row(question_id: str = "q", system: str = "s", run_id: str = "r", **more: Any) -> Row:
    """Return a row of `mart.claim`: the first claim, of the text `t`."""
    row = {"run_id": run_id, "question_id": question_id, "system": system, "claim_id": "c1", "position": 0}
    span = {"text_key": "t", "span_start": 0, "span_end": 1, "kind": "claim", "needs_citation": True}
    return {**row, **span, "potentially_matched": [], **more}


def citation_row(question_id: str = "q", system: str = "s", run_id: str = "r", **more: Any) -> Row:
    """Return a row of `mart.citation`: the first one of the first claim."""
    row = {"run_id": run_id, "question_id": question_id, "system": system, "claim_id": "c1", "ordinal": 0}
    return {
        **row,
        "citation": "[1]",
        **dict.fromkeys(("retracted", "concern", "erratum"), "unchecked"),
        **more,
    }


def freeze_scores(
    warehouse: Warehouse,
    scores: dict[str, dict[str, list[float | None]]],
    run_id: str = "r",
    **fields: list[str],
) -> None:
    """Freeze scores by metric and system, a value a question; `fields` are columns of the questions."""
    n = len(next(iter(next(iter(scores.values())).values())))
    systems = sorted({system for by_system in scores.values() for system in by_system})
    warehouse.append(
        "mart.question",
        [
            {
                "run_id": run_id, "question_id": f"q{i}", "question": "?", "n_nuggets": 1,
                **{name: values[i] for name, values in fields.items()},
            }
            for i in range(n)
        ],
    )  # fmt: skip
    warehouse.append(
        "mart.answer", [answer_row(f"q{i}", system, run_id) for i in range(n) for system in systems]
    )
    warehouse.append(
        "mart.score",
        [
            {
                "run_id": run_id, "question_id": f"q{i}", "system": system, "profile": "any", "metric": metric,
                "value": value, "reason": None if value is not None else "nothing to score",
            }
            for metric, by_system in scores.items()
            for system, values in by_system.items()
            for i, value in enumerate(values)
        ],
    )  # fmt: skip


def write_pdf(path: Path, *pages: str) -> Path:
    """Write a PDF with a line of text a page, by hand: catalogue, pages, one font."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 20 700 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 800] /Contents {len(objects)} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    body, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    body += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    )
    path.write_text(body, "ascii")
    return path
