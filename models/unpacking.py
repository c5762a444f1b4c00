"""Bounded decompression of files and bodies."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any, cast

UNCHECKED_BYTES = 32 * 2**20
"""What any file may unpack to, however small it is."""
LARGEST_RATIO = 250
"""Texts compress to a fifth or a twentieth; 1,032 is the most that gzip can do, with one character repeated."""

UNREADABLE_ZIP = (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, struct.error, zlib.error)
"""What `zipfile` raises for a damaged archive: by what is damaged, versions and names of members among it."""

ACCEPTED_CODINGS = "gzip, deflate"


class UnpacksTooLarge(gzip.BadGzipFile):
    """Compressed data that unpacks to more than any sound file of its size would."""


def unpacked(packed: IO[bytes]) -> io.BufferedReader:
    """Return what reads a gzip file unpacked.

    Raises:
        UnpacksTooLarge: on the way, once more than 32 MiB came out, over 250 times what was read.
    """
    return io.BufferedReader(_Unpacking(packed), 1 << 16)


class _Unpacking(io.RawIOBase):
    def __init__(self, packed: IO[bytes]) -> None:
        self._packed, self._file, self._size = packed, gzip.GzipFile(fileobj=packed), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._size = self._file.seek(offset, whence)
        return self._size

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._size += count
        if self._size > UNCHECKED_BYTES and self._size > LARGEST_RATIO * self._packed.tell():
            raise UnpacksTooLarge(f"it unpacks to more than {LARGEST_RATIO} times its size")
        return count


class BodyTooLarge(ValueError):
    """A body from the network that is larger than any sound one, or packed otherwise than was asked for or is said."""


def body_unpacker(coding: str) -> Callable[[bytes, int], bytes]:
    """Return what unpacks a body chunk by chunk: given a chunk and the most bytes wanted, it returns at most so many.

    Raises:
        BodyTooLarge: for a content coding other than gzip and deflate; what is returned does for a body that is not so
            packed.
    """
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise BodyTooLarge(f"the body is packed as {coding[:40]!r}, which was not asked for")
    unpack = _Deflated() if coding == "deflate" else zlib.decompressobj(zlib.MAX_WBITS | 16).decompress

    def checked(chunk: bytes, most: int) -> bytes:
        try:
            return unpack(chunk, most)
        except zlib.error:
            raise BodyTooLarge(f"the body is not packed as {coding}, which its head says") from None

    return checked


class _Deflated:
    """Servers mean two things by deflate: with zlib's header, and without."""

    def __init__(self) -> None:
        self._unpacking: Any = None

    def __call__(self, chunk: bytes, most: int) -> bytes:
        if self._unpacking is None:
            self._unpacking = zlib.decompressobj()
            try:
                return cast(bytes, self._unpacking.decompress(chunk, most))
            except zlib.error:
                self._unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        return cast(bytes, self._unpacking.decompress(chunk, most))
