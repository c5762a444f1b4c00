"""Records within other objects: under a key, in columns, in the logs of tools that evaluate."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from medassay.models.intake.adapters import ADAPTERS
from medassay.models.intake.adapters.adapter import Record
from medassay.models.intake.headings import NOTHING_CHOSEN, Chosen, meaning
from medassay.models.intake.names import IDENTITY
from medassay.models.intake.rows import BadRow, Place, named, spelled

_ASKED = frozenset({"question", "question_summary", "query"})
_SAID = frozenset({"answer", "answers", "sentences", "output", "response"})
_OTHER_ROWS = frozenset(
    "text sections reference_answer nuggets criteria documents rationale annotator messages prompt turns conversation"
    " conversations dialogue transcript".split()
)
_NESTED = frozenset({"inputs", "outputs", "item", "sample", "vars", "doc"})
_INLINE = ("answers", "documents")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Wrapping:
    """Where a tool's log keeps its records, and which of its other fields each record gets."""

    tool: str
    path: tuple[str, ...]
    of_each: tuple[tuple[str, ...], ...] = ()


WRAPPINGS = (
    Wrapping("promptfoo", ("results", "results"), (("results", "prompts"),)),
    Wrapping("Inspect", ("samples",), (("eval",),)),
    Wrapping("DeepEval", ("testCases",), (("hyperparameters",),)),
    Wrapping("DeepEval", ("testRunData", "testCases"), (("testRunData", "hyperparameters"),)),
    Wrapping("DeepEval", ("conversationalTestCases",), (("hyperparameters",),)),
    Wrapping("DeepEval", ("testRunData", "conversationalTestCases"), (("testRunData", "hyperparameters"),)),
    Wrapping("HELM", ("request_states",), (("adapter_spec",),)),
    Wrapping("simple-evals", ("metadata", "example_level_metadata")),
)


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a record that is no row: what it is and what to do."""

    rule: str
    observed: str
    advice: str

    def at(self, file: str, place: Place) -> BadRow:
        """Return the row for quarantine."""
        return BadRow(file, place.line, self.rule, place.of(self.observed), self.advice)


@dataclass(frozen=True, slots=True)
class Beside:
    """Fields that stand beside the records of a line and are none: figures of the whole, settings."""

    names: frozenset[str]


def records_in(value: Record, chosen: Chosen = NOTHING_CHOSEN) -> Iterator[Record | Unread | Beside]:
    """Take a line apart that wraps records: in a tool's log, in columns, in `results`, or in another list within it.

    Texts and numbers beside a list belong to each of its records. Where no list holds what could be a row, what the
    object holds is told by an `Unread`.
    """
    if any(adapter.is_log and adapter.recognises(value) for adapter in ADAPTERS):
        yield value
    elif wrappings := [one for one in WRAPPINGS if _list_at(value, one.path)]:
        yield from _of_log(value, [one for one in wrappings if one.tool == wrappings[0].tool])
    elif columns := _columns(value):
        yield from columns
    elif _objects(value.get("results")):
        yield from _of_results(value)
    elif _is_row(value, chosen) or not (lists := list(_lists(value))):
        yield value
    else:
        yield from _of_lists(value, lists, chosen)


def _of_log(value: Record, wrappings: list[Wrapping]) -> Iterator[Record | Unread | Beside]:
    for wrapping in wrappings:
        common = {path[-1]: held for path in wrapping.of_each if (held := _at(value, path)) is not None}
        yield from _items(_at(value, wrapping.path), ".".join(wrapping.path), common)
    used = {path[0] for one in wrappings for path in (one.path, *one.of_each)}
    if names := frozenset(name for name, held in value.items() if held and name not in used):
        yield Beside(names)


def _of_results(value: Record) -> Iterator[Record | Unread | Beside]:
    """Read `results`; answers and documents beside it are a record of their own."""
    common = _plain(value)
    yield from _items(value["results"], "results", common)
    if inline := {name: value[name] for name in _INLINE if value.get(name)}:
        yield {name: v for name, v in common.items() if name in IDENTITY} | inline
    others = (name for name, v in value.items() if v and name not in (*common, *_INLINE, "results"))
    if names := frozenset(others):
        yield Beside(names)


def _of_lists(
    value: Record, lists: list[tuple[str, list[Any], Record]], chosen: Chosen
) -> Iterator[Record | Unread | Beside]:
    """Read the lists whose objects hold answers, else those that hold questions or other rows."""
    for rows in (_SAID, None):
        read = [one for one in lists if _is_row(_first(one[1]), chosen, rows)]
        if read:
            for path, items, around in read:
                yield from _items(items, path, _plain(around))
            taken = {path.partition(".")[0] for path, _, _ in read}
            if names := frozenset(name for name, held in value.items() if held and name not in taken):
                yield Beside(names)
            return
    seen = "; ".join(
        f"{path}: {len(items)} object{'s'[: len(items) > 1]} with {named(_first(items), 6)}"
        for path, items, _ in lists[:4]
    )
    advice = (
        "save the list as a file of its own, and name its columns: question, answer, system (or use --column)"
    )
    yield Unread("the rows stand within other fields, and none has a question or an answer", seen, advice)


def _items(items: list[Any], path: str, common: Record) -> Iterator[Record | Unread]:
    for number, record in enumerate(items, 1):
        if isinstance(record, dict):
            yield {**common, **record}
        else:
            observed = f"item {number} of {path}: {spelled(record)}"
            yield Unread("not a JSON object", observed, "write an object with named fields")


def _plain(value: Record) -> Record:
    return {name: v for name, v in value.items() if isinstance(v, str | int | float) and name not in _INLINE}


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _list_at(value: Record, path: tuple[str, ...]) -> bool:
    return path[0] in value and _objects(_at(value, path))


def _objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def _first(items: list[Any]) -> Record:
    return next(one for one in items if isinstance(one, dict))


def _lists(value: Record, path: str = "", depth: int = 1) -> Iterator[tuple[str, list[Any], Record]]:
    """Yield each list of objects within an object, with the way to it and the object that it stands in."""
    for name, held in value.items():
        here = f"{path}.{name}" if path else str(name)
        if _objects(held):
            yield here, held, value
        elif isinstance(held, dict) and depth < _DEEPEST:
            yield from _lists(held, here, depth + 1)


def _is_row(value: Record, chosen: Chosen, wanted: frozenset[str] | None = None) -> bool:
    """Return whether an object may be a row by itself: it has a field that holds what rows hold, or a peer's form."""
    if any(adapter.recognises(value) for adapter in ADAPTERS):
        return True
    meant = {meaning(name, None, chosen) or name for name in value}
    if wanted is not None:
        return not meant.isdisjoint(wanted | {"outputs", "sample"})
    return not meant.isdisjoint(_ASKED | _SAID | _OTHER_ROWS | _NESTED)


def answers_a_question(value: Record, chosen: Chosen) -> bool:
    """Return whether an object holds both a question and an answer to it."""
    return _is_row(value, chosen, _ASKED) and _is_row(value, chosen, _SAID)


def _columns(value: Record) -> list[Record]:
    """Return the records of an object of columns: as many values under each name, in a list or by the row's number.

    The latter is how pandas writes a frame unless it is told otherwise.
    """
    if len({tuple(column) for column in value.values() if isinstance(column, dict)}) == 1:
        value = {n: list(held.values()) if isinstance(held, dict) else held for n, held in value.items()}
    lengths = {len(column) if isinstance(column, list) else -1 for column in value.values()}
    if len(value) < 2 or len(lengths) != 1 or lengths <= {-1, 0}:
        return []
    asked = next((column for name, column in value.items() if (meaning(name, None) or name) in _ASKED), None)
    if asked is None or not all(isinstance(question, str) for question in asked):
        return []
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
