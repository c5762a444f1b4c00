"""Files → rows, streamed: JSON lines, JSON, CSV, TSV and Parquet, each also gzipped."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from models.intake.rows import BadRow, IntakeError, RawRow, shortened

Rows = Iterator[RawRow | BadRow]
_CHUNK = 1 << 20
_LONGEST_FIELD = 1 << 27


def read_rows(path: Path) -> Rows:
    """Yield the objects of a file, and a BadRow for every line that is none.

    Memory holds one row, or for Parquet one row group, whatever the file's size.

    Raises:
        IntakeError: when the file is missing, empty, of an unknown form, or breaks off.
    """
    name = path.name.lower().removesuffix(".gz")
    reader = next((read for ending, read in READERS.items() if name.endswith(ending)), None)
    if path.is_dir():
        raise IntakeError(f"{path}: a folder stands where a file was expected; give the file in it")
    if not path.exists():
        raise IntakeError(f"{path}: no such file; check the path")
    if reader is None:
        raise IntakeError(f"{path}: not a form that is read; use {', '.join(READERS)}, plain or .gz")
    if path.stat().st_size == 0:
        raise IntakeError(f"{path}: the file is empty; give at least one row")
    try:
        yield from reader(path)
    except (gzip.BadGzipFile, EOFError) as error:
        raise IntakeError(f"{path}: the gzip data is damaged ({error}); write the file again") from None
    except OSError as error:
        raise IntakeError(
            f"{path}: cannot be read ({error.strerror or error}); check the file and its rights"
        ) from None


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else open(path, "rb")


def _decoded(path: Path, number: int, line: bytes) -> str | BadRow:
    if b"\x00" in line:
        at = line.index(b"\x00")
        return BadRow(
            str(path),
            number,
            "the line holds a NUL byte",
            f"at byte {at + 1}",
            "remove it, or convert the file to UTF-8",
        )
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        seen = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        return BadRow(
            str(path), number, "the line is not UTF-8", seen, "convert the file: iconv -f latin1 -t utf-8"
        )


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique)


def _object(path: Path, number: int, text: str) -> RawRow | BadRow:
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        return BadRow(str(path), number, "the JSON is nested too deeply", shortened(text), "flatten it")
    except ValueError as error:
        return BadRow(
            str(path),
            number,
            "the line is not valid JSON",
            f"{error}: {shortened(text, 60)}",
            "mend the line; one JSON object a line",
        )
    if not isinstance(value, dict):
        return BadRow(
            str(path),
            number,
            "the line is not a JSON object",
            shortened(text),
            "write an object with named fields",
        )
    return RawRow(str(path), number, value)


def _json_lines(path: Path) -> Rows:
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            text = _decoded(path, number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            if isinstance(text, BadRow):
                yield text
            elif text.strip():
                yield _object(path, number, text.strip())


def _json(path: Path) -> Rows:
    """Read one array of objects, objects one after another, or one object; an array is never held whole."""
    with _opened(path) as file:
        first = file.read(3)
        stream = io.TextIOWrapper(file, encoding="utf-8")
        head = "" if first == b"\xef\xbb\xbf" else first.decode("utf-8", "replace")
        try:
            yield from _json_values(path, stream, head)
        except UnicodeDecodeError as error:
            raise IntakeError(
                f"{path}: not UTF-8 ({error.reason}); convert it: iconv -f latin1 -t utf-8"
            ) from None


def _json_values(path: Path, stream: IO[str], text: str) -> Rows:
    text, number, ended = text.lstrip(), 0, False
    while True:
        more = stream.read(_CHUNK)
        ended = not more
        text += more
        while True:
            text = text.lstrip(" \t\r\n,[" if number or text[:1] == "[" else " \t\r\n,")
            if not text or text[0] == "]":
                text = text[1:]
                if not text.strip():
                    break
                continue
            try:
                value, end = _DECODER.raw_decode(text)
            except RecursionError:
                raise IntakeError(
                    f"{path}: record {number + 1}: the JSON is nested too deeply; flatten it"
                ) from None
            except ValueError as error:
                if not ended:
                    break
                raise IntakeError(
                    f"{path}: record {number + 1}: not valid JSON ({error}); mend the file"
                ) from None
            number, text = number + 1, text[end:]
            if isinstance(value, dict):
                yield RawRow(str(path), number, value)
            else:
                yield BadRow(
                    str(path),
                    number,
                    "the record is not a JSON object",
                    shortened(value),
                    "write objects with named fields",
                )
        if ended:
            return


def _separated(delimiter: str) -> Callable[[Path], Rows]:
    def read(path: Path) -> Rows:
        csv.field_size_limit(_LONGEST_FIELD)
        with _opened(path) as file:
            stream = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            try:
                header = next(reader, [])
                names = [name.strip() for name in header]
                if len(names) < 2 or len(set(names)) < len(names) or not all(names):
                    raise IntakeError(
                        f"{path}: line 1: not a header of distinct column names; seen: {shortened(','.join(header))}"
                    )
                start = reader.line_num + 1
                for cells in reader:
                    if len(cells) == len(names):
                        yield RawRow(
                            str(path),
                            start,
                            {n: _cell(c) for n, c in zip(names, cells, strict=True) if c != ""},
                        )
                    elif cells:
                        seen = f"{len(cells)} cells under {len(names)} columns"
                        yield BadRow(
                            str(path),
                            start,
                            "the row does not fit the header",
                            seen,
                            "quote cells that hold the separator",
                        )
                    start = reader.line_num + 1
            except csv.Error as error:
                raise IntakeError(f"{path}: line {reader.line_num}: {error}; mend the quoting") from None
            except UnicodeDecodeError:
                raise IntakeError(
                    f"{path}: not UTF-8 near line {reader.line_num + 1}; convert it: iconv -f latin1 -t utf-8"
                ) from None

    return read


def _cell(text: str) -> Any:
    """Read lists and objects that a CSV cell holds as JSON; all else stays text."""
    if text[:1] in "[{" and text[-1:] in "]}":
        try:
            return _DECODER.decode(text)
        except ValueError:
            return text
    return text


def _parquet(path: Path) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        number = 0
        for batch in file.iter_batches(batch_size=1_000):
            for value in batch.to_pylist():
                number += 1
                yield RawRow(str(path), number, {name: v for name, v in value.items() if v is not None})
    except pa.ArrowException as error:
        raise IntakeError(
            f"{path}: not a readable Parquet file ({str(error).splitlines()[0][:80]}); write it again"
        ) from None


READERS: dict[str, Callable[[Path], Rows]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
}
