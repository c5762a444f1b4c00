"""Labels for calibration from a file of human scores, and which rows are excluded."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.counting import counted
from medassay.models.intake import read_rows
from medassay.models.people.missing_codes import Given, Outside, outside
from medassay.models.people.scales import Scale, scale_of
from medassay.tasks.judging.label_rows import METRICS, Answer, Faults, Label, LabelFile
from medassay.tasks.run import BadData


@dataclass(frozen=True, slots=True)
class Labels:
    """The scores that may be fitted to, and a line for each part of the file that is left out."""

    kept: tuple[Label, ...]
    notes: tuple[str, ...]

    def of(self, metric: str) -> dict[Answer, list[Label]]:
        """Return a metric's labels by answer, in the order of the file."""
        found: dict[Answer, list[Label]] = {}
        for label in self.kept:
            if label.metric == metric:
                found.setdefault(label.answer, []).append(label)
        return found


def read_labels(path: Path, given: Scale | None = None) -> Labels:
    """Read the human scores of answers in a file whose columns are named as `evaluate` reads them.

    An answer with a row of role `test` is left out whole: what tests agreement must not have been fitted to. The first
    of several scores that an annotator gives an answer holds, as in `evaluate`.

    Args:
        path: CSV, TSV, JSON lines, JSON or Parquet.
        given: what people could give; as their scores show it unless given.

    Raises:
        BadData: one line a kind of fault, with the place of the first.
        IntakeError: when the file cannot be read.
    """
    found = LabelFile(path)
    for row in read_rows(path):
        found.take(row)
    found.refuse()
    kept, notes = _fit_for_fitting(found.labels, found.tested)
    notes = [*found.notes(), *notes]
    if not kept:
        raise BadData(
            "\n".join(f"{path}: {line}" for line in (*notes, "so there is no score to fit a map to"))
        )
    _refuse_strays(kept, given)
    return Labels(tuple(kept), tuple(notes))


def _fit_for_fitting(labels: Sequence[Label], tested: set[Answer]) -> tuple[list[Label], list[str]]:
    """Return the labels without those of tested answers and without what an annotator says again; and say so."""
    notes = []
    by_role = Counter(label.role for label in labels)
    if by_role["test"]:
        notes.append(f"{counted(by_role['test'], 'row')} of role test not used: `agree` measures on them")
    rest = [label for label in labels if label.role != "test"]
    mixed = [label for label in rest if label.answer in tested]
    if mixed:
        notes.append(
            f"{counted(len(mixed), 'row')} not used: their answers are of role test in other rows; the first is"
            f" {mixed[0].shown}"
        )
    kept, again = _first_of_each(label for label in rest if label.answer not in tested)
    if again:
        notes.append(
            f"{counted(len(again), 'row')} not used: the annotator had scored the answer before, and the first score"
            f" holds; the first such is {again[0].shown} by {again[0].annotator}"
        )
    unnamed = Counter((label.metric, label.answer) for label in kept if not label.annotator)
    if several := sum(n > 1 for n in unnamed.values()):
        notes.append(
            f"{counted(several, 'answer')} with several scores and no annotator: averaged as different people's"
        )
    return kept, notes


def _first_of_each(labels: Iterable[Label]) -> tuple[list[Label], list[Label]]:
    """Part labels into the first that each annotator gives an answer in a metric, and the later ones."""
    kept: dict[Any, Label] = {}
    again = []
    for label in labels:
        # Without a name two scores may be two people's.
        key = (label.metric, label.answer, label.annotator or label.place)
        if kept.setdefault(key, label) is not label:
            again.append(label)
    return list(kept.values()), again


def _refuse_strays(labels: Sequence[Label], given: Scale | None) -> None:
    """Raise BadData where a score cannot lie on the scale of its metric: the one given, else that of the others."""
    faults = Faults()
    advice = "correct it, or name what people could give with --scale LOW HIGH"
    for metric in METRICS:
        own = [label for label in labels if label.metric == metric]
        codes = (
            outside([Given(one.answer, one.annotator, one.score) for one in own]) if not given else Outside()
        )
        for label in own:
            if label.score in codes.left_out:
                others = f"the other scores lie on {codes.low:g} to {codes.high:g}"
                faults.add(metric, f"{label.place}: {metric} is {label.score:g}, and {others}; {advice}")
        own = [label for label in own if label.score not in codes.left_out]
        scale = given or scale_of([label.score for label in own])
        stray = [label for label in own if scale is None or not scale.holds(label.score)]
        # Without a scale all of them are stray: the farthest is shown.
        for label in sorted(stray, key=lambda label: -abs(label.score)) if scale is None else stray:
            others = "no scale up to 100 holds it" if scale is None else f"the other scores lie on {scale}"
            why = f"people could give {given}" if given else others
            faults.add(metric, f"{label.place}: {metric} is {label.score:g}, and {why}; {advice}")
    faults.refuse()
