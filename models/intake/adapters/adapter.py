"""The adapter protocol: name, detection, reading."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from medassay.models.intake.rows import BadRow, Kind, Place, RawRow, spelled
from medassay.models.keys import content_key

Record = dict[str, Any]
Found = tuple[Kind, Record, Place]
"""A row of the own form and the place it comes from."""


class RecordReader(Protocol):
    """Turns the records of one file into rows; some forms spread an answer over several records."""

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield the rows that are complete once this record is read."""
        ...

    def rest(self) -> Iterator[Found]:
        """Yield what was waiting for a further record."""
        ...


@dataclass(frozen=True)
class Adapter:
    """A peer's form; `begin` takes the file's stem, which names a system that the records don't.

    `begin_file` takes the path in its stead, where the stem does not say enough. A log (`is_log`) lies among other
    files of its tool, which hold figures and settings.
    """

    name: str
    recognises: Callable[[Record], bool]
    begin: Callable[[str], RecordReader]
    begin_file: Callable[[Path], RecordReader] | None = None
    is_log: bool = False


class Unusable(ValueError):
    """A record of the form that holds no answer: what it holds, what was seen, what to do."""

    def __init__(self, what: str, observed: str, advice: str) -> None:
        super().__init__(what)
        self.what, self.observed, self.advice = what, observed, advice


@dataclass(frozen=True)
class EachRecord:
    """The reading of a form whose every record stands alone."""

    convert: Callable[[Record, str], Iterator[tuple[Kind, Record]]]
    stem: str

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield a record's rows."""
        for kind, row in self.convert(record, self.stem):
            yield kind, row, place

    def rest(self) -> Iterator[Found]:
        """Yield nothing: no record waits."""
        return iter(())


def record_by_record(
    name: str,
    recognises: Callable[[Record], bool],
    convert: Callable[[Record, str], Iterator[tuple[Kind, Record]]],
) -> Adapter:
    """Make the adapter of a form whose every record stands alone."""
    return Adapter(name, recognises, lambda stem: EachRecord(convert, stem))


def fed(adapter: Adapter, reading: RecordReader, record: Record, raw: RawRow) -> Iterator[Found | BadRow]:
    """Yield a record's rows; one that holds something else than its form has is a BadRow, and the next one is read."""
    try:
        yield from reading.feed(record, raw.place)
    except Unusable as error:
        observed = raw.place.of(error.observed)
        yield BadRow(raw.file, raw.place.line, f"{adapter.name}: {error.what}", observed, error.advice)
    except (AttributeError, KeyError, TypeError, ValueError):
        what, observed = f"the record is not as {adapter.name} has it", raw.place.of(spelled(record))
        yield BadRow(
            raw.file, raw.place.line, what, observed, "mend the record, or leave it out", fields=record
        )


def first_of(record: Record, *names: str) -> Any:
    """Return the first of the named fields that holds anything."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def listed(value: Any) -> list[Any]:
    """Return a field that holds a list, an empty one where it is not there.

    Raises:
        TypeError: for anything else: of a text the letters would be taken for its items.
    """
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise TypeError(f"a list was expected, not {spelled(value, 40)}")
    return list(value)


def id_of(question: str) -> str:
    """Make an id of a question's text."""
    return f"q-{content_key({'question': ' '.join(question.split())})[:12]}"
