"""Files that are written whole or not at all."""

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def written_whole(path: Path) -> Iterator[IO[str]]:
    """Write text beside its place and put it there whole; where that fails, what was there stays.

    A link is followed, a pipe or device is written to as it is. A name that ends in `.gz` is gzipped; equal texts give
    equal bytes.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file, _as_text(file, path) as text:
            yield text
        return
    place = path.resolve()
    draft = place.with_name(f".{place.name}.draft")
    try:
        with draft.open("wb") as file, _as_text(file, path) as text:
            yield text
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


def _as_text(file: IO[bytes], path: Path) -> io.TextIOWrapper:
    packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.name.endswith(".gz") else None
    return io.TextIOWrapper(packed or file, "utf-8", newline="")
