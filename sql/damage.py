"""Damaged database files: detection, and a check table by table."""

import re
from dataclasses import dataclass
from pathlib import Path

import duckdb

from medassay.sql.home import WORK_FILE, WarehouseError

RESULTS_LINK = "results.duckdb"
_SIGNS = re.compile(
    r"corrupt|checksum|not a valid DuckDB database|could not read (?:enough|all|from)|serializ|"
    r"unexpected end|truncated",
    re.IGNORECASE,
)
_CAUSE = re.compile(r"^(?:[A-Za-z ]+ (?:Error|Exception): |INTERNAL Error: )+")


_UNWRITTEN = re.compile(
    r"could not (?:write|truncate|sync|create|move)|database has been invalidated"
    r"|cannot open file .*read-only file system",
    re.IGNORECASE,
)
_FILE = re.compile(r'file \\?"(?P<path>.+?)\\?": (?P<why>[^"\n]+)')


def is_unwritten(error: duckdb.Error) -> bool:
    """Return whether an error of DuckDB's means that a disk takes no more, or may only be read."""
    kinds = (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException)
    return isinstance(error, kinds) and bool(_UNWRITTEN.search(str(error)))


def unwritten(path: Path, error: duckdb.Error) -> WarehouseError:
    """Return what to raise where a file could not be written: that which the error names, else the one at `path`."""
    if named := _FILE.search(str(error)):
        path, said = Path(named["path"]), named["why"]
    else:
        said = _CAUSE.sub("", str(error).splitlines()[0])
    return WarehouseError(
        f"{path} cannot be written ({said}); make room on the disk, or check its rights: what was written is kept, and"
        " the same command goes on from there"
    )


class Damaged(WarehouseError):
    """A database file that cannot be read any more, in whole or in part; the message says how to go on."""


def is_damage(error: duckdb.Error) -> bool:
    """Return whether an error of DuckDB's means that the bytes of the file are not those that were written."""
    wrong_use = (
        duckdb.ParserException,
        duckdb.BinderException,
        duckdb.CatalogException,
        duckdb.ConversionException,
    )
    return not isinstance(error, wrong_use) and bool(_SIGNS.search(str(error)))


def damaged(path: Path, error: duckdb.Error) -> Damaged:
    """Return what to raise for a damaged file: what can still be read, and what to do."""
    home = path.parent if path.name == WORK_FILE else path.parent.parent
    said = _CAUSE.sub("", str(error).splitlines()[0])[:120]
    others = (snapshot for snapshot in snapshots(home) if snapshot != path.resolve())
    sound = [snapshot for snapshot in others if looked_through(snapshot).is_sound]
    newest = sound[0].relative_to(home) if sound else None
    if path.name == WORK_FILE:
        if newest is None:
            after = (
                "no published results are sound: put a copy of the file back, or move it away to begin anew"
            )
        else:
            after = (
                f"{newest} is sound, and report, query and export read results as before: put a copy of the file back,"
                " or move it away and begin anew beside it, with the texts that"
                " `medassay export last --view questions --view answers --to restored` writes"
            )
    elif newest is None:
        after = (
            f"no other snapshot is sound: `medassay evaluate DATA` publishes every run anew from {WORK_FILE}"
        )
    else:
        after = (
            f"`ln -sfn {newest} {home / RESULTS_LINK}` goes back to {newest.stem}, which is sound, and"
            f" `medassay evaluate DATA` publishes every run anew from {WORK_FILE}"
        )
    return Damaged(f"{path} is damaged ({said}); {after}; medassay doctor lists what can be read")


def snapshots(home: Path) -> list[Path]:
    """Return the published files, the newest first."""
    found = (home / "snapshots").resolve().glob("*.duckdb")
    return sorted(found, key=lambda file: file.stat().st_mtime_ns, reverse=True)


@dataclass(frozen=True, slots=True)
class Looked:
    """The tables of a file that can be read to their ends, and those that cannot; `whole` why none can."""

    sound: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    whole: str | None = None

    @property
    def is_sound(self) -> bool:
        """Return whether all of the file can be read."""
        return self.whole is None and not self.broken


def looked_through(path: Path) -> Looked:
    """Read every block of every table of a file that nobody has open for writing; DuckDB holds each to its checksum."""
    sound: list[str] = []
    broken: list[str] = []
    try:
        connection = duckdb.connect(str(path), read_only=True)
        found = connection.execute(
            "select schema_name, table_name from duckdb_tables() where not internal order by all"
        ).fetchall()
    except duckdb.Error as error:
        return Looked(whole=str(error).splitlines()[0])
    for schema, table in found:
        try:
            connection.execute(f'select bit_xor(hash(held)) from {schema}."{table}" as held').fetchall()
        except duckdb.Error as error:
            broken.append(_plain(schema, table))
            if isinstance(error, duckdb.FatalException):  # after which this connection reads nothing
                connection.close()
                connection = duckdb.connect(str(path), read_only=True)
        else:
            sound.append(_plain(schema, table))
    connection.close()
    return Looked(tuple(sound), tuple(broken))


def _plain(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"
