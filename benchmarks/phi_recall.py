"""Recall and false alarms of the PHI guard on notes with marked identifiers: python benchmarks/phi_recall.py.

`data/phi_notes.jsonl` holds notes in which `{kind:text}` marks an identifier, and medical texts without any.
An identifier is found when at least 80 % of its letters and digits are masked. Recognisers are chosen on the
development half; only the held-out half is reported.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from models.judges.phi.finding import Found, find_phi, found_everywhere

NOTES = Path(__file__).parent / "data" / "phi_notes.jsonl"
FOUND_SHARE = 0.8
MARK = re.compile(r"\{([a-z]+):([^}]*)\}")

Finder = Callable[[str, bool], list[Found]]


@dataclass(frozen=True, slots=True)
class Note:
    """A text and its identifiers as (kind, start, end)."""

    note_id: str
    half: str
    language: str
    text: str
    identifiers: tuple[tuple[str, int, int], ...]

    @property
    def n_words(self) -> int:
        """Number of words; a character of a script without spaces between words counts as half a word."""
        return words_in(self.text)


def words_in(text: str) -> int:
    """Count words; two characters of Chinese or Japanese count as one."""
    return len(re.findall(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]{1,2}", text))


def read_notes(path: Path = NOTES) -> list[Note]:
    """Read the notes and take the marks out of their texts."""
    return [note_of(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def note_of(row: dict[str, str]) -> Note:
    """Make a note of a row with marked text."""
    text, identifiers, last = "", [], 0
    for mark in MARK.finditer(row["marked"]):
        text += row["marked"][last : mark.start()]
        identifiers.append((mark[1], len(text), len(text) + len(mark[2])))
        text, last = text + mark[2], mark.end()
    text += row["marked"][last:]
    return Note(row["id"], row["half"], row["language"], text, tuple(identifiers))


def masked(text: str, finder: Finder, own: bool) -> list[Found]:
    """Return what is found in a text, with its other mentions."""
    return found_everywhere({"question": text}, {"question": finder(text, own)})["question"]


def share_masked(text: str, start: int, end: int, found: Iterable[Found]) -> float:
    """Return the share of the letters and digits of text[start:end] that is masked."""
    places = [n for n in range(start, end) if text[n].isalnum()]
    return sum(any(one.start <= n < one.end for one in found) for n in places) / max(1, len(places))


@dataclass(slots=True)
class Tally:
    """What one finder found in a set of notes."""

    found: Counter[str]
    marked: Counter[str]
    false_alarms: list[tuple[str, Found]]
    missed: list[tuple[str, str, str]]
    n_words: int = 0


def tally(notes: Iterable[Note], finder: Finder) -> Tally:
    """Compare what a finder masks with the marks; a false alarm touches no mark."""
    result = Tally(Counter(), Counter(), [], [])
    for note in notes:
        found = masked(note.text, finder, own=bool(note.identifiers))
        result.n_words += note.n_words
        for kind, start, end in note.identifiers:
            result.marked[kind] += 1
            if share_masked(note.text, start, end, found) >= FOUND_SHARE:
                result.found[kind] += 1
            else:
                result.missed.append((note.note_id, kind, note.text[start:end]))
        result.false_alarms += [
            (note.note_id, one)
            for one in found
            if not any(start < one.end and one.start < end for _, start, end in note.identifiers)
        ]
    return result
