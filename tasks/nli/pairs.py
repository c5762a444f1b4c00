"""`medassay entail`: read a file of pairs, write a file of verdicts; no warehouse."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from medassay.models.atomic_files import written_whole
from medassay.models.counting import counted
from medassay.models.nli.choosing import ENCODER, READS_LETTERS, named_reader
from medassay.models.nli.labels import EntailmentModel
from medassay.models.usage import UsageError
from medassay.tasks.run import BadData

BATCH = 2_000
LABELS = ("entailment", "neutral", "contradiction")
NO_VERDICT = "without a verdict"


def entail_file(pairs: Path, out: Path, entailment: str) -> Iterator[str]:
    """Write `id, label, entailment, neutral, contradiction` a line for every readable pair of a file.

    A pair that the model cannot read gets a label of null and the reason; of pairs with one id the first is read, and
    one without an id goes by its number among the rows, as `#3`. `out` is gzipped where its name ends in `.gz`.
    Yields one line where another model takes the place of the one that was asked for, one for each row that is left
    out, and one that counts what was written.

    Raises:
        UsageError: where the verdicts cannot go to `out` or would take the place of the pairs, or the model is a folder
            that is not there.
        BadData: when no row of the file can be used.
    """
    from medassay.models.nli import load_entailment
    from medassay.models.weights.hub import refuse_no_folder

    _refuse_place(pairs, out)
    entailment = named_reader(entailment)
    if entailment not in (ENCODER, *READS_LETTERS) and entailment.removeprefix("hf:") in ("", entailment):
        raise UsageError(
            f"--reader {entailment} reads no pairs by itself: name encoder, llm, cascade or hf:<id or folder>"
        )
    refuse_no_folder(entailment)
    said: list[str] = []
    model = load_entailment(entailment, warn=said.append)
    yield from said
    told: Counter[str] = Counter()
    n_left_out = 0
    with written_whole(out) as file:
        batch: list[dict[str, str]] = []
        for row in _usable_rows(pairs):
            if isinstance(row, str):
                n_left_out += 1
                yield row
                continue
            batch.append(row)
            if len(batch) == BATCH:
                told += _write_verdicts(model, batch, file)
                batch = []
        told += _write_verdicts(model, batch, file)
        if not told:
            raise BadData(
                f"{pairs}: no pair in it; every line is a JSON object with premise and hypothesis, and better an id"
            )
    labels = ", ".join(f"{told[label]:,} {label}" for label in (*LABELS, NO_VERDICT) if told[label])
    rows = f"; {counted(n_left_out, 'row')} left out" if n_left_out else ""
    yield f"{out}: {counted(told.total(), 'pair')}, {labels}{rows}"


def _refuse_place(pairs: Path, out: Path) -> None:
    if out.is_dir():
        raise UsageError(f"--out {out} is a folder; name the file in it that the verdicts go to")
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}; make it, or name another file")
    if pairs.resolve() == out.resolve() or (pairs.exists() and out.exists() and pairs.samefile(out)):
        raise UsageError(
            f"{out}: the verdicts would take the place of the pairs; name another file with --out"
        )


def _usable_rows(pairs: Path) -> Iterator[dict[str, str] | str]:
    """Yield the rows of a file, and for each one that is left out the line that says why."""
    from medassay.models.intake import BadRow, read_rows

    places: dict[str, str] = {}
    for number, row in enumerate(read_rows(pairs), start=1):
        if isinstance(row, BadRow):
            yield f"{row.file}:{row.line}: {row.rule}: {row.observed}; {row.advice}"
            continue
        place, pair = row.place.within(row.file), row.value
        if pair.get("id") in (None, ""):
            pair = {**pair, "id": f"#{number}"}
        if problem := _problem(pair):
            yield f"{place}: {problem}"
        elif (first := places.setdefault(str(pair["id"]), place)) != place:
            seen = f"{pair['id']} was read before, at {first}"
            yield f"{place}: id is repeated: {seen}; keep one of the rows, or give each its own id; left out"
        else:
            yield pair


def _problem(value: dict[str, object]) -> str | None:
    missing = [name for name in ("premise", "hypothesis") if not isinstance(value.get(name), str)]
    if isinstance(value.get("id"), bool) or not isinstance(value.get("id"), str | int):
        missing.insert(0, "id")
    return f"{' and '.join(missing)} missing or not text; left out" if missing else None


def _write_verdicts(model: EntailmentModel, batch: list[dict[str, str]], file: IO[str]) -> Counter[str]:
    """Write a line for each pair of a batch; return how many there are of each label."""
    told: Counter[str] = Counter()
    verdicts = model.score([(row["premise"], row["hypothesis"]) for row in batch], None)
    for row, verdict in zip(batch, verdicts, strict=True):
        shares = {
            "entailment": verdict.entailment,
            "neutral": verdict.neutral,
            "contradiction": verdict.contradiction,
        }
        label = max(shares, key=lambda name: shares[name] or 0.0) if verdict.entailment is not None else None
        line = {"id": row["id"], "label": label, **shares}
        if label is None:
            line["reason"] = verdict.reason
        told[label or NO_VERDICT] += 1
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return told
