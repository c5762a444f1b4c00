"""A person's query may use the files that it names outside the home, and may neither write in the home nor load code.

DuckDB itself enforces it: no access to files but those allowed, and no setting can be changed afterwards. Allowed is
what the query names in plain quotes. A path that is put together, or escaped, is not recognised, and so refused.
"""

import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

_GLOB = re.compile(r"[*?\[]")
_QUOTED = re.compile(rb"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_REFUSED = "file system operations are disabled by configuration"


def confine(connection: duckdb.DuckDBPyConnection, home: Path, query: str) -> None:
    """Allow a connection the files that a query names, and lock its settings.

    Args:
        connection: to the published results; it is used for this query alone.
        home: in which the query may read, where it does nothing but select, and never write.
        query: SQL statements.

    Raises:
        duckdb.Error: when the query cannot be parsed.
    """
    only_reads = all(one.type == duckdb.StatementType.SELECT for one in duckdb.extract_statements(query))
    closed = None if only_reads else home.resolve()
    files: set[str] = set()
    folders: set[str] = set()
    for named in set(quoted(query)):
        place = os.path.abspath(os.path.expanduser(named.removeprefix("file://")))
        if only_reads and _GLOB.search(place):
            files |= {place, *glob.iglob(place, recursive=True)}
        elif closed is None or not _within(closed, place):
            folder, name = os.path.split(place)
            # DuckDB writes a file under another name first, and beside a database its log.
            files |= {place, os.path.join(folder, f"tmp_{name}"), f"{place}.wal"}
            if closed is None or not closed.is_relative_to(os.path.realpath(place)):
                folders.add(place)
    connection.execute("set autoinstall_known_extensions = false")
    connection.execute("set autoload_known_extensions = false")
    connection.execute("set allowed_paths = ?", [sorted(files)])
    connection.execute("set allowed_directories = ?", [sorted(folders)])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def quoted(query: str) -> Iterator[str]:
    """Yield every text and every quoted name of a query, without its quotes."""
    text = query.encode()
    for start, _ in duckdb.tokenize(query):
        if found := _QUOTED.match(text, start):
            mark = found[0][:1]
            yield found[0][1:-1].replace(mark * 2, mark).decode()


def refused_file(error: Exception) -> bool:
    """Tell whether an error of DuckDB says that a file was not allowed."""
    return _REFUSED in str(error)


def _within(folder: Path, place: str) -> bool:
    return Path(os.path.realpath(place)).is_relative_to(folder)
