"""Files and folders that are written whole or not at all."""

import gzip
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def written_whole(path: Path) -> Iterator[IO[str]]:
    """Write text beside its place and put it there whole; where that fails, what was there stays.

    A link is followed, a pipe or device is written to as it is. A name that ends in `.gz` is gzipped; equal texts give
    equal bytes.

    Raises:
        OSError: naming the path, which the system's own leaves out where a disk is full.
    """
    if path.exists() and not path.is_file():
        with _named(path), path.open("wb") as file, _as_text(file, path) as text:
            yield text
        return
    place = path.resolve()
    draft = place.with_name(f".{place.name}.draft")
    try:
        with _named(path, draft), draft.open("wb") as file, _as_text(file, path) as text:
            yield text
        draft.replace(place)
    finally:
        with suppress(OSError):  # what went wrong before is what counts
            draft.unlink(missing_ok=True)


@contextmanager
def _named(path: Path, draft: Path | None = None) -> Iterator[None]:
    """Have errors name the path: not its draft, and where the system names none."""
    try:
        yield
    except OSError as error:
        if error.filename in (None, str(draft)):
            error.filename = str(path)
        raise


@contextmanager
def folder_written_whole(target: Path, mode: int = 0o777) -> Iterator[Path]:
    """Give an empty folder beside a place; at the block's end it is there, in place of what was there, a link too."""
    with tempfile.TemporaryDirectory(prefix=".medassay-", dir=target.parent) as around:
        draft, before = Path(around) / "draft", Path(around) / "before"
        draft.mkdir(mode)
        yield draft
        for file in draft.iterdir():
            with file.open("rb+") as written:
                os.fsync(written.fileno())
        while True:
            with suppress(FileNotFoundError):
                target.rename(before)  # in one step: nobody reads the half of it
            try:
                draft.rename(target)
            except OSError:
                if not target.exists():
                    raise
                shutil.rmtree(before, ignore_errors=True)  # another was quicker: the later one counts
            else:
                return


def _as_text(file: IO[bytes], path: Path) -> io.TextIOWrapper:
    packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.name.endswith(".gz") else None
    return io.TextIOWrapper(packed or file, "utf-8", newline="")
