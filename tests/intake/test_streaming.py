"""Files far larger than memory should be: a row at a time, in linear time."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from medassay.models.intake import read_data

ROW = json.dumps({"question_id": "q", "system": "s", "answer": "x" * 5000})
N_ROWS = 2_000


FRAMES = {
    "jsonl": ("", "\n", "\n"),
    "json": ("[", ",\n", "]"),
    "results.json": ('{"results": [', ",", "]}"),
}


def written(folder: Path, form: str) -> Path:
    """Write 10 MB of answers, a thousand rows at a time."""
    before, between, after = FRAMES[form]
    path = folder / f"answers.{form.removeprefix('results.')}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(before)
        for start in range(0, N_ROWS, 1000):
            file.write((between if start else "") + between.join([ROW] * 1000))
        file.write(after)
    return path


@pytest.mark.parametrize("form", ["jsonl", "json", "results.json"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, form: str) -> None:
    path = written(tmp_path, form)
    assert path.stat().st_size > 5000 * N_ROWS
    rows = iter(read_data(path).rows)
    next(rows)
    tracemalloc.start()
    count = 1 + sum(1 for _ in rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == N_ROWS
    assert peak < 8_000_000


def test_a_table_of_text_and_one_of_columns_stream_too(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    answer = "x" * 5000
    with gzip.open(tmp_path / "answers.csv.gz", "wt", encoding="utf-8", compresslevel=1) as file:
        file.write("question_id,system,answer\n")
        file.writelines(f"q,s,{answer}\n" for _ in range(N_ROWS))
    table = pa.table({name: [value] * N_ROWS for name, value in json.loads(ROW).items()})
    pq.write_table(table, tmp_path / "answers.parquet", row_group_size=400)
    for name in ("answers.csv.gz", "answers.parquet"):
        rows = iter(read_data(tmp_path / name).rows)
        next(rows)
        tracemalloc.start()
        count = 1 + sum(1 for _ in rows)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == N_ROWS, name
        assert peak < 8_000_000, name


def test_a_record_longer_than_many_chunks_is_one_row(tmp_path: Path) -> None:
    answer = "word " * 2_000_000
    (tmp_path / "answers.json").write_text(
        json.dumps([{"question_id": "q", "system": "s", "answer": answer}]), encoding="utf-8"
    )
    (row,) = list(read_data(tmp_path / "answers.json").rows)
    assert row.value["answer"] == answer  # type: ignore[union-attr]
