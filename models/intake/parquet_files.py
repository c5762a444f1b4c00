"""Rows of Parquet files in batches, with a memory bound."""

import datetime
import decimal
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from medassay.models.intake.file_opening import opened, unpacked_on_disk
from medassay.models.intake.json_forms import checked
from medassay.models.intake.rows import BadRow, IntakeError, Place, RawRow, shortened

MOST_BYTES, MOST_TIMES = 256 << 20, 250
"""A file may always unpack to so many bytes, and to more where that is at most so many times its own."""


def parquet(path: Path) -> Iterator[RawRow | BadRow]:
    """Read a Parquet file a thousand rows at a time.

    Raises:
        IntakeError: when it is none, is damaged, or unpacks to more than it may.
    """
    with parquet_file(path) as file:
        number = unpacked = 0
        for batch in file.iter_batches(batch_size=1_000):
            unpacked += sum(map(n_bytes, batch.columns))
            if unpacked > file.most_bytes:
                raise too_large(path)
            for value in batch.to_pylist(maps_as_pydicts="lossy"):
                number += 1
                yield checked(
                    path,
                    Place(number),
                    {n: plain for n, v in value.items() if (plain := plain_value(v)) is not None},
                )


@contextmanager
def parquet_file(path: Path) -> Iterator[Any]:
    """Open a Parquet file; its texts come as numbers of a dictionary, so that one repeated takes no memory.

    Raises:
        IntakeError: when it is none, is damaged, or holds more values than it may.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with unpacked_on_disk(path) as plain, opened(path) if plain == path else plain.open("rb") as source:
        try:
            size = source.seek(0, 2)
            source.seek(0)
            said = pq.read_metadata(source)
            most = max(MOST_BYTES, MOST_TIMES * size)
            groups = [said.row_group(n) for n in range(said.num_row_groups)]
            n_values = _count_values(path, said)
            if 8 * n_values > most or sum(group.total_byte_size for group in groups) > most:
                raise too_large(path)
            source.seek(0)
            leaves = [said.schema.column(n) for n in range(said.num_columns)]
            texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
            file = pq.ParquetFile(source, metadata=said, read_dictionary=texts)
            file.most_bytes = most
            yield file
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno:  # of the disk, not of what is written there
                raise
            raise _damaged(path, str(error)) from None


_COUNTING = """
import sys
import pyarrow.parquet as pq
said = pq.read_metadata(sys.argv[1])
groups = [said.row_group(n) for n in range(said.num_row_groups)]
print(sum(group.column(n).num_values for group in groups for n in range(group.num_columns)))
"""


def _count_values(path: Path, said: Any) -> int:
    """Count a file's values: those of lists in a process of its own, since a damaged description of a column ends it.

    Raises:
        IntakeError: where it did; Arrow 26 throws there what nothing catches.
    """
    if not any(said.schema.column(n).max_repetition_level for n in range(said.num_columns)):
        return int(said.num_rows * said.num_columns)
    state = path.stat()
    counted = _counted(path, state.st_size, state.st_mtime_ns)
    if not counted:
        raise _damaged(path, "what it says of a column is damaged")
    return int(counted)


@lru_cache(maxsize=16)
def _counted(path: Path, size: int, changed: int) -> str:
    with unpacked_on_disk(path) as plain:
        counting = [sys.executable, "-I", "-c", _COUNTING, str(plain)]
        return subprocess.run(counting, capture_output=True, text=True, check=False).stdout


def _damaged(path: Path, said: str) -> IntakeError:
    what = f"not a readable Parquet file ({shortened(said.splitlines()[0])})"
    return IntakeError(path, None, what, "write it again")


def too_large(path: Path) -> IntakeError:
    """Return the error of a file whose values would fill the memory."""
    what = f"it would unpack to over {MOST_BYTES >> 20} MiB and {MOST_TIMES} times its size"
    return IntakeError(path, None, what, "give it as JSON lines if it is sound")


def n_bytes(array: Any) -> int:
    """Count the bytes that an array's values take one by one, each text as often as it stands."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(array.dictionary).cast(pa.int64())
        return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
    if pa.types.is_struct(kind):
        return sum(map(n_bytes, array.flatten()))
    if pa.types.is_map(kind):
        return n_bytes(array.keys) + n_bytes(array.items)
    if pa.types.is_nested(kind):
        return n_bytes(array.flatten())
    return int(array.nbytes)


def plain_value(value: Any) -> Any:
    """Turn what Arrow's tables hold and JSON does not into what a reader would write; NaN is nothing."""
    match value:
        case float() if math.isnan(value):
            return None
        case decimal.Decimal():
            return float(value)
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case dict():
            return {str(name): plain_value(part) for name, part in value.items()}
        case list() | tuple():
            return [plain_value(part) for part in value]
        case str() | bool() | int() | float() | None:
            return value
    return str(value)


def parquet_columns(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns."""
    with parquet_file(path) as file:
        return list(file.schema_arrow.names)
