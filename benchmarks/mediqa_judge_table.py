"""MEDIQA's answers, and the table of a judge over all pairs and triples of a question's held-out answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medassay.models.judge_training.baselines import baselines
from medassay.models.judge_training.mediqa import EVALUATOR, GOLD_ONLY, read_mediqa
from medassay.models.judge_training.questions import question_text_key
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import Scored, gold_of, laid_out, table_row
from medassay.models.keys import content_key
from medassay.models.statistics.pairs import cut_offs_left_out
from medassay.models.statistics.resampling import Floats

Answer = dict[str, Any]
POINTS = np.array([4.0, 3.0, 2.0, 1.0])
"""Of the letters A to D."""
JUDGE, LETTER, BASE = "trained judge", "trained judge, most probable letter", "the base, untrained"
NEVER_CUT = (LETTER, "all tied", "random points")
MEASURES = {
    "2-tuple": "accuracy_2tuple", "triple": "accuracy_triple", "untied pairs": "accuracy_untied",
    "ρ": "spearman", "r": "pearson", "τ-b": "kendall", "ICC(2,1)": "icc",
}  # fmt: skip


class AllAnswers(EvaluationCase):
    """All answers of a question: more than a listwise judge compares at once."""

    def __post_init__(self) -> None:
        """Refuse nothing."""


def rank_of(row: Answer) -> int:
    """Return an answer's place in the search."""
    return int(row["system"].removeprefix("rank"))


def answers_at(path: Path) -> list[Answer]:
    """Return answers by question and rank, without empty ones and those that repeat another of their question."""
    answers = [row for rows in read_mediqa(path).values() for row in rows if row["answer"].strip()]
    found: dict[tuple[str, str], Answer] = {}
    for row in sorted(answers, key=lambda row: (row["question_id"], rank_of(row))):
        found.setdefault((row["question_id"], row["answer"].strip()), row)
    return list(found.values())


def folds_of(rows: Sequence[Answer], n_folds: int, seed: int) -> list[int]:
    """Return each answer's fold; questions of the same words are in one."""
    keys = [content_key([seed, question_text_key(row["question"])]) for row in rows]
    place = {key: number % n_folds for number, key in enumerate(sorted(set(keys)))}
    return [place[key] for key in keys]


def table_of(told: dict[str, Any], rows: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return a row for each judge and baseline over all pairs and triples of a question's held-out answers.

    Baselines are fitted to the other folds. A second row cuts ties off: a question's cut-off is the best of all others.
    """
    texts = {(row["question_id"], row["system"]): row for row in rows}
    by_question: dict[str, list[dict[str, Any]]] = {}
    for one in told["answers"]:
        if one["trained"] is not None:
            by_question.setdefault(one["question_id"], []).append(one)
    held = list(by_question.values())
    cases = [_case([texts[one["question_id"], one["system"]] for one in answers]) for answers in held]
    folds = np.array([answers[0]["fold"] for answers in held])

    def laid(name: str, weights: Any) -> Floats:
        return laid_out(cases, [[float(weights(np.array(one[name]))) for one in answers] for answers in held])

    found = {
        JUDGE: laid("trained", lambda shares: shares @ POINTS),
        LETTER: laid("trained", lambda shares: POINTS[shares.argmax()]),
        BASE: laid("base", lambda shares: shares @ POINTS),
    }
    gold = gold_of(cases)
    for fold in sorted(set(folds.tolist())):
        test = np.flatnonzero(folds == fold)
        others = [case for case, its in zip(cases, folds, strict=True) if its != fold]
        for one in baselines(others, [cases[i] for i in test]):
            scores = found.setdefault(one.name, np.full_like(gold, np.nan))
            scores[test, : one.scores.shape[1]] = one.scores
    table = []
    for name, scores in found.items():
        table.append(Scored(name, scores))
        if name not in NEVER_CUT:
            table.append(Scored(f"{name}, ties cut off", scores, cut_offs_left_out(scores, gold)))
    return [table_row(one, cases, gold).as_dict() for one in table]


def _case(answers: Sequence[Answer]) -> EvaluationCase:
    # Ranks of two digits, so that the order of names is the order of places.
    return AllAnswers(
        case_id=answers[0]["question_id"], question_id=answers[0]["question_id"], question=answers[0]["question"],
        responses=tuple(one["answer"] for one in answers), systems=tuple(f"rank {rank_of(one):02d}" for one in answers),
        reference=None, evaluation="", scores=None, gold=tuple(float(one["score"]) for one in answers),
        evaluator=EVALUATOR, strength="strong", status="abstained", reason=GOLD_ONLY,
    )  # fmt: skip


def in_words(table: Sequence[dict[str, Any]]) -> str:
    """Return the table as markdown."""

    def cell(row: dict[str, Any], name: str) -> str:
        if row[name] is None:
            return ""
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        return f"{row[name]:.3f}" + ("" if low is None else f" [{low:.3f}, {high:.3f}]")

    lines = [["", *MEASURES], ["---"] * (len(MEASURES) + 1)]
    lines += [[row["judge"], *(cell(row, name) for name in MEASURES.values())] for row in table]
    pairs, triples = (table[0][f"majority_{name}"] for name in ("2tuple", "triple"))
    most = f"The commonest order: {pairs:.3f} of pairs, {triples:.3f} of triples."
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{most}\n"
