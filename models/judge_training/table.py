"""The paper's table: how far a judge's points agree with the gold scores of the same answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from medassay.models.judge_training.fitting import names_of
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judges.listwise.aggregates import disagreement, mean_points, place_effect
from medassay.models.judges.listwise.judge import Ranking
from medassay.models.statistics.bootstrap import Estimate, bounds, seed_of
from medassay.models.statistics.correlation import pooled
from medassay.models.statistics.icc import icc2
from medassay.models.statistics.pairs import (
    accuracy_2tuple,
    accuracy_triple,
    by_question,
    order_counts,
    orders,
)
from medassay.models.statistics.resampling import Floats


@dataclass(frozen=True, slots=True)
class Scored:
    """One judge's scores of the cases: (cases, most answers of a case), NaN where there is none or it is unreadable.

    Scores up to `cut_off` apart are a tie: one number, or one a case.
    """

    name: str
    scores: Floats
    cut_off: float | Floats = 0.0
    format_valid: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A judge's row; `majority_2tuple` and `majority_triple` always give the commonest order of the gold scores."""

    judge: str
    format_valid: float | None
    spearman: Estimate
    pearson: Estimate
    kendall: Estimate
    accuracy_2tuple: Estimate
    majority_2tuple: float | None
    accuracy_triple: Estimate
    majority_triple: float | None
    accuracy_untied: Estimate
    icc: Estimate
    note: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the row for JSON: each estimate as its value, with `_low`, `_high`, `_n` and `_reason` beside it."""
        flat: dict[str, Any] = {}
        for name, value in asdict(self).items():
            if not isinstance(value, dict):
                flat[name] = value
                continue
            flat[name] = value["value"]
            flat |= {f"{name}_{part}": value[part] for part in ("low", "high", "n", "reason")}
        return flat


def gold_of(cases: Sequence[EvaluationCase]) -> Floats:
    """Return the gold scores, a row a case; the columns are systems where all cases have the same, else places.

    A case without gold scores has its evaluator's in their place.
    """
    return laid_out(cases, [case.gold or case.scores for case in cases])


def one_a_question(cases: Sequence[EvaluationCase]) -> list[EvaluationCase]:
    """Return the first case of each question that has scores: the judge sees every balanced order anyway."""
    found: dict[str, EvaluationCase] = {}
    for case in cases:
        if case.gold or case.scores:
            found.setdefault(case.question_id, case)
    return list(found.values())


def laid_out(cases: Sequence[EvaluationCase], scores: Sequence[Sequence[float] | None]) -> Floats:
    """Lay scores by place out as `gold_of` does."""
    names = {name for case in cases for name in names_of(case)}
    by_system = all(set(names_of(case)) == names for case in cases)
    columns = sorted(names) if by_system else []
    width = max((len(case.responses) for case in cases), default=0)
    table = np.full((len(cases), width), np.nan)
    for row, (case, given) in enumerate(zip(cases, scores, strict=True)):
        for place, value in enumerate(given or ()):
            table[row, columns.index(names_of(case)[place]) if by_system else place] = value
    return table


def scored_by_rankings(name: str, cases: Sequence[EvaluationCase], rankings: Sequence[Ranking]) -> Scored:
    """Average a listwise judge's points over the orders that have some; the note says why others have none."""
    means = {(mean.question_id, mean.system): mean.points for mean in mean_points(rankings)}
    scores = [[means.get((case.question_id, system), np.nan) for system in names_of(case)] for case in cases]
    valid = sum(ranking.points is not None for ranking in rankings) / len(rankings) if rankings else None
    return Scored(name, laid_out(cases, scores), format_valid=valid, note=note_of(rankings))


def note_of(rankings: Sequence[Ranking]) -> str | None:
    """Tell how many orders have no points and why, how often two of one question disagree, and whether places mattered.

    None where there is nothing to say.
    """
    said = []
    if unread := Counter(ranking.reason for ranking in rankings if ranking.points is None):
        ((reason, _),) = unread.most_common(1)
        said.append(f"{unread.total()} of {len(rankings)} orders have no points, most because {reason}")
    if (differing := disagreement(rankings)) is not None:
        said.append(f"orders of one question disagree on {differing:.0%} of pairs")
        for size in sorted({len(ranking.systems) for ranking in rankings}):
            if effect := place_effect(rankings, size, 500):
                said.append(f"effect of {size} places p = {effect.p_value:.3f}")
    return "; ".join(said) or None


