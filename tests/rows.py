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
