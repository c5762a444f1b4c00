"""Labelled pairs in files: gold labels, two-way labels, or a teacher's probabilities."""

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.folding import folded
from medassay.models.nli.labels import LABELS
from medassay.models.usage import UsageError

NOT_ENTAILED = "not_entailment"
Shares = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A premise, a hypothesis and what is known of them; `source` names the set, `doc` the document.

    `shares` are the probabilities of `LABELS`, in their order: one 1 for a gold label, anything for a teacher's word;
    None where all that is known is that the premise does not entail the hypothesis.
    """

    premise: str
    hypothesis: str
    shares: Shares | None
    source: str
    doc: str

    @property
    def label(self) -> int | None:
        """The most probable label's index in `LABELS`; None where it may be either of two."""
        return None if self.shares is None else max(range(len(LABELS)), key=self.shares.__getitem__)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read gzipped or plain JSON lines.

    Raises:
        UsageError: at a line that is no JSON object.
    """
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    number = 0
    try:
        with opened as lines:
            for line in lines:
                number += 1
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise ValueError("not an object")
                    yield row
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(
            f"{path}, line {number or 1}: no JSON object can be read there ({error}); mend or remove it"
        ) from None


def read_set(folder: Path, part: str) -> list[LabelledPair]:
    """Read one part (`train`, `dev`) of a set; an absent part is empty."""
    for path in (folder / f"{part}.jsonl.gz", folder / f"{part}.jsonl"):
        if path.exists():
            return read_pairs(path, folder.name)
    return []


def read_pairs(path: Path, source: str) -> list[LabelledPair]:
    """Read the pairs of one file; those that a teacher was not believed on are left out.

    Raises:
        UsageError: at a row without texts, or whose label is unknown.
    """
    return [
        _labelled(row, source, f"{path}, pair {i}")
        for i, row in enumerate(read_rows(path), 1)
        if row.get("shares", ()) is not None
    ]


def _labelled(row: dict[str, Any], source: str, place: str) -> LabelledPair:
    for field in ("premise", "hypothesis"):
        if not isinstance(row.get(field), str) or not row[field].strip():
            raise UsageError(f"{place}: `{field}` has no text; give every pair premise, hypothesis and label")
    premise, hypothesis = folded(row["premise"]).text, folded(row["hypothesis"]).text
    return LabelledPair(premise, hypothesis, _shares(row, place), source, str(row.get("doc", "")))


def _shares(row: dict[str, Any], place: str) -> Shares | None:
    if "shares" in row:
        try:
            entailment, neutral, contradiction = map(float, row["shares"])
        except (TypeError, ValueError):
            raise UsageError(f"{place}: `shares` are not three probabilities ({', '.join(LABELS)})") from None
        return entailment, neutral, contradiction
    if row.get("label") not in (*LABELS, NOT_ENTAILED):
        raise UsageError(
            f"{place}: label {row.get('label')!r} is none of {', '.join((*LABELS, NOT_ENTAILED))}"
        )
    return shares_of(row["label"])


def shares_of(label: str) -> Shares | None:
    """Return what a label says of the three probabilities; of "not entailed" nothing."""
    if label == NOT_ENTAILED:
        return None
    said = LABELS.index(label)
    return float(said == 0), float(said == 1), float(said == 2)


def without_conflicts(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """Drop a neutral row whose very pair is also labelled entailment or contradiction, and exact doubles.

    Half of Check-COVID's pairs stand there twice, once as neutral: its annotators saw other sentences of the same
    abstract. No function of the text can tell the two rows apart, and training on both teaches doubt.
    """
    by_text: dict[tuple[str, str], list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        by_text[pair.premise, pair.hypothesis].append(pair)
    kept: list[LabelledPair] = []
    for same in by_text.values():
        decided = [p for p in same if p.label is None or LABELS[p.label] != "neutral"]
        if len({p.label for p in decided}) <= 1:
            kept.append((decided or same)[0])
    return kept


def held_out(pair: LabelledPair, fold: int = 0, folds: int = 5) -> bool:
    """Return whether a pair's document is in this fold: a stable split by document for sets with no dev part.

    A pair that names none is told from others by its premise.
    """
    from medassay.models.keys import text_key

    return int(text_key(pair.doc or pair.premise)[:8], 16) % folds == fold
