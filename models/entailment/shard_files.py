"""The files of a shard at a storage URL: JSON manifests and Parquet tables, validated when they are read back."""

import io
import json
import math
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.keys import content_key
from medassay.models.records import PairVerdict, Span

if TYPE_CHECKING:
    import pyarrow as pa

MARK = ".medassay-shards"
"""What says of a place that shards were written there."""

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
_ROUNDING = 1e-3


class NotAFile(Exception):
    """What stands under a file's name must not be read: a folder, a device, a pipe, or far too much."""


class StorageGone(Exception):
    """The place is not there, or not what it was: what lay in it may come back with it."""


class Storage:
    """A folder on any file system that fsspec knows: a path, `s3://…`, `gs://…`.

    `url` means the same to whoever is told it: a path is made absolute.
    """

    def __init__(self, url: str) -> None:
        import fsspec

        self.url = url if "://" in url or "::" in url else str(Path(url).expanduser().absolute())
        self._files, self._root = fsspec.core.url_to_fs(self.url)
        self._is_marked = False

    @property
    def is_here(self) -> bool:
        """Say whether it is a folder among the files of this machine, those mounted from elsewhere among them."""
        known = self._files.protocol
        return bool({"file", "local", "memory"} & ({known} if isinstance(known, str) else set(known)))

    def _at(self, *parts: str) -> str:
        return "/".join((self._root.rstrip("/"), *parts))

    def write(self, shard: str, name: str, content: bytes) -> None:
        """Write a file of a shard so that readers see the whole of it or nothing."""
        if not self._is_marked:
            self._files.makedirs(self._root, exist_ok=True)
            self._files.pipe_file(self._at(MARK), b"shards of pairs travel here\n")
            self._is_marked = True
        self._files.makedirs(self._at(shard), exist_ok=True)
        draft = self._at(shard, f".{name}.{secrets.token_hex(4)}")
        self._files.pipe_file(draft, content)
        self._files.mv(draft, self._at(shard, name))

    def read(self, shard: str, name: str, at_most: int | None = None) -> bytes | None:
        """Read a file of a shard, of at most so many bytes; None where there is none.

        Raises:
            NotAFile: before anything is read, when it is no plain file or is larger.
            OSError: when it cannot be read now.
        """
        path = self._at(shard, name)
        self._files.invalidate_cache()
        try:
            found = self._files.info(path)
            if found["type"] != "file":
                raise NotAFile(f"{name} is no file")
            if at_most is not None and (found["size"] or 0) > at_most:
                raise NotAFile(f"{name} has {found['size']} bytes, which is more than {at_most}")
            return bytes(self._files.cat_file(path))
        except FileNotFoundError:
            return None

    def has(self, shard: str, name: str) -> bool:
        """Say whether a shard has a file; never from a listing that was kept."""
        self._files.invalidate_cache()
        return bool(self._files.exists(self._at(shard, name)))

    def delete(self, shard: str) -> None:
        """Delete a shard with all its files; one that is gone is no error.

        Raises:
            StorageGone: when the place is not there, as a share is not that nobody has mounted.
        """
        self._files.invalidate_cache()
        try:
            self._files.rm(self._at(shard), recursive=True)
        except FileNotFoundError:
            if not self._files.exists(self._at(MARK)):
                raise StorageGone(f"{self.url} is not there, or not what it was") from None


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


@dataclass(frozen=True, slots=True)
class ShardPair:
    """A pair under the name that its verdict comes back with: the keys of its two texts."""

    pair_id: str
    premise: str
    hypothesis: str


def verdict_in(row: dict[str, Any]) -> PairVerdict:
    """Read a row of verdicts: three shares, or none and the reason."""
    shares = (row["entailment"], row["neutral"], row["contradiction"])
    if shares == (None, None, None):
        reason = (row["reason"] or "").strip() or "the model gave no verdict"
        return PairVerdict(*shares, n_windows=0, coverage=0.0, reason=reason)
    place = (row["sentence_start"], row["sentence_end"])
    return PairVerdict(
        *shares,
        n_windows=row["n_windows"],
        sentence=None if place == (None, None) else Span(*place),
        coverage=row["coverage"],
        reader=row["reader"],
    )


def refuse_impossible(shard: str, pair: ShardPair, verdict: PairVerdict) -> None:
    """Refuse what no reader of this pair could say.

    Raises:
        ShardRefused: naming the pair and what is wrong with its verdict.
    """
    shares = (verdict.entailment, verdict.neutral, verdict.contradiction)
    if shares == (None, None, None):
        return
    if not _in_range(0, shares, 1) or abs(sum(s for s in shares if s is not None) - 1) > _ROUNDING:
        raise ShardRefused(
            f"shard {shard}: the verdict on {pair.pair_id} is no three probabilities: {shares}"
        )
    at = verdict.sentence
    placed = at is None or (_in_range(0, (at.start, at.end), len(pair.premise)) and at.start < at.end)
    if not (
        placed
        and _in_range(0, (verdict.coverage,), 1)
        and _in_range(1, (verdict.n_windows,), max(1, len(pair.premise)))
    ):
        raise ShardRefused(
            f"shard {shard}: the verdict on {pair.pair_id} does not fit its passage: sentence {at}, "
            f"coverage {verdict.coverage}, {verdict.n_windows} windows"
        )


def _in_range(least: float, found: Iterable[float | None], most: float) -> bool:
    return all(x is not None and math.isfinite(x) and least <= x <= most for x in found)
