"""The files of a shard: JSON manifests and Parquet tables. What is wrong with one is said, and never believed."""

import io
import json
from typing import TYPE_CHECKING, Any

from medassay.models.entailment.storage import NotAFile, Storage
from medassay.models.keys import content_key

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_MANIFEST = 1 << 20
"""Bytes."""
_TYPES = {
    "entailment": "double",
    "neutral": "double",
    "contradiction": "double",
    "coverage": "double",
    "n_windows": "int64",
    "sentence_start": "int64",
    "sentence_end": "int64",
}
"""Arrow's names of what is no text."""


class ShardRefused(Exception):
    """A shard that must not be read or taken in; the message names it and says what does not fit."""


def read_manifest(storage: Storage, shard: str, name: str) -> dict[str, Any] | None:
    """Read a manifest; None where there is none.

    Raises:
        ShardRefused: when it is no JSON object.
    """
    content = read_file(storage, shard, name, LONGEST_MANIFEST)
    if content is None:
        return None
    try:
        manifest = json.loads(content)
        # What Python takes for JSON and is none, such as NaN, has no key.
        content_key(manifest)
    except (ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict):
        raise ShardRefused(f"shard {shard}: {name} is no JSON object")
    return manifest


def read_file(storage: Storage, shard: str, name: str, at_most: int | None = None) -> bytes | None:
    """Read a file of a shard, of at most so many bytes; None where there is none.

    Raises:
        ShardRefused: when it is no file, or larger.
    """
    try:
        return storage.read(shard, name, at_most)
    except NotAFile as error:
        raise ShardRefused(f"shard {shard}: {error}") from None


def to_parquet(columns: dict[str, list[Any]]) -> bytes:
    """Lay columns out as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def from_parquet(
    content: bytes, what: str, columns: tuple[str, ...], n_rows: int | None
) -> list[dict[str, Any]]:
    """Read exactly these columns as rows; others are passed over.

    Args:
        content: the file.
        what: how a message names it.
        columns: what must be there.
        n_rows: how many rows there must be, known before one is read; None is any number.

    Raises:
        ShardRefused: when it is no such table.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        if n_rows is not None and file.metadata.num_rows != n_rows:
            raise ShardRefused(f"{what} are {file.metadata.num_rows} rows and not {n_rows}")
        if missing := [name for name in columns if name not in file.schema_arrow.names]:
            raise ShardRefused(f"{what} lack the column {missing[0]}")
        rows: list[dict[str, Any]] = (
            file.read(columns=list(columns)).select(columns).cast(_schema(columns)).to_pylist()
        )
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ShardRefused(f"{what} cannot be read as Parquet ({error})") from None
    return rows


def _schema(columns: tuple[str, ...]) -> "pa.Schema":
    import pyarrow as pa

    return pa.schema([(name, pa.type_for_alias(_TYPES.get(name, "string"))) for name in columns])
