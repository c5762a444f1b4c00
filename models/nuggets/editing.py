"""Export and import of nuggets as rows, with provenance."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from medassay.models.records import Importance
from medassay.models.spreadsheets import SPILLED, SpreadsheetUnreadable, read_spreadsheet, write_spreadsheet

Origin = Literal["given", "made", "edited"]
COLUMNS = ("question_id", "nugget_id", "nugget", "importance", "origin", "by", "version", "question")
NEEDED = ("question_id", "nugget")


@dataclass(frozen=True, slots=True)
class NuggetRow:
    """One nugget as a row of an export.

    `origin` is how it came about (given with the data, made by us, edited by a person), `by` is what made or
    who edited it (the data, the rules, a model, a name), `version` counts the edits of the question's nuggets,
    from 1; 0 in a row that does not say. `provenance` is kept, and not exported.
    """

    question_id: str
    nugget_id: str
    nugget: str
    importance: Importance
    origin: Origin
    by: str
    version: int = 0
    question: str = ""
    provenance: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What a person did to one question's nuggets, and the nuggets as they are then."""

    question_id: str
    version: int
    after: tuple[NuggetRow, ...]
    n_added: int
    n_removed: int
    n_reworded: int
    n_regraded: int
    reordered: bool

    def __str__(self) -> str:
        """Return it as one line."""
        counts = (
            (self.n_added, "added"),
            (self.n_removed, "removed"),
            (self.n_reworded, "reworded"),
            (self.n_regraded, "regraded"),
        )
        said = [f"{count} {word}" for count, word in counts if count] + ["reordered"] * self.reordered
        return f"{self.question_id}: {', '.join(said)}; version {self.version}"


class NuggetRowsUnreadable(ValueError):
    """An import that breaks the rules; one line a problem, each naming its row and what to do."""

    def __init__(self, problems: Sequence[str]):
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def to_csv(rows: Sequence[NuggetRow]) -> str:
    """Write rows as CSV with a header, formulas guarded."""
    return write_spreadsheet(COLUMNS, ([getattr(row, column) for column in COLUMNS] for row in rows))


def to_jsonl(rows: Sequence[NuggetRow]) -> str:
    """Write rows as JSON lines."""
    return "".join(
        json.dumps({column: getattr(row, column) for column in COLUMNS}, ensure_ascii=False) + "\n"
        for row in rows
    )


def from_csv(text: str) -> list[NuggetRow]:
    """Read rows from CSV; a spreadsheet's byte order mark and its other separators are understood.

    Raises:
        NuggetRowsUnreadable: with one line a problem.
    """
    try:
        names, rows = read_spreadsheet(text, COLUMNS)
    except SpreadsheetUnreadable as error:
        raise NuggetRowsUnreadable([str(error)]) from None
    if missing := [name for name in NEEDED if name not in names]:
        raise NuggetRowsUnreadable(
            [f"line 1: no column {' and no column '.join(missing)}; the columns are {', '.join(COLUMNS)}"]
        )
    if spilled := [f"line {row.line}: {SPILLED}" for row in rows if row.spilled]:
        raise NuggetRowsUnreadable(spilled)
    return read_rows([(f"line {row.line}", row.by_column) for row in rows])


def from_jsonl(text: str) -> list[NuggetRow]:
    """Read rows from JSON lines.

    Raises:
        NuggetRowsUnreadable: with one line a problem.
    """
    rows: list[tuple[str, Mapping[str, Any]]] = []
    problems = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            problems.append(f"line {number}: not JSON ({said}); write one object a line")
            continue
        if isinstance(row, dict):
            rows.append((f"line {number}", row))
        else:
            problems.append(f"line {number}: a {type(row).__name__}, not an object; write one object a line")
    if problems:
        raise NuggetRowsUnreadable(problems)
    return read_rows(rows)


