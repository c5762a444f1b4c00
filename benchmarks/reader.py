"""How good each reader is: what it has seen and what it has not, a row a reader, with 95 % intervals.

    python -m benchmarks.reader ../shared [--sample 60] [--readers encoder] [--only cases,kqa] [--out docs/reader.md]

Samples are drawn with a fixed seed; every verdict is kept under `.medassay/`: a reader reads a pair once.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks import reader_cascade
from benchmarks.reader_answers import OWN_QUESTIONS, labelled_answers, own_answers
from benchmarks.reader_cache import NotStored
from benchmarks.reader_measures import (
    Line,
    mean_of_five,
    of_beside,
    of_cost,
    of_half_truths,
    of_inversions,
    of_own_answers,
    of_pairs,
    of_physicians,
    of_subjects,
    table,
)
from benchmarks.reader_runs import (
    CASCADE,
    ENCODER,
    LANGUAGE_MODEL,
    TRIVIAL,
    Encode,
    Prepared,
    Reader,
    as_answers,
    prepared,
    readers,
    remembering,
)
from benchmarks.reader_sets import (
    LabelledSet,
    Seen,
    beside,
    expert_pairs,
    five_sets,
    half_truths,
    inversions,
    more_sets,
    own_pairs,
)
from benchmarks.reader_subjects import subjects_left_out

Measure = Callable[[Reader], Iterator[Line]]
PARTS = ("cases", "beside", "kqa", "own", "subjects", "pairs", "sets", "cascade")
SUBJECTS = 6
"""Of answers that leave their subject to the question so many times fewer are drawn of each kind and form."""
_AS_NUGGETS = ("inversions_dev", "half_true_dev", "fluent_pairs")
_KQA: dict[str, dict[str, Seen]] = {
    "dev": {ENCODER: "seen", LANGUAGE_MODEL: "seen"},
    "dev2": {ENCODER: "left out", LANGUAGE_MODEL: "left out"},
}
_OWN: dict[str, Seen] = {ENCODER: "left out", LANGUAGE_MODEL: "left out"}


def measures(
    shared: Path, encode: Encode, sample: int, parts: Sequence[str], own_questions: int
) -> Iterator[Measure]:
    """Yield what is measured of every reader, in the order of the table."""
    data, cases = shared / "data", shared / "cases"
    if "cases" in parts:
        yield nugget_pairs(inversions(cases), encode)
        half = half_truths(cases)
        yield lambda reader: of_half_truths(reader, half)
    if "beside" in parts:
        for one in beside(data):
            yield facts_beside(one, encode)
    if "kqa" in parts:
        for part, seen in _KQA.items():
            yield physicians(part, prepared(labelled_answers(data, part), encode), seen)
        short, answers = inversions(cases), prepared(labelled_answers(data, "dev2"), encode)
        yield lambda reader: of_cost(reader, short, answers)
    if "own" in parts:
        own = prepared(own_answers(data, nearest_by(encode), own_questions), encode)
        yield lambda reader: of_own_answers(reader, own, _OWN)
    if "subjects" in parts:
        for part in ("looked at", "held out"):
            found = subjects_left_out(data, nearest_by(encode), part, sample // SUBJECTS)
            yield subjects(part, prepared(found, encode))
    if "pairs" in parts:
        for name in ("fluent_pairs", "contrast_pairs"):
            yield nugget_pairs(own_pairs(name), encode)
    if "sets" in parts:
        sets = [one for one in every_set(shared, sample) if one.name not in _AS_NUGGETS]
        yield lambda reader: mean_of_five(reader, sets)
        for one in sets:
            yield pairs(one)


def every_set(shared: Path, sample: int) -> list[LabelledSet]:
    """Return all pairs that are read here, by set."""
    data, cases = shared / "data", shared / "cases"
    return [
        *five_sets(data, sample),
        *more_sets(data, sample),
        expert_pairs(data, sample),
        inversions(cases),
        half_truths(cases),
        own_pairs("fluent_pairs"),
    ]


def nugget_pairs(one: LabelledSet, encode: Encode) -> Measure:
    """Measure pairs as answers of one nugget each."""
    answers = prepared(as_answers(one.pairs), encode)
    return lambda reader: of_inversions(reader, one, answers)


def facts_beside(one: LabelledSet, encode: Encode) -> Measure:
    """Measure statements of one subject beside one another as answers of one nugget each."""
    answers = prepared(as_answers(one.pairs), encode)
    return lambda reader: of_beside(reader, one, answers)


def physicians(part: str, answers: Sequence[Prepared], seen: dict[str, Seen]) -> Measure:
    """Measure agreement with physicians."""
    return lambda reader: of_physicians(reader, part, answers, seen)


def pairs(one: LabelledSet) -> Measure:
    """Measure a set of pairs."""
    return lambda reader: of_pairs(reader, one)


def subjects(part: str, answers: Sequence[Prepared]) -> Measure:
    """Measure answers that leave their subject to the question."""
    return lambda reader: of_subjects(reader, part, answers, _OWN)


def nearest_by(encode: Encode) -> Callable[[str, Sequence[str]], str]:
    """Return what finds the text that is nearest in meaning to another."""
    return lambda text, others: others[int(np.argmax(encode(others) @ encode([text])[0]))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shared", type=Path, help="the folder that holds data/ and cases/")
    parser.add_argument("--sample", type=int, default=60, help="pairs of each large set")
    parser.add_argument("--readers", default=",".join((ENCODER, LANGUAGE_MODEL, CASCADE, TRIVIAL)))
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument(
        "--own", type=int, default=OWN_QUESTIONS, help="questions with physicians' own answers"
    )
    parser.add_argument(
        "--stored", action="store_true", help="read nothing new: leave out what was not read yet"
    )
    parser.add_argument("--out", type=Path, help="write the tables here between two marks")
    asked = parser.parse_args(arguments)
    if not (asked.shared / "data").is_dir():
        print(
            f"no data at {asked.shared / 'data'}: name the folder that holds data/ and cases/",
            file=sys.stderr,
        )
        return 2
    from medassay.models.embedding import load_embedder

    encode = remembering(load_embedder("embedded").encode)
    chosen, parts = readers(asked.readers.split(","), may_read=not asked.stored), asked.only.split(",")
    lines = []
    for measure in measures(asked.shared, encode, asked.sample, parts, asked.own):
        for reader in chosen:
            try:
                found = list(measure(reader))
            except NotStored as error:
                print(f"left out: {reader.name}: {error}", file=sys.stderr)
                continue
            for line in found:
                lines.append(line)
                print(f"{line.measure}: {reader.name}: {line.figure.text} [{line.column}]", file=sys.stderr)
    text = table(lines)
    by_name = {reader.name: reader for reader in chosen}
    if "cascade" in parts and by_name.keys() >= {ENCODER, LANGUAGE_MODEL}:
        text += ["", "## What the encoder may settle in the cascade", ""]
        both = by_name[ENCODER], by_name[LANGUAGE_MODEL]
        text += reader_cascade.report(*both, every_set(asked.shared, asked.sample))
    print("\n".join(text))
    if asked.out:
        put_between_marks(asked.out, "\n".join(text))
    return 0


BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def put_between_marks(path: Path, text: str) -> None:
    """Replace what stands between the two marks of a page."""
    page = path.read_text("utf-8")
    before, rest = page.split(BEGIN, 1)
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END, 1)[1]}", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
