"""Choices about long answers, each made with whole questions left out: what is read, cut-offs, conflicts, parts.

A nugget is read against passages of an answer: all of it, or windows of so many of its sentences, of which the
`nearest` in meaning are read. The highest probability of "says so" and of "says otherwise" over those passages are held
against two cut-offs. A choice for a question is the one that is best on all other questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.reader_runs import STATE_OF, Prepared
from medassay.models.entailment import EntailmentModel
from medassay.models.statistics.kappa import cohen_kappa
from medassay.models.text.claims.parts import claim_parts

WHOLE = 0
NOT_KNOWN = "not known"
SIZES = (WHOLE, 1, 2, 3)
NEAREST = (1, 2, 3, 5)
SAYS_AT = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
OTHERWISE_AT = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)


@dataclass(frozen=True)
class Reading:
    """What is read of an answer for a nugget: the `nearest` windows of `size` sentences; size 0 is all of it."""

    size: int
    nearest: int

    @property
    def name(self) -> str:
        """Return it in words."""
        if self.size == WHOLE:
            return "whole answer"
        return f"{self.nearest} nearest window{'s' * (self.nearest > 1)} of {self.size}"


BY_PARTS_UPTO = 2
"""Parts are read against at most so many windows: their reading multiplies the cost."""
READINGS = (Reading(WHOLE, 1), *(Reading(size, nearest) for size in SIZES[1:] for nearest in NEAREST))


def passages(one: Prepared, place: int, reading: Reading) -> list[str]:
    """Return the passages that are read for the nugget at a place, nearest first.

    A window is as near as the sum of its sentences' cosines; neighbouring windows may share sentences.
    """
    rows = [i for i, claim in enumerate(one.claims) if claim.kind == "claim"]
    if reading.size == WHOLE or len(rows) <= reading.size:
        return [one.answer.text] if reading.size == WHOLE else [_joined(one, rows)]
    starts = range(len(rows) - reading.size + 1)
    near = [float(max(one.similarity[rows[s : s + reading.size], place])) for s in starts]
    mean = [float(np.mean(one.similarity[rows[s : s + reading.size], place])) for s in starts]
    order = sorted(starts, key=lambda s: (-round(near[s], 6), -mean[s], s))
    return [_joined(one, rows[s : s + reading.size]) for s in order[: reading.nearest]]


def _joined(one: Prepared, rows: Sequence[int]) -> str:
    return "\n".join(one.claims[row].text.strip() for row in rows)


@dataclass(frozen=True)
class Cut:
    """Two cut-offs, and what counts where both are reached: the `surer`, or always `otherwise`."""

    says_at: float
    otherwise_at: float
    both: str = "surer"

    def state(self, says: float, otherwise: float) -> str:
        """Return a nugget's state by the highest probabilities."""
        turned = otherwise >= self.otherwise_at
        if says >= self.says_at and not (turned and (self.both == "otherwise" or otherwise > says)):
            return "covered"
        return "contradicted" if turned else "missing"


CUTS = tuple(Cut(a, b) for a, b in product(SAYS_AT, OTHERWISE_AT))
PLAIN = Cut(0.5, 0.5)


@dataclass(frozen=True)
class Row:
    """A nugget's highest probabilities by reading, whole and over its parts (each part's own highest)."""

    group: str
    truth: str
    kind: str
    highest: dict[Reading, tuple[float, float]]
    parts: dict[Reading, tuple[tuple[float, float], ...]]


def rows(
    model: EntailmentModel, answers: Sequence[Prepared], readings: Sequence[Reading], *, by_parts: bool
) -> list[Row]:
    """Read every nugget in every way."""
    wanted: dict[tuple[str, str], None] = {}
    for one in answers:
        for place, nugget in enumerate(one.answer.nuggets):
            for reading in readings:
                for passage in passages(one, place, reading):
                    wanted[passage, nugget] = None
                    if by_parts and reading.nearest <= BY_PARTS_UPTO:
                        wanted.update({(passage, part): None for part in claim_parts(nugget)})
    pairs = list(wanted)
    verdicts = dict(zip(pairs, model.score(pairs), strict=True))

    def highest(texts: Sequence[str], statement: str) -> tuple[float, float]:
        found = [verdicts[text, statement] for text in texts]
        return (
            max((v.entailment or 0.0 for v in found), default=0.0),
            max((v.contradiction or 0.0 for v in found), default=0.0),
        )

    made: list[Row] = []
    for one in answers:
        kinds = one.answer.kinds or one.answer.labels
        for place, nugget in enumerate(one.answer.nuggets):
            by_reading, of_parts = {}, {}
            for reading in readings:
                texts = passages(one, place, reading)
                by_reading[reading] = highest(texts, nugget)
                if by_parts and reading.nearest <= BY_PARTS_UPTO:
                    of_parts[reading] = tuple(highest(texts, part) for part in claim_parts(nugget))
            truth = STATE_OF.get(one.answer.labels[place], NOT_KNOWN)
            made.append(Row(one.answer.group, truth, kinds[place], by_reading, of_parts))
    return made


