"""Points that stand in a table: its rows written out as lines of the form, where its heads say what is what.

A table without a head for the points, or with two, is left as it is, unless it is one of ranks or counts.
"""

import re

_DELIMITER = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*", re.ASCII)
_DOCTORS = re.compile(r"(?:doctor|dr\.?)s?", re.IGNORECASE)
_DOCTOR = re.compile(r"(?:doctor|dr\.?)\s*#?\s*(?P<number>[0-9]{1,4})", re.IGNORECASE)
_NUMBER = re.compile(r"#?\s*(?P<number>[0-9]{1,4})")
_POINTS = re.compile(
    r"(?:final |overall )?(?:scores?|points?|pts\.?|ratings?)"
    r"(?:\s*\(?\s*(?:(?:out )?of|/|[01]\s*(?:[-–—]|to))\s*(?P<top>[0-9]{1,4})\s*\)?)?:?",
    re.IGNORECASE,
)
_OF_OTHER_THINGS = re.compile(
    r"\b(?:rank|plac|position|order|error|mistake|omission|count|number of)", re.IGNORECASE
)
_BARE = re.compile(r"[-+]?[0-9.,]+")


def tables_written_out(text: str) -> str:
    """Replace every row of a table that clearly gives a doctor points by `Doctor n: … points`."""
    lines = text.split("\n")
    written: list[str] = []
    position = 0
    while position < len(lines):
        end = _end_of_table(lines, position)
        if end is None:
            written.append(lines[position])
            position += 1
            continue
        rows = [_cells(line) for line in (lines[position], *lines[position + 2 : end])]
        written += _down(rows) or _across(rows) or _of_other_things(rows) or lines[position:end]
        position = end
    return "\n".join(written)


def _end_of_table(lines: list[str], start: int) -> int | None:
    """Return the line behind the table whose head is at `start`, or None if there is none."""
    following = lines[start + 1 : start + 2]
    if "|" not in lines[start] or not following or "-" not in following[0]:
        return None
    if not _DELIMITER.fullmatch(following[0]) or len(_cells(lines[start])) != len(_cells(following[0])):
        return None
    end = start + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _down(rows: list[list[str]]) -> list[str]:
    """Write out a table with a row a doctor."""
    head, body = rows[0], rows[1:]
    of_points = [(column, found) for column, cell in enumerate(head) if (found := _POINTS.fullmatch(cell))]
    if len(of_points) != 1 or any(len(row) != len(head) for row in body):
        return []
    column, found = of_points[0]
    named = [column for column, cell in enumerate(head) if _DOCTORS.fullmatch(cell)]
    pattern = _DOCTOR
    if len(named) == 1 and all(_NUMBER.fullmatch(row[named[0]]) for row in body):
        pattern = _NUMBER
    elif len(named) != 1:
        named = [n for n in range(len(head)) if body and all(_DOCTOR.fullmatch(row[n]) for row in body)]
    if len(named) != 1 or named[0] == column:
        return []
    doctors = [pattern.fullmatch(row[named[0]]) for row in body]
    return [
        _line(doctor["number"], row[column], found["top"])
        for doctor, row in zip(doctors, body, strict=True)
        if doctor is not None
    ]


def _across(rows: list[list[str]]) -> list[str]:
    """Write out a table with a column a doctor and a row of points."""
    head, body = rows[0], rows[1:]
    doctors = [_DOCTOR.fullmatch(cell) for cell in head]
    of_points = [(row, found) for row in body if (found := _POINTS.fullmatch(row[0]))]
    if len(of_points) != 1 or doctors[0] is not None or not all(doctors[1:]):
        return []
    row, found = of_points[0]
    if len(row) != len(head):
        return []
    return [
        _line(doctor["number"], cell, found["top"])
        for doctor, cell in zip(doctors[1:], row[1:], strict=True)
        if doctor is not None
    ]


def _of_other_things(rows: list[list[str]]) -> list[str]:
    """Write out a table of ranks or counts so that nothing in it can be taken for points."""
    return ["; ".join(row) for row in rows] if any(map(_OF_OTHER_THINGS.search, rows[0])) else []


def _line(doctor: str, cell: str, top: str | None) -> str:
    unit = (f"/{top}" if top else " points") if _BARE.fullmatch(cell) else ""
    return f"Doctor {doctor}: {cell}{unit}"
