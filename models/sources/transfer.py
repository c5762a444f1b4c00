"""Export and import of fetched sources as a file."""

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from medassay.models.atomic_files import written_whole
from medassay.models.records import Flag, Section, SourceRecord
from medassay.models.sources.asking import read_json
from medassay.models.sources.identifiers import parse_source_id
from medassay.models.unpacking import unpacked
from medassay.models.usage import UsageError

_FORM = "medassay-sources"
_VERSION = 2
_WITHOUT_SEAL = 1
"""The version of files whose end nothing tells: they are read as far as they go."""
State = Literal["found", "not_found"]


@dataclass(frozen=True, slots=True)
class KeptSource:
    """What was once learnt of a source id; an outage is never kept.

    Attributes:
        source_id: Whom it is about.
        state: Whether the source that was asked has it.
        record: The record, where found.
        reason: Why not, where not found.
        origin: Name of the resolver that was told.
        fetched_at: When, with a time zone; None for what no source was asked about.
        digest: Names the raw body the record was read from.
        reading: By which version of our reading; None where that is not known.
    """

    source_id: str
    state: State
    record: SourceRecord | None
    reason: str | None
    origin: str
    fetched_at: datetime | None
    digest: str | None = None
    reading: int | None = None


def write_sources(path: Path, sources: Iterable[KeptSource]) -> int:
    """Write JSON lines, gzipped where the name ends in `.gz`, in full or not at all; return how many.

    The last line is a seal, which tells how many sources the lines before it hold and what their digest is.
    Equal sources give equal bytes.
    """
    count, digest = 0, hashlib.sha256()

    def write(row: dict[str, Any]) -> None:
        line = json.dumps(row, ensure_ascii=False) + "\n"
        digest.update(line.encode())
        lines.write(line)

    try:
        with written_whole(path) as lines:
            write({"form": _FORM, "version": _VERSION})
            for source in sources:
                write(_row(source))
                count += 1
            write(_seal(count, digest.hexdigest()))
    except OSError as error:
        error.filename = str(path)  # whoever named the file has not heard of the draft
        raise
    return count


def read_sources(path: Path) -> Iterator[KeptSource]:
    """Read what `write_sources` wrote, line by line.

    What is yielded before an error counts only if the whole file is sound: the seal comes last.

    Raises:
        UsageError: naming file and line, also where lines were lost, added or altered on the way.
    """
    number, digest = 0, hashlib.sha256()
    version: int | None = None
    sealed = False
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            with io.TextIOWrapper(unpacked(file) if packed else file, "utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    row = read_json(line)
                    if version is None:
                        version = _version(row)
                    elif sealed:
                        raise ValueError("the file goes on after its last line")
                    elif isinstance(row, dict) and _SEAL in row and version != _WITHOUT_SEAL:
                        sealed = True
                        if row != _seal(number - 2, digest.hexdigest()):
                            raise ValueError("the lines before it are not those that were exported")
                    else:
                        yield _kept(row)
                    digest.update(line.encode())
                if version not in (None, _WITHOUT_SEAL) and not sealed:
                    raise ValueError("the file ends here, and its last line is missing")
    except UnicodeDecodeError as error:  # lines are decoded many at a time
        raise UsageError(f"{path}, after line {number}: {_said(error)}; export it again") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}, line {max(number, 1)}: {_said(error)}; export it again") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(
            f"{path}, after line {number}: it is cut off or damaged ({error}); export it again"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror or error})") from None
    if number == 0:
        raise UsageError(f"{path}: it is empty; export it again")


def _said(error: Exception) -> str:
    """Describe what is wrong with a line in words that need no knowledge of the reader."""
    if isinstance(error, json.JSONDecodeError):
        whole = "it is no JSON, which `medassay sources export` writes"
        return f"it is cut off or altered near character {error.pos}" if error.pos else whole
    if isinstance(error, UnicodeError):
        return "a text in it is not UTF-8: it was altered, or another program wrote it"
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