def by_cut(row: Row, reading: Reading, cut: Cut) -> str:
    """Return the state of a nugget that is read as a whole."""
    return cut.state(*row.highest[reading])


def by_parts(row: Row, reading: Reading, cut: Cut) -> str:
    """Return the state of a nugget whose parts are read too: stated in part is `partial`, whatever the whole reads.

    A part that is turned around turns the nugget; where no part is stated the whole decides.
    """
    whole, parts = by_cut(row, reading, cut), row.parts.get(reading, ())
    states = [cut.state(*part) for part in parts]
    if "contradicted" in states:
        return "contradicted"
    if "covered" in states:
        return whole if set(states) == {"covered"} else "partial"
    return whole


def left_out(found: Sequence[Row], reading: Reading, cuts: Sequence[Cut] = CUTS) -> list[str]:
    """Return each nugget's state by the cut-offs that agree best with all other questions."""
    chosen = {}
    table = {cut: [by_cut(row, reading, cut) for row in found] for cut in cuts}
    for group in {row.group for row in found}:
        others = [i for i, row in enumerate(found) if row.group != group]
        chosen[group] = max(cuts, key=lambda cut: _agreement(found, table[cut], others))
    return [table[chosen[row.group]][i] for i, row in enumerate(found)]


def _agreement(found: Sequence[Row], said: Sequence[str], places: Sequence[int]) -> float:
    value = cohen_kappa_value([found[i].truth for i in places], [said[i] for i in places])
    return -1.0 if value is None else value


def cohen_kappa_value(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Return Cohen's kappa without an interval."""
    one, other = np.array(first), np.array(second)
    expected = sum(float(np.mean(one == s) * np.mean(other == s)) for s in set(first) | set(second))
    return None if expected >= 1 else float((np.mean(one == other) - expected) / (1 - expected))


def chosen_on_all(found: Sequence[Row], reading: Reading) -> Cut:
    """Return the cut-offs that agree best with every question: what would be shipped, not what may be reported."""
    everything = range(len(found))
    return max(CUTS, key=lambda cut: _agreement(found, [by_cut(r, reading, cut) for r in found], everything))


def report(found: Sequence[Row], readings: Sequence[Reading], n_read: dict[Reading, float]) -> list[str]:
    """Return a Markdown table: κ of each reading with plain cut-offs, and with those chosen on the other questions."""
    lines = [
        "| what is read | pairs a nugget | κ, cut at .5 and .5 | κ, cut-offs of the other questions | best on all |",
        "|---|---|---|---|---|",
    ]
    truth, groups = [row.truth for row in found], [row.group for row in found]
    for reading in readings:
        plain = cohen_kappa(truth, [by_cut(row, reading, PLAIN) for row in found], groups)
        out = cohen_kappa(truth, left_out(found, reading), groups)
        best = chosen_on_all(found, reading)
        lines.append(
            f"| {reading.name} | {n_read[reading]:.1f} | {shown(plain)} | {shown(out)}"
            f" | {best.says_at}, {best.otherwise_at} |"
        )
    return lines


def shown(estimate: object) -> str:
    """Return an estimate with its interval."""
    value, low, high = (getattr(estimate, name) for name in ("value", "low", "high"))
    if value is None:
        return "–"
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f}–{high:.2f})"


def pairs_a_nugget(answers: Sequence[Prepared], readings: Sequence[Reading]) -> dict[Reading, float]:
    """Return how many passages a nugget is read against."""
    return {
        reading: float(
            np.mean(
                [len(passages(one, p, reading)) for one in answers for p in range(len(one.answer.nuggets))]
            )
        )
        for reading in readings
    }


def parts_report(found: Sequence[Row], readings: Sequence[Reading]) -> list[str]:
    """Return a Markdown table: states by kind of statement, read as a whole and part by part, cut at .5 and .5."""
    kinds = list(dict.fromkeys(row.kind for row in found))
    lines = [
        "",
        "| what is read | statement | n | several parts | whole: covered / contradicted | by parts: covered / partial"
        " / contradicted |",
        "|---|---|---|---|---|---|",
    ]
    for reading in readings:
        if reading.nearest > BY_PARTS_UPTO:
            continue
        for kind in kinds:
            here = [row for row in found if row.kind == kind]
            whole = [by_cut(row, reading, PLAIN) for row in here]
            parts = [by_parts(row, reading, PLAIN) for row in here]
            lines.append(
                f"| {reading.name} | {kind} | {len(here)} | {sum(bool(r.parts.get(reading)) for r in here)}"
                f" | {whole.count('covered')} / {whole.count('contradicted')}"
                f" | {parts.count('covered')} / {parts.count('partial')} / {parts.count('contradicted')} |"
            )
    return lines
