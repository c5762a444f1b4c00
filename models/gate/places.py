"""Places of claims in the files that answers were read from: line and columns, where the file is text."""

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from medassay.models.gate.measured import MeasuredAnswer, Span
from medassay.models.intake.formats import PACKED, format_of

MOST_BYTES = 64_000_000


class Region(TypedDict, total=False):
    """Lines and columns from 1, in characters; the end is behind the last character."""

    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None


class Places:
    """Finds claims in files below a folder, by which files are named.

    Args:
        root: the repository's folder; files outside it keep their whole path.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._lines = lru_cache(maxsize=2)(_lines_of)
        self._shown: dict[str, str | None] = {}

    def shown(self, file: str | None) -> str | None:
        """Return how a file is named; None where it is not there any more."""
        if file is None:
            return None
        if file not in self._shown:
            path = Path(file).resolve()
            named = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
            self._shown[file] = named if path.exists() else None
        return self._shown[file]

    def of(self, answer: MeasuredAnswer, claim: Span | None) -> Region:
        """Return where a claim of an answer stands: its line and columns, else the line that its answer begins on."""
        if self.shown(answer.file) is None or answer.line is None:
            return {}
        assert answer.file is not None
        whole: Region = {"line": answer.line}
        if claim is None or answer.text is None:
            return whole
        lines = self._lines(answer.file)
        if not 1 <= answer.line <= len(lines):
            return whole
        form = format_of(Path(answer.file))
        is_one_line = form is not None and form.layout == "row a line"
        text = "\n".join(lines[answer.line - 1 : answer.line if is_one_line else None])
        head, words = answer.text[: claim.start], answer.text[claim.start : claim.end]
        for written in (_as_json, _as_ascii_json, _as_csv, str):
            at, size = text.find(written(head + words)), len(written(words))
            start = at + len(written(head))
            if at < 0 and is_one_line:
                # Of an answer that was given in parts only the claim's own words stand together.
                start = text.find(written(words))
            if words and (at >= 0 or is_one_line and start >= 0):
                return _region(text, answer.line, start, start + size)
        return whole


def _lines_of(file: str) -> list[str]:
    path = Path(file)
    form = format_of(path)
    if (
        form is None
        or form.layout == "binary"
        or path.suffix.lower() == PACKED
        or os.path.getsize(path) > MOST_BYTES
    ):
        return []
    return path.read_text(encoding="utf-8-sig", errors="replace").split("\n")


def _region(text: str, first: int, start: int, end: int) -> Region:
    line, column = _position(text, start)
    end_line, end_column = _position(text, end)
    return {"line": first + line, "column": column, "end_line": first + end_line, "end_column": end_column}


def _position(text: str, at: int) -> tuple[int, int]:
    """Return how many lines stand before a character, and its column from 1."""
    return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1) + 1


def _as_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _as_ascii_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _as_csv(text: str) -> str:
    return text.replace('"', '""')
