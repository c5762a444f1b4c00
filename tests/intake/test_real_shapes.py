"""Every shape of the table in docs/data.md is read as it says; write the table: python tests/intake/test_real_shapes.py."""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from real_shapes import GOLD, SHAPES, TEXT, A, B, Q, Shape

from medassay.models.intake import BadRow, Intake, IntakeError, read_data

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
HEAD = "| written by | columns | read | not read |\n|---|---|---|---|\n"
PARTS = ("reference_answer", "criteria")
NOT_READ = re.compile(r"(?:that nothing reads|is not read): (.*)|the first column has (no name)")


def read(shape: Shape, folder: Path) -> tuple[list[Intake], list[str]]:
    path = folder / shape.file
    path.write_text(shape.text, "utf-8")
    data = read_data(path)
    rows = list(data.rows)
    assert not [row for row in rows if isinstance(row, BadRow)]
    return [row for row in rows if isinstance(row, Intake)], data.warnings


def columns_of(shape: Shape) -> list[str]:
    """Name the fields that a file's first record has, by its own names."""
    if shape.file.endswith(".csv"):
        return [n for n in re.split("[;,]", shape.text.splitlines()[0]) if n]
    first = json.loads(shape.text.splitlines()[0])
    first = first["results"] if isinstance(first, dict) and "results" in first else first
    return list((first[0] if isinstance(first, list) else first).keys())


def row_of(shape: Shape, folder: Path) -> str:
    """Describe how a shape is read, as a row of the table."""
    columns = ", ".join(f"`{name}`" for name in columns_of(shape))
    try:
        rows, told = read(shape, folder)
    except IntakeError as error:
        return f"| {shape.writer} | {columns} | refused: {error.what.split(':')[0]} | |\n"
    parts = [
        name for row in rows if row.kind == "question" for name in ("question", *PARTS) if row.value.get(name)
    ]
    answers = [row.value for row in rows if row.kind == "answer"]
    parts += [f"answer [{value['system']}]" for value in answers if value.get("answer")]
    parts += [name for name in ("contexts", "references") if any(value.get(name) for value in answers)]
    missed = [hit[1] or hit[2] for line in told if (hit := NOT_READ.search(line))]
    return f"| {shape.writer} | {columns} | {', '.join(parts)} | {', '.join(missed)} |\n"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_is_read_as_the_table_says_and_every_text_is_where_it_belongs_or_named(
    shape: Shape, tmp_path: Path
) -> None:
    assert row_of(shape, tmp_path) in PAGE.read_text("utf-8")
    try:
        rows, told = read(shape, tmp_path)
    except IntakeError:
        return
    questions = [row.value for row in rows if row.kind == "question"]
    answers = [row.value for row in rows if row.kind == "answer"]
    for value in questions:
        assert Q in value["question"]
        assert value.get("reference_answer") in (None, GOLD)
    assert all(value["answer"] in (A, B) for value in answers)
    assert all(value.get("contexts", [TEXT]) == [TEXT] for value in answers)
    said = " ".join(told)
    own = {name for value in (*questions, *answers) for name in value}
    held = json.dumps([row.value for row in rows], ensure_ascii=False)
    for text in (Q, A, B, GOLD, TEXT):
        assert text not in shape.text or text in held
    if (
        any(row.kind for row in rows)
        and "HealthBench" not in shape.writer
        and shape.name not in ("ragchecker", "lm-eval")
    ):
        for name in columns_of(shape):
            assert name in own or name.lower() in own or name in said or name in ("id", "query", "response", "model",
                "results", "output") or name.lower() in ("model", "id"), name  # fmt: skip


def test_a_failed_formula_is_nobodys_answer(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"Question,Gold,GPT,Llama\n{Q},#VALUE!,{A},{B}\nIs it?,{GOLD},#REF!,{B}\n")
    rows = [row.value for row in read_data(path).rows if isinstance(row, Intake)]
    assert [row["reference_answer"] for row in rows if "reference_answer" in row] == [GOLD]
    (failed,) = [row for row in rows if row.get("failed")]
    assert (failed["system"], "#REF!" in failed["failed"]) == ("GPT", True)


def test_what_may_be_two_things_is_read_where_its_company_or_somebody_says_which(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"

    def answers(header: str, cells: str, *chosen: str) -> list[tuple[Any, ...]]:
        path.write_text(f"{header}\n{cells}\n")
        rows = [row.value for row in read_data(path, chosen).rows if isinstance(row, Intake)]
        (question,) = [row for row in rows if "question" in row]
        said = [row for row in rows if "answer" in row]
        return [(question.get("reference_answer"), row["answer"], row.get("contexts")) for row in said]

    assert answers("Question,Gold,Model answer", f"{Q},{GOLD},{A}") == [(GOLD, A, None)]
    assert answers("Question,Model answer", f"{Q},{A}") == [(None, A, None)]
    exam = "Question,Model answer,GPT,Llama", f"{Q},{GOLD},{A},{B}"
    assert answers(*exam, "reference_answer=Model answer") == [(GOLD, A, None), (GOLD, B, None)]
    frame = "input,output,reference", f"{Q},{A},{TEXT}"
    assert answers(*frame, "contexts=reference") == [(None, A, [TEXT])]
    assert answers(*frame, "reference_answer=reference") == [(TEXT, A, None)]
    read_nothing = read_data(path)
    list(read_nothing.rows)
    assert read_nothing.warnings[-1] == (
        f"{path}: what may be a gold answer (--column reference_answer=reference) or what was retrieved"
        " (--column contexts=reference) is not read: reference"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        table = HEAD + "".join(row_of(shape, Path(place)) for shape in SHAPES)
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition("<!-- shapes -->\n")
    PAGE.write_text(
        f"{before}<!-- shapes -->\n{table}<!-- /shapes -->{rest.partition('<!-- /shapes -->')[2]}", "utf-8"
    )
