"""Samples of Inspect's `.eval` logs: a ZIP archive, zstd or deflate, each sample in one member or in chunks."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from medassay.models.intake.file_opening import opened
from medassay.models.intake.json_forms import STRICT, checked
from medassay.models.intake.rows import BadRow, IntakeError, Place, RawRow, shortened
from medassay.models.unpacking import UNREADABLE_ZIP

_ZSTANDARD = 93
"""The number of zstd among ZIP's methods; the standard library knows it from Python 3.14 on."""
MOST_BYTES = 1 << 28
"""A member that unpacks to more is no sample."""
_LOCAL_HEADER = struct.Struct("<26xHH")
_SAMPLE = re.compile(r"samples/(.+?)(\.json|/sample\.json)")
_UNREADABLE = (OSError, KeyError, *UNREADABLE_ZIP)


def inspect_samples(path: Path) -> Iterator[RawRow | BadRow]:
    """Yield each sample of a log with the log's `eval` (model, task, epochs); a damaged one is a BadRow.

    Raises:
        IntakeError: where the file is no such log, or holds no samples.
    """
    with opened(path) as file:
        try:
            archive = zipfile.ZipFile(file)
        except UNREADABLE_ZIP as error:
            advice = "copy it again, or write it with inspect log dump LOG > log.json"
            raise IntakeError(path, None, f"not a readable Inspect log ({error})", advice) from None
        members = {info.filename: info for info in archive.infolist()}
        held = {hit[1]: hit[2] for name in members if (hit := _SAMPLE.fullmatch(name)) and "/" not in hit[1]}
        if not held:
            raise IntakeError(path, None, "the log holds no samples", "run it with log_samples on")
        header = _header(path, file, members)
        for number, (name, form) in enumerate(held.items(), 1):
            place = Place(1, number)
            try:
                sample = _sample(file, members, name, form)
            except _UNREADABLE as error:
                seen = place.of(f"samples/{name}: {shortened(str(error) or type(error).__name__, 120)}")
                advice = "copy the log again; the other samples are read"
                yield BadRow(str(path), place.line, "the sample cannot be read", seen, advice)
                continue
            yield checked(path, place, {"eval": header, **sample} if isinstance(sample, dict) else sample)


def _header(path: Path, file: IO[bytes], members: dict[str, zipfile.ZipInfo]) -> dict[str, Any]:
    """Return what was evaluated; a log of a run that was cut off has it in its journal alone."""
    for name in ("header.json", "_journal/start.json"):
        if name in members:
            try:
                return dict(_json(file, members[name])["eval"])
            except _UNREADABLE as error:
                what = f"its {name} cannot be read ({shortened(str(error), 80)})"
                raise IntakeError(path, None, what, "copy the log again") from None
    return {}


def _sample(file: IO[bytes], members: dict[str, zipfile.ZipInfo], name: str, form: str) -> Any:
    """Read a sample; of one in chunks its messages, metadata and attachments, not its events."""
    sample = _json(file, members[f"samples/{name}{form}"])
    if form == ".json" or not isinstance(sample, dict):
        return sample
    if (metadata := f"samples/{name}/metadata.json") in members:
        sample["metadata"] = _json(file, members[metadata])
    for part in ("messages", "attachments"):
        chunk = re.compile(rf"samples/{re.escape(name)}/{part}/(\d+)\.json")
        starts = sorted((int(hit[1]), other) for other in members if (hit := chunk.fullmatch(other)))
        sample[part] = [item for _, other in starts for item in _json(file, members[other])]
    sample["attachments"] = {str(number): text for number, text in enumerate(sample["attachments"])}
    return sample


def _json(file: IO[bytes], member: zipfile.ZipInfo) -> Any:
    return STRICT.decode(_unpacked(file, member).decode("utf-8"))


def _unpacked(file: IO[bytes], member: zipfile.ZipInfo) -> bytes:
    """Unpack a member by its place in the archive.

    Raises:
        ValueError: where it is damaged, packed otherwise, or larger than any sample.
    """
    if member.file_size > MOST_BYTES:
        raise ValueError(f"it would unpack to over {MOST_BYTES >> 20} MiB")
    file.seek(member.header_offset)
    n_name, n_extra = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(n_name + n_extra, io.SEEK_CUR)
    packed = file.read(member.compress_size)
    if member.compress_type == zipfile.ZIP_STORED:
        found = packed
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        found = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MOST_BYTES)
    elif member.compress_type == _ZSTANDARD:
        import pyarrow as pa

        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            found = stream.read(member.file_size + 1)
    else:
        raise ValueError(f"packed by ZIP's method {member.compress_type}, which is not read")
    if len(found) != member.file_size or zlib.crc32(found) != member.CRC:
        raise ValueError("its data is damaged")
    return found