def table_row(scored: Scored, cases: Sequence[EvaluationCase], gold: Floats | None = None) -> TableRow:
    """Compute a judge's row over cases that have gold scores; intervals resample questions."""
    human = gold_of(cases) if gold is None else gold
    automatic = scored.scores
    of_row = [case.question_id for case in cases]
    questions = np.repeat(of_row, human.shape[1])
    pairs, triples = (
        measure(automatic, human, scored.cut_off, of_row) for measure in (accuracy_2tuple, accuracy_triple)
    )
    return TableRow(
        scored.name,
        scored.format_valid,
        pooled("spearman", list(questions), automatic.ravel(), human.ravel()),
        pooled("pearson", list(questions), automatic.ravel(), human.ravel()),
        pooled("kendall", list(questions), automatic.ravel(), human.ravel()),
        pairs.accuracy,
        pairs.baseline,
        triples.accuracy,
        triples.baseline,
        accuracy_untied(automatic, human, of_row),
        icc2(np.column_stack([automatic.ravel(), human.ravel()])).single,
        scored.note,
    )


def advantage(ours: Scored, other: Scored, cases: Sequence[EvaluationCase], size: Literal[2, 3]) -> Estimate:
    """Return how much more of the pairs (or triples) one judge gets right than another; the interval is over questions.

    Both judged the same cases, so that a question's difficulty is in neither.
    """
    human = gold_of(cases)
    (right, asked, _), (theirs, _, _) = (
        order_counts(one.scores, human, one.cut_off, size) for one in (ours, other)
    )
    questions = [case.question_id for case in cases]
    return _share(right - theirs, asked, questions, "no answers have human scores")


def accuracy_untied(automatic: Floats, human: Floats, questions: Sequence[str]) -> Estimate:
    """Return the share of the pairs that people do not tie whose signs match; unreadable ones are wrong.

    No cut-off makes ties of continuous scores here: which of two answers is the better one is all that is asked.
    """
    right, asked = np.zeros(len(human)), np.zeros(len(human))
    none = np.zeros(len(human))
    for a in range(human.shape[1]):
        for b in range(a + 1, human.shape[1]):
            apart = np.nan_to_num(np.abs(human[:, a] - human[:, b])) > 0
            group = np.array([[a, b]], dtype=np.int64)
            same = (orders(automatic, group, none) == orders(human, group, none))[:, 0]
            right += apart & same
            asked += apart
    return _share(right, asked, questions, "people tie every pair")


def _share(part: Floats, asked: Floats, questions: Sequence[str], nothing: str) -> Estimate:
    """Return the sum of parts over that of what was asked, by row; the interval is over questions."""
    part, asked = by_question(questions, part), by_question(questions, asked)
    part, asked = part[asked > 0], asked[asked > 0]
    n = int(asked.sum())
    if n == 0:
        return Estimate(None, None, None, 0, nothing)

    def share(drawn: Floats) -> Floats:
        return np.asarray((drawn @ part) / np.maximum(drawn @ asked, 1e-12), dtype=np.float64)

    ends = bounds(share, len(asked), seed_of(part, asked))
    return Estimate(float(part.sum() / n), ends.low, ends.high, n, ends.reason)


def clears_majority(row: TableRow) -> bool:
    """Return whether the whole interval of the accuracy over pairs lies above always giving the commonest order."""
    return (
        row.accuracy_2tuple.low is not None
        and row.majority_2tuple is not None
        and row.accuracy_2tuple.low > row.majority_2tuple
    )


def summary_of(rows: Mapping[str, TableRow], judge: str) -> dict[str, Any]:
    """Return what scripts read: the judge's figures by their short names."""
    row = rows[judge]
    return {
        "format_valid": row.format_valid,
        "accuracy_2tuple": row.accuracy_2tuple.value,
        "accuracy_2tuple_low": row.accuracy_2tuple.low,
        "accuracy_2tuple_high": row.accuracy_2tuple.high,
        "majority_2tuple": row.majority_2tuple,
        "accuracy_triple": row.accuracy_triple.value,
        "majority_triple": row.majority_triple,
        "accuracy_untied": row.accuracy_untied.value,
        "clears_majority": clears_majority(row),
    }
