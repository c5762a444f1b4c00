"""A file of pairs → a file of verdicts, without a warehouse: what `medassay entail` does."""

import json
from collections.abc import Iterator
from pathlib import Path

from models.entailment.protocol import EntailmentModel
from models.settings import UsageError
from tasks.run import BadData

BATCH = 2_000


def entail_file(pairs: Path, out: Path, entailment: str) -> Iterator[str]:
    """Write `id, label, entailment, neutral, contradiction` a line for every readable pair of a file.

    A pair that the model cannot read gets a label of null and the reason; of pairs with one id the first is read, and
    one without an id goes by its number: that of its line, of its item in a JSON list.
    Yields one line where another model takes the place of the one that was asked for, and one for each row that is
    left out.

    Raises:
        UsageError: where the verdicts cannot go to `out` or would take the place of the pairs, or the model is a folder
            that is not there.
        BadData: when no row of the file can be used.
    """
    from models.entailment import load_entailment
    from models.hub import refuse_no_folder

    _refuse_place(pairs, out)
    refuse_no_folder(entailment)
    said: list[str] = []
    model = load_entailment(entailment, warn=said.append)
    yield from said
    n_read = 0
    draft = out.with_name(f".{out.name}.draft")
    try:
        with open(draft, "w", encoding="utf-8") as file:
            batch: list[dict[str, str]] = []
            for row in _usable_rows(pairs):
                if isinstance(row, str):
                    yield row
                    continue
                batch.append(row)
                n_read += 1
                if len(batch) == BATCH:
                    file.writelines(_verdict_lines(model, batch))
                    batch = []
            file.writelines(_verdict_lines(model, batch))
        if not n_read:
            raise BadData(
                f"{pairs}: no pair in it; every line is a JSON object with premise and hypothesis, and better an id"
            )
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


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
    from models.intake import BadRow, read_rows

    places: dict[str, str] = {}
    for row in read_rows(pairs):
        if isinstance(row, BadRow):
            yield f"{row.file}:{row.line}: {row.rule}: {row.observed}; {row.advice}"
            continue
        place, pair = row.place.within(row.file), row.value
        if pair.get("id") in (None, ""):
            pair = {**pair, "id": row.place.item or row.place.line}
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


def _verdict_lines(model: EntailmentModel, batch: list[dict[str, str]]) -> Iterator[str]:
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
        yield json.dumps(line, ensure_ascii=False) + "\n"
