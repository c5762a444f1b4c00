"""Recall and false alarms of the PHI guard on notes with marked identifiers: python benchmarks/phi_recall.py.

`data/phi_notes.jsonl` holds notes in which `{kind:text}` marks an identifier, and medical texts without any.
An identifier is found when at least 80 % of its letters and digits are masked. Recognisers are chosen on the
development half; only the held-out half is reported.
"""

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from medassay.models.phi.finding import Found, find_phi, found_everywhere
from medassay.models.phi.recognizer import recognized

NOTES = Path(__file__).parent / "data" / "phi_notes.jsonl"
FOUND_SHARE = 0.8
N_ANSWERS = 60
"""Answers read of each real data set."""
REAL_TEXTS = (
    ("kqa/questions", "reference_answer"),
    ("medaesqa/answers", "answer"),
    ("mediqa/answers_dev", "answer"),
    ("pubmedqa/labeled_dev", "conclusion"),
    ("expertqa/answers_medical_dev", "answer"),
)
OWN = ("notes", "real questions")
"""Texts that are read as a patient's own."""
PATIENTS_KINDS = ("name", "relative", "dob", "id", "phone", "email", "address", "ip", "url")
"""Without the names of staff, dates of visits and places, which alone name nobody."""
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


def tally(notes: Iterable[Note], finder: Finder, own: bool) -> Tally:
    """Compare what a finder masks with the marks; a false alarm touches no mark."""
    result = Tally(Counter(), Counter(), [], [])
    for note in notes:
        found = masked(note.text, finder, own)
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


def rules_alone(text: str, own: bool) -> list[Found]:
    """Find by rule, without the recogniser."""
    return find_phi(text, own, published=True)


def recogniser_alone(text: str, own: bool) -> list[Found]:
    """Find by the recogniser and its word lists, without rules."""
    return [Found(kind, start, end, text[start:end]) for kind, start, end in recognized(text, own)]


def real_texts(folder: Path) -> tuple[list[Note], list[Note]]:
    """Read patients' questions and medical answers that name no patient, from the folder of real data."""
    questions: dict[str, Note] = {}
    answers: list[Note] = []
    for name, answer in REAL_TEXTS:
        with gzip.open(next(folder.glob(f"{name}.jsonl.gz")), "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in rows:
            questions.setdefault(
                row.get("question", ""), Note(name, "real", "en", row.get("question", ""), ())
            )
        answers += [Note(name, "real", "en", row[answer], ()) for row in rows[:N_ANSWERS] if answer]
    return [note for text, note in questions.items() if text], answers


def main() -> None:
    """Print recall by kind and false alarms per 1,000 words of each finder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("development", "held_out"), default="held_out")
    parser.add_argument("--real", type=Path, help="folder of real questions and answers, for false alarms")
    parser.add_argument("--show", help="list what this column missed and masked in vain")
    options = parser.parse_args()
    finders: dict[str, Finder] = {
        "rules": rules_alone,
        "recogniser": recogniser_alone,
        "medassay": find_phi,
    }
    half = [note for note in read_notes() if note.half == options.half]
    texts = {
        "notes": [note for note in half if note.identifiers],
        "texts without identifiers": [note for note in half if not note.identifiers],
    }
    if options.real:
        questions, answers = real_texts(options.real)
        texts |= {"real questions": questions, "real answers": answers}
    tallies = {
        name: {of: tally(several, finder, of in OWN) for of, several in texts.items()}
        for name, finder in finders.items()
    }
    print_table(tallies)
    if options.show:
        for of, result in tallies[options.show].items():
            for missed in result.missed:
                print("missed", *missed)
            for note_id, one in result.false_alarms:
                print("false alarm in", of, note_id, one.kind, repr(one.text))


def print_table(tallies: dict[str, dict[str, Tally]]) -> None:
    """Print one column a finder: recall by kind, then false alarms per 1,000 words."""
    print(f"{'':28}", *(f"{name:>14}" for name in tallies))
    marked = next(iter(tallies.values()))["notes"].marked
    for kinds in [*((kind,) for kind in sorted(marked)), PATIENTS_KINDS]:
        shares = [
            f"{sum(of['notes'].found[k] for k in kinds)}/{sum(marked[k] for k in kinds)}"
            for of in tallies.values()
        ]
        print(
            f"{kinds[0] if len(kinds) == 1 else 'all of a patient':28}", *(f"{share:>14}" for share in shares)
        )
    for of in next(iter(tallies.values())):
        rates = [
            f"{len(t[of].false_alarms)} ({1000 * len(t[of].false_alarms) / t[of].n_words:.1f})"
            for t in tallies.values()
        ]
        print(f"{'false: ' + of:28.28}", *(f"{rate:>14}" for rate in rates))


if __name__ == "__main__":
    main()
