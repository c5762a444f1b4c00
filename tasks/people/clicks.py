"""Journal of scores given in the browser: each click is on the disk before it is answered, whoever holds the home."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from medassay.models.keys import content_key

FOLDER = "annotations"
Scores = dict[str, dict[str, float]]
"""Item → aspect → score."""


@dataclass(frozen=True, slots=True)
class Journal:
    """The clicks of one annotator on one run's answers, a JSON line each, the last of an aspect counts.

    A second file beside it holds how many bytes were taken into the warehouse: what a killed server left over is
    taken by the next one, and taking a line twice does no harm.
    """

    path: Path

    @property
    def mark(self) -> Path:
        """The file that holds how much was taken."""
        return self.path.with_suffix(".taken")

    @property
    def n_taken(self) -> int:
        """How many bytes were taken into the warehouse."""
        try:
            return int(self.mark.read_text("ascii"))
        except (FileNotFoundError, ValueError):
            return 0

    def add(self, annotator: str, item: str, aspect: str, score: float | str) -> None:
        """Write a click, or words, and wait until the disk has it; a line that a kill cut off before is ended first."""
        line = {"annotator": annotator, "item": item, "aspect": aspect, "score": score}
        said = json.dumps({**line, "at": datetime.now(UTC).isoformat(timespec="seconds")}, ensure_ascii=False)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with open(opened, "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            cut_off = size > 0 and os.pread(opened, 1, size - 1) != b"\n"
            file.write((b"\n" if cut_off else b"") + said.encode() + b"\n")
            os.fsync(opened)

    def lines(self, begin: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the whole clicks from a byte on; a line that was cut off says nothing."""
        try:
            with open(self.path, "rb") as file:
                file.seek(begin)
                written = file.read()
        except FileNotFoundError:
            return
        for line in written.split(b"\n"):
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict) and {"annotator", "item", "aspect", "score"} <= said.keys():
                yield said

    def scores(self, begin: int = 0) -> Scores:
        """Return what the clicks come to."""
        found: Scores = {}
        for said in self.lines(begin):
            found.setdefault(said["item"], {})[said["aspect"]] = said["score"]
        return found

    @contextmanager
    def taking(self) -> Iterator[Scores]:
        """Give what was not taken yet, and mark it as taken where the block ends well."""
        begin, end = self.n_taken, self.path.stat().st_size
        yield self.scores(begin) if end > begin else {}
        if end > begin:
            draft = self.mark.with_suffix(".draft")
            draft.write_text(str(end), "ascii")
            os.replace(draft, self.mark)


def journal(home: Path, run_id: str, annotator: str) -> Journal:
    """Return an annotator's journal of a run."""
    return Journal(home / FOLDER / run_id / f"{content_key(annotator)[:16]}.jsonl")


def journals(home: Path, run_id: str) -> dict[str, Journal]:
    """Return every annotator's journal of a run."""
    return journals_in(home / FOLDER / run_id)


def journals_in(folder: Path) -> dict[str, Journal]:
    """Return the journals of a folder by whose they are."""
    found = (Journal(path) for path in sorted(folder.glob("*.jsonl")))
    named = ((next(one.lines(), None), one) for one in found)
    return {str(first["annotator"]): one for first, one in named if first is not None}


def runs_with_clicks(home: Path) -> list[str]:
    """Return the runs that anybody scored in the browser."""
    folder = home / FOLDER
    return sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
