"""Questions put to the published results: ready ones, the home's own, and SQL of a person."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import duckdb

from medassay.models.usage import UsageError
from medassay.sql.snapshot import Table, published

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "questions"
OWN = "questions"
"""Folder in the home with questions of its own, a .sql file each."""
TIME_LIMIT_S = 10.0
MOST_ROWS = 500


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its SQL; `asks` and `about` are what the comment at its head says."""

    name: str
    asks: str
    about: str
    sql: str


def questions(home: Path) -> list[Question]:
    """Return the ready questions, then those of the home."""
    files = [*sorted(EXAMPLES.glob("*.sql")), *sorted((home / OWN).glob("*.sql"))]
    return [_read(path) for path in files]


def _read(path: Path) -> Question:
    sql = path.read_text(encoding="utf-8")
    head = []
    for line in sql.splitlines():
        if not line.startswith("-- "):
            break
        head.append(line[3:])
    asks, mark, about = " ".join(head).partition("? ")
    return Question(path.stem, asks + mark.strip() or path.stem, about, sql)


def ask(home: Path, sql: str) -> Table:
    """Return the answer to a query that only selects, reads no file, and takes seconds; 500 rows and one more at most.

    Raises:
        UsageError: for any other query, or one that is wrong, with the database's own words.
        NothingPublished: when there is no published file.
    """
    try:
        statements = duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise UsageError("one query that selects is answered here: select … or from …")
        with published(home) as connection, _limited(connection):
            connection.execute("set enable_external_access = false")
            connection.execute("set lock_configuration = true")
            cursor = connection.execute(statements[0])
            columns = cursor.description or []
            rows = cursor.fetchmany(MOST_ROWS + 1)
            return [column[0] for column in columns], [str(column[1]) for column in columns], rows
    except duckdb.InterruptException:
        raise UsageError(f"the query took longer than {TIME_LIMIT_S:.0f} s: narrow it") from None
    except duckdb.Error as error:
        raise UsageError(str(error).strip()) from None


@contextmanager
def _limited(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt whatever the connection does after the time limit."""
    timer = Timer(TIME_LIMIT_S, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
