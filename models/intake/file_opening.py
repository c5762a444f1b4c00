"""Open files as bytes: gzip, encodings."""

import codecs
import errno
import gzip
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from medassay.models.intake.rows import IntakeError
from medassay.models.unpacking import UnpacksTooLarge, unpacked

_OTHER_ENCODINGS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"), (b"\x00\x00\xfe\xff", "UTF-32"))


def refuse_absent(
    path: Path,
    what: str = "no such file or folder",
    advice: str = "give a folder with questions.* and answers.*, or one file",
) -> None:
    """Refuse a path at which nothing is, and name where a link leads that leads nowhere, such as to an unmounted share.

    Raises:
        IntakeError: saying what is missing, and what to do.
    """
    try:
        path.stat()
    except OSError as error:
        if path.is_symlink() and error.errno == errno.ELOOP:
            raise IntakeError(
                path, None, "a link that leads round in a circle", "let it lead to a file, or remove it"
            ) from None
        if path.is_symlink() and error.errno == errno.ENOENT:
            what = f"a link to {os.path.realpath(path)}, where nothing is"
            advice = "mount or restore what it leads to, or remove the link"
        elif error.errno not in (errno.ENOENT, errno.ENOTDIR):
            what, advice = f"cannot be read ({error.strerror or error})", "check its rights"
        raise IntakeError(path, None, what, advice) from None
    _refuse_unwritable_name(path)


def _refuse_unwritable_name(path: Path) -> None:
    """Refuse a name that no database and no page can hold: its bytes are no UTF-8.

    Raises:
        IntakeError: showing the bytes.
    """
    try:
        str(path.resolve()).encode("utf-8")
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise IntakeError(
            shown, None, "the name is not UTF-8", "rename it, or the folder that it is in"
        ) from None


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, and turn what goes wrong on the way into an error that says what to do.

    Raises:
        IntakeError: when the file cannot be opened, its gzip data is damaged or unpacks to more than it may, or it is
            not UTF-8 at all.
    """
    packed = path.name.lower().endswith(".gz")
    try:
        with open(path, "rb") as raw:
            if not packed and raw.peek(2)[:2] == b"\x1f\x8b":
                raise IntakeError(path, None, "the file is gzipped", "give its name the ending .gz")
            file = unpacked(raw) if packed else raw
            head = file.peek(4)[:4]
            for mark, name in _OTHER_ENCODINGS:
                if head.startswith(mark):
                    advice = f"convert it: iconv -f {name.lower()} -t utf-8"
                    raise IntakeError(path, None, f"the file is {name}", advice)
            yield cast(IO[bytes], file)
    except UnpacksTooLarge as error:
        raise IntakeError(path, None, str(error), "give it unpacked if it is sound") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise IntakeError(path, None, f"the gzip data is damaged ({error})", "write the file again") from None
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise IntakeError(path, None, what, "check the file and its rights") from None


@contextmanager
def unpacked_on_disk(path: Path) -> Iterator[Path]:
    """Give a file as it is, or of one that is gzipped an unpacked copy, for readers that want places in it.

    Raises:
        IntakeError: as `opened`.
    """
    if not path.name.lower().endswith(".gz"):
        yield path
        return
    with tempfile.NamedTemporaryFile() as unpacked:
        with opened(path) as packed:
            shutil.copyfileobj(packed, unpacked)
        unpacked.flush()
        yield Path(unpacked.name)


AS_UTF8 = "remove it, or write the file as UTF-8"
_STRAY = re.compile("[\udc80-\udcff]")
_OF_WINDOWS = re.compile("[\udc80-\udc9f]")
"""Bytes that Latin-1 holds no letters for, and Windows does: dashes, quotation marks, the euro."""
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


def conversion(path: Path) -> str:
    """Describe how a text file with bytes that are not UTF-8 becomes it, by all of its bytes."""
    state = path.stat()
    return _conversion(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=16)
def _conversion(path: Path, size: int, changed: int) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    stray = windows = mixed = False
    with opened(path) as file:
        ended = False
        while not ended:
            chunk = file.read(1 << 20)
            ended = not chunk
            if b"\x00" in chunk:
                return AS_UTF8
            text = decoder.decode(chunk, final=ended)
            stray |= bool(_STRAY.search(text))
            windows |= bool(_OF_WINDOWS.search(text))
            mixed |= bool(_BEYOND_ASCII.search(text.removeprefix("\ufeff")))
    if not stray:
        return AS_UTF8
    if mixed:
        return "convert this row alone: other text in the file is UTF-8"
    return f"convert the file: iconv -f {'cp1252' if windows else 'latin1'} -t utf-8"
