"""Fetched sources as a file: what one machine was told by the sources, another can evaluate with offline."""

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from models.records import Flag, Section, SourceRecord
from models.settings import UsageError
from models.sources.identifiers import parse_source_id

_FORM = "medassay-sources"
_VERSION = 1
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
    """

    source_id: str
    state: State
    record: SourceRecord | None
    reason: str | None
    origin: str
    fetched_at: datetime | None
    digest: str | None = None


def write_sources(path: Path, sources: Iterable[KeptSource]) -> int:
    """Write JSON lines, gzipped where the name ends in `.gz`, in full or not at all; return how many.

    Equal sources give equal bytes.
    """
    part = path.with_name(path.name + ".part")
    count = 0
    try:
        with part.open("wb") as file:
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.name.endswith(".gz") else None
            with io.TextIOWrapper(packed or file, "utf-8", newline="\n") as lines:
                lines.write(json.dumps({"form": _FORM, "version": _VERSION}) + "\n")
                for source in sources:
                    lines.write(json.dumps(_row(source), ensure_ascii=False) + "\n")
                    count += 1
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return count


def read_sources(path: Path) -> Iterator[KeptSource]:
    """Read what `write_sources` wrote, line by line.

    Raises:
        UsageError: naming file and line.
    """
    number = 0
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            with io.TextIOWrapper(gzip.GzipFile(fileobj=file) if packed else file, "utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    row = json.loads(line)
                    if number > 1:
                        yield _kept(row)
                    elif row != {"form": _FORM, "version": _VERSION}:
                        raise ValueError(f"the first line must be form {_FORM}, version {_VERSION}")
    except (ValueError, KeyError, TypeError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        raise UsageError(f"{path}, line {max(number, 1)}: {what}; export it again") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(
            f"{path}, after line {number}: it is cut off or damaged ({error}); export it again"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror or error})") from None
    if number == 0:
        raise UsageError(f"{path}: it is empty; export it again")


def _row(source: KeptSource) -> dict[str, Any]:
    row = asdict(source)
    row["fetched_at"] = source.fetched_at.isoformat() if source.fetched_at else None
    return {name: value for name, value in row.items() if value is not None}


def _kept(row: dict[str, Any]) -> KeptSource:
    parse_source_id(row["source_id"])
    state = row["state"]
    if state not in get_args(State):
        raise ValueError(f"state is {state!r}, and may be found or not_found")
    if (state == "found") != ("record" in row):
        raise ValueError("a found source has a record, and no other has")
    at = datetime.fromisoformat(row["fetched_at"]) if row.get("fetched_at") else None
    if at is not None and at.tzinfo is None:
        raise ValueError("fetched_at has no time zone")
    record = record_from_row(row["record"]) if state == "found" else None
    return KeptSource(
        row["source_id"], state, record, row.get("reason"), row["origin"], at, row.get("digest")
    )


def record_from_row(row: dict[str, Any]) -> SourceRecord:
    """Read a record as `dataclasses.asdict` and JSON have left it.

    Raises:
        ValueError, KeyError, TypeError: naming what is not of a record.
    """
    unknown = row.keys() - {field.name for field in fields(SourceRecord)}
    if unknown:
        raise ValueError(f"the record has unknown fields: {', '.join(sorted(unknown))}")
    for flag in ("retracted", "concern", "erratum"):
        if row.get(flag, "unchecked") not in get_args(Flag):
            raise ValueError(f"{flag} is {row[flag]!r}, and may be {', '.join(get_args(Flag))}")
    sections = tuple(Section(part["label"], part["text"]) for part in row["sections"])
    lists: dict[str, Any] = {
        name: tuple(row[name]) for name in ("publication_types", "identifiers") if name in row
    }
    values: dict[str, Any] = {**row, **lists, "sections": sections}
    return SourceRecord(**values)