def read_rows(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[NuggetRow]:
    """Read (where, row) pairs; a new nugget may leave out id, origin, by and version.

    Raises:
        NuggetRowsUnreadable: with one line a problem; nothing is imported by halves.
    """
    problems: list[str] = []
    read: list[NuggetRow] = []
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for where, row in rows:
        value = {key.strip(): text_of(row[key]) for key in row}
        wrong = faults(value)
        question, nugget = value.get("question_id", ""), words_of(value.get("nugget", ""))
        named = value.get("nugget_id", "")
        twin, id_of_twin = seen.setdefault((question, nugget.casefold()), (where, named))
        # Nuggets that were given twice stay two: each has its own id.
        if twin != where and not wrong and (not named or named == id_of_twin):
            wrong.append(f"the same nugget stands at {twin}; delete one of them")
        problems.extend(f"{where}: {problem}" for problem in wrong)
        if not wrong:
            importance: Importance = "okay" if value.get("importance", "").lower() == "okay" else "vital"
            said = value.get("origin", "")
            origin: Origin = "given" if said == "given" else "made" if said == "made" else "edited"
            version = int(value.get("version") or 0)
            read.append(NuggetRow(question, named, nugget, importance, origin, value.get("by", ""), version))
    if not rows:
        problems.append(f"no rows; the columns are {', '.join(COLUMNS)}")
    if problems:
        raise NuggetRowsUnreadable(problems)
    return read


def faults(value: Mapping[str, str]) -> list[str]:
    """List what is wrong with one row."""
    found = [
        f"`{column}` is missing or empty; fill it in"
        for column in NEEDED
        if not value.get(column, "").strip()
    ]
    if value.get("importance", "").lower() not in ("", "vital", "okay"):
        found.append(f"`importance` is {value['importance']!r}; write vital or okay")
    if value.get("origin", "") not in ("", "given", "made", "edited"):
        found.append(
            f"`origin` is {value['origin']!r}; leave it as it was exported, or empty for a new nugget"
        )
    if (version := value.get("version", "")) and not (version.isascii() and version.isdigit()):
        found.append(f"`version` is {version!r}; leave it as it was exported")
    return found


def text_of(value: Any) -> str:
    """Return a cell as text, an absent one as the empty text."""
    return "" if value is None else str(value).strip()


def words_of(text: str) -> str:
    """Return a text with one space between words, as a spreadsheet's line breaks are none of the nugget's."""
    return " ".join(text.split())


def changes(before: Sequence[NuggetRow], after: Sequence[NuggetRow], editor: str) -> list[Change]:
    """Return what a person changed, question by question; unchanged questions are left out.

    Only questions that occur in `after` are looked at, so that a part of an export can be sent back alone; of
    those, nuggets that are missing were removed. A nugget whose words and grade are as they were keeps its
    provenance; any other is `edited` by `editor`, and says what it was.
    """
    known = by_question(before)
    return [
        change
        for question_id, theirs in by_question(after).items()
        if (change := change_of(question_id, known.get(question_id, []), theirs, editor))
    ]


def by_question(rows: Iterable[NuggetRow]) -> dict[str, list[NuggetRow]]:
    """Group rows by question, in their order."""
    grouped: dict[str, list[NuggetRow]] = {}
    for row in rows:
        grouped.setdefault(row.question_id, []).append(row)
    return grouped


def change_of(
    question_id: str, mine: Sequence[NuggetRow], theirs: Sequence[NuggetRow], editor: str
) -> Change | None:
    """Hold one question's rows against what they were; None where a person changed nothing."""
    version = 1 + max((row.version for row in mine), default=1)
    pairs = paired(mine, theirs)
    after = tuple(
        replace(changed(was, row, editor), version=version) for was, row in zip(pairs, theirs, strict=True)
    )
    kept = [mine.index(was) for was in pairs if was is not None]
    found = Change(
        question_id,
        version,
        after,
        n_added=pairs.count(None),
        n_removed=len(mine) - len(kept),
        n_reworded=sum(
            was is not None and words_of(was.nugget) != row.nugget
            for was, row in zip(pairs, theirs, strict=True)
        ),
        n_regraded=sum(
            was is not None and was.importance != row.importance
            for was, row in zip(pairs, theirs, strict=True)
        ),
        reordered=kept != sorted(kept),
    )
    touched = (found.n_added, found.n_removed, found.n_reworded, found.n_regraded, found.reordered)
    return found if any(touched) else None


def paired(mine: Sequence[NuggetRow], theirs: Sequence[NuggetRow]) -> list[NuggetRow | None]:
    """Describe for each row which nugget it was: the one with its id and words, with its words, or with its id."""
    left = list(mine)
    found: dict[int, NuggetRow] = {}
    for fits in (same_nugget, same_words, same_id):
        for place, row in enumerate(theirs):
            if place not in found and (was := next((was for was in left if fits(was, row)), None)):
                found[place] = was
                left.remove(was)
    return [found.get(place) for place in range(len(theirs))]


def same_words(was: NuggetRow, row: NuggetRow) -> bool:
    """Tell whether a row says what the nugget said."""
    return words_of(was.nugget) == row.nugget


def same_id(was: NuggetRow, row: NuggetRow) -> bool:
    """Tell whether a row names the nugget."""
    return was.nugget_id == row.nugget_id


def same_nugget(was: NuggetRow, row: NuggetRow) -> bool:
    """Tell whether a row is the nugget as it was."""
    return same_words(was, row) and same_id(was, row)


def changed(was: NuggetRow | None, row: NuggetRow, editor: str) -> NuggetRow:
    """Return a nugget as it is after the edit."""
    if was is None:
        return replace(row, nugget_id="", origin="edited", by=editor, provenance=f"added by {editor}")
    reworded = words_of(was.nugget) != row.nugget
    if not reworded and was.importance == row.importance:
        return was
    before = [f"“{was.nugget}”"] * reworded + [was.importance] * (was.importance != row.importance)
    said = f"{was.origin} by {was.by} as {', '.join(before)}"
    return replace(
        was,
        nugget=row.nugget if reworded else was.nugget,
        importance=row.importance,
        origin="edited",
        by=editor,
        provenance="; ".join(filter(None, (said, was.provenance))),
    )
