"""Rows of Arrow files, and of data sets that Hugging Face's `save_to_disk` wrote: a folder of them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from medassay.models.intake.file_opening import unpacked_on_disk
from medassay.models.intake.json_forms import checked
from medassay.models.intake.parquet_files import MOST_BYTES, MOST_TIMES, n_bytes, plain_value, too_large
from medassay.models.intake.rows import BadRow, IntakeError, Place, RawRow, named, shortened

_STATE, _SPLITS = "state.json", "dataset_dict.json"


def is_saved_data_set(path: Path) -> bool:
    """Return whether a folder is a data set that `save_to_disk` wrote, or several splits of one."""
    return path.is_dir() and ((path / _STATE).is_file() or (path / _SPLITS).is_file())


def arrow(path: Path) -> Iterator[RawRow | BadRow]:
    """Read an Arrow file, or the files of a saved data set one after another.

    Raises:
        IntakeError: where it is none, is damaged, or holds several splits.
    """
    number = 0
    for part in _parts(path):
        unpacked, most = 0, max(MOST_BYTES, MOST_TIMES * part.stat().st_size)
        with _batches(part) as (_, batches):
            for batch in batches:
                batch.validate(full=True)  # places in a damaged file's buffers may lead out of them
                unpacked += sum(map(n_bytes, batch.columns))
                if unpacked > most:
                    raise too_large(path)
                for value in batch.to_pylist(maps_as_pydicts="lossy"):
                    number += 1
                    row = {n: plain for n, v in value.items() if (plain := plain_value(v)) is not None}
                    yield checked(path, Place(number), row)


def arrow_columns(path: Path) -> list[str]:
    """Return the names of an Arrow file's columns."""
    with _batches(_parts(path)[0]) as (names, _):
        return names


def _parts(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        if (path / _SPLITS).is_file():
            splits = [str(one) for one in json.loads((path / _SPLITS).read_text("utf-8"))["splits"]]
            if len(splits) == 1:
                return _parts(path / splits[0])
            advice = f"give one of them, such as {path / splits[0]}" if splits else "save it again"
            raise IntakeError(path, None, f"a data set of the splits {named(splits)}", advice)
        state = json.loads((path / _STATE).read_text("utf-8"))
        parts = [path / Path(file["filename"]).name for file in state["_data_files"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"not a readable data set of save_to_disk ({shortened(repr(error), 80)})"
        raise IntakeError(path, None, what, "save it again") from None
    if state.get("_indices_files"):
        advice = "save data_set.flatten_indices() again"
        raise IntakeError(path, None, "a selection of rows by their numbers, which is not read", advice)
    if not parts:
        raise IntakeError(path, None, "the data set holds no file", "save it again")
    return parts


@contextmanager
def _batches(path: Path) -> Iterator[tuple[list[str], Iterator[Any]]]:
    """Open a file in Arrow's stream form, which `datasets` writes, or its file form (Feather).

    Raises:
        IntakeError: where it is neither, is damaged, or cannot be read.
    """
    import pyarrow as pa

    try:
        with unpacked_on_disk(path) as plain, pa.memory_map(str(plain)) as source:
            if source.read(6) == b"ARROW1":
                file = pa.ipc.open_file(source)
                yield file.schema.names, map(file.get_batch, range(file.num_record_batches))
            else:
                source.seek(0)
                stream = pa.ipc.open_stream(source)
                yield stream.schema.names, iter(stream)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        what = f"not a readable Arrow file ({shortened(str(error).splitlines()[0])})"
        raise IntakeError(path, None, what, "write it again") from None
