"""Files opened as bytes, unpacked where they are gzipped, refused where they are in another encoding."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from models.intake.rows import IntakeError

_OTHER_ENCODINGS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"), (b"\x00\x00\xfe\xff", "UTF-32"))


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, and turn what goes wrong on the way into an error that says what to do.

    Raises:
        IntakeError: when the file cannot be opened, its gzip data is damaged, or it is not UTF-8 at all.
    """
    packed = path.name.lower().endswith(".gz")
    try:
        with open(path, "rb") as raw:
            if not packed and raw.peek(2)[:2] == b"\x1f\x8b":
                raise IntakeError(path, None, "the file is gzipped", "give its name the ending .gz")
            file = gzip.GzipFile(fileobj=raw) if packed else raw
            head = file.peek(4)[:4]
            for mark, name in _OTHER_ENCODINGS:
                if head.startswith(mark):
                    advice = f"convert it: iconv -f {name.lower()} -t utf-8"
                    raise IntakeError(path, None, f"the file is {name}", advice)
            yield cast(IO[bytes], file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise IntakeError(path, None, f"the gzip data is damaged ({error})", "write the file again") from None
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise IntakeError(path, None, what, "check the file and its rights") from None