_SEAL = "n_sources"


def _seal(count: int, digest: str) -> dict[str, Any]:
    return {_SEAL: count, "sha256": digest}


def _version(row: Any) -> int:
    for version in (_VERSION, _WITHOUT_SEAL):
        if row == {"form": _FORM, "version": version}:
            return version
    raise ValueError(f"the first line must be form {_FORM}, version {_VERSION}")


def _row(source: KeptSource) -> dict[str, Any]:
    row = asdict(source)
    row["fetched_at"] = source.fetched_at.isoformat() if source.fetched_at else None
    return {name: value for name, value in row.items() if value is not None}


def _kept(row: Any) -> KeptSource:
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    for name in ("source_id", "state", "origin"):
        _check(name, row[name], str)
    for name in ("reason", "fetched_at", "digest"):
        _check(name, row.get(name), str, None)
    if type(reading := row.get("reading")) not in (int, type(None)) or not 0 <= (reading or 0) < 2**31:
        raise ValueError(f"reading is {reading!r}, and must be a whole number")
    source_id, state = row["source_id"], row["state"]
    parse_source_id(source_id)
    if state not in get_args(State):
        raise ValueError(f"state is {state!r}, and may be found or not_found")
    if (state == "found") != ("record" in row):
        raise ValueError("a found source has a record, and no other has")
    at = datetime.fromisoformat(row["fetched_at"]) if row.get("fetched_at") else None
    if at is not None and at.tzinfo is None:
        raise ValueError("fetched_at has no time zone")
    record = record_from_row(row["record"]) if state == "found" else None
    if record is not None and record.source_id != source_id:
        raise ValueError(f"the line is about {source_id}, and its record about {record.source_id}")
    return KeptSource(
        source_id, state, record, row.get("reason"), row["origin"], at, row.get("digest"), reading
    )


def record_from_row(row: Any) -> SourceRecord:
    """Read a record as `dataclasses.asdict` and JSON have left it.

    Raises:
        ValueError, KeyError: naming what is not of a record.
    """
    if not isinstance(row, dict):
        raise ValueError("the record is no JSON object")
    unknown = row.keys() - {field.name for field in fields(SourceRecord)}
    if unknown:
        raise ValueError(f"the record has unknown fields: {', '.join(sorted(unknown))}")
    for flag in ("retracted", "concern", "erratum"):
        if row.get(flag, "unchecked") not in get_args(Flag):
            raise ValueError(f"{flag} is {row[flag]!r}, and may be {', '.join(get_args(Flag))}")
    _check("source_id", row["source_id"], str)
    for name in ("title", "journal", "url"):
        _check(name, row.get(name), str, None)
    _check("year", row.get("year"), int, None)
    _check("full_text", row.get("full_text", False), bool)
    lists: dict[str, Any] = {
        name: tuple(_check(name, value, str) for value in _check(name, row[name], list))
        for name in ("publication_types", "identifiers")
        if name in row
    }
    sections = tuple(map(_section, _check("sections", row["sections"], list)))
    return SourceRecord(**{**row, **lists, "sections": sections})


def _section(part: Any) -> Section:
    if not isinstance(part, dict):
        raise ValueError(f"a section is {part!r}, and must be a JSON object")
    return Section(_check("label", part["label"], str), _check("text", part["text"], str))


_MEANT: dict[type | None, str] = {
    str: "text",
    int: "a year",
    bool: "true or false",
    list: "a list",
    None: "null",
}


def _check(name: str, value: Any, *kinds: type | None) -> Any:
    """Return a value that is of one of these kinds; None stands for null."""
    fits = (value is None and None in kinds) or type(value) in kinds
    if fits and isinstance(value, str):
        value.encode()  # half of a surrogate pair is no text
    if not fits or (isinstance(value, int) and not -9999 <= value <= 9999):
        raise ValueError(f"{name} is {value!r}, and must be {' or '.join(_MEANT[kind] for kind in kinds)}")
    return value
