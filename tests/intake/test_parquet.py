"""Parquet: small files that would fill the memory are refused, honest ones read."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from medassay.models.intake import IntakeError, read_data
from medassay.models.intake.parquet_files import MOST_BYTES
from medassay.models.intake.readers import read_rows

LONG = "It is safe. " * 100_000
MANY = MOST_BYTES // 8 + 1


def written(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def repeated(n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([LONG]))


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"question": repeated(20_000)}, id="a long text in every row"),
        pytest.param(
            {"contexts": pa.ListArray.from_arrays([0, 20_000], repeated(20_000))}, id="a long text again and again in one row"
        ),
        pytest.param({"question": pa.array(["?"]), "points": pa.ListArray.from_arrays([0, MANY], np.zeros(MANY, dtype="int64"))}, id="many numbers"),
    ],
)  # fmt: skip
def test_a_small_file_that_unpacks_to_gigabytes_is_refused(tmp_path: Path, columns: dict[str, Any]) -> None:
    path = written(tmp_path / "questions.parquet", columns)
    assert path.stat().st_size < MOST_BYTES // 250
    before = pa.total_allocated_bytes()
    with pytest.raises(IntakeError, match="would unpack to over 256 MiB") as told:
        list(read_rows(path))
    assert len(str(told.value).splitlines()) == 1
    assert pa.total_allocated_bytes() - before < MOST_BYTES


DAMAGED = base64.b64decode(
    "UEFSMRUAFSIVIiwVAhUAFQYVBhwAAAACAAAAAgACAAAAAgMBAAAAYRUEGUw1ABgGc2NoZW1hFQIANAIYB251Z2dldHMVAhUGTDwAAAA1BBgEbGlzdBUC"
    "ABUMJQIYB2VsZW1lbnQlAEwcAAAAFgIZHBkcJgAcFQwZJQYAGTgHbnVnZ2V0cwRsaXN0B2VsZW1lbnQVABYCFkgWSCYISRwVABUAFQIAPBYCGSYCABlG"
    "AAAAAgAAABZIFgImCBZIACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZHBwAAAC+AAAAUEFSMQ=="
)
"""A list column one of whose histograms lost its length: Arrow 26 ends the process that asks for the column."""


def test_a_damaged_description_of_a_column_does_not_end_the_process(tmp_path: Path) -> None:
    path = tmp_path / "questions.parquet"
    path.write_bytes(DAMAGED)
    packed = tmp_path / "answers.parquet.gz"
    packed.write_bytes(gzip.compress(DAMAGED))
    for file in (path, packed):
        with pytest.raises(IntakeError) as told:
            list(read_rows(file))
        assert str(told.value) == (
            f"{file}: not a readable Parquet file (what it says of a column is damaged); write it again"
        )


def test_arrow_files_are_read_gzipped_too(tmp_path: Path) -> None:
    import pyarrow.feather as feather

    plain = tmp_path / "plain"
    table = pa.table({"question_id": ["q1"], "nuggets": [["a", "b"]]})
    for ending in ("feather", "arrow"):
        feather.write_feather(table, plain)
        packed = tmp_path / f"questions.{ending}.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        assert [row.value for row in read_rows(packed)] == [{"question_id": "q1", "nuggets": ["a", "b"]}]
        packed.write_bytes(packed.read_bytes()[:60])
        with pytest.raises(IntakeError, match="the gzip data is damaged"):
            list(read_rows(packed))


def test_no_flipped_byte_of_an_arrow_file_ends_the_process(tmp_path: Path) -> None:
    """Unchecked, places that lead out of a buffer are read there: a killed process, or another's text."""
    table, path = pa.table({"nuggets": [["a", "b"], ["c"]]}), tmp_path / "questions.arrow"
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    whole, refused = path.read_bytes(), 0
    for at in range(0, len(whole), 2):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        try:
            list(read_rows(path))
        except IntakeError:
            refused += 1
    assert 75 < refused < len(whole)


def test_honest_values_of_every_kind_are_read(tmp_path: Path) -> None:
    rows = [
        {"question_id": f"q{n}", "question": "Is it safe?", "nuggets": [{"text": "It is.", "importance": "vital"}] * 2,
         "category": None if n % 2 else "a", "points": n / 2}
        for n in range(2_500)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "questions.parquet")
    read = [row.value for row in read_rows(tmp_path / "questions.parquet")]
    assert json.loads(json.dumps(read)) == [{k: v for k, v in row.items() if v is not None} for row in rows]
    assert len(list(read_data(tmp_path).rows)) == 2_500
