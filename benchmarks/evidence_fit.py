"""Weights of medical correctness fitted on people's labels: `python -m benchmarks.evidence_fit SHARED`.

safetyqa's answers to questions of which one answer at least is called opposed to consensus, lacking great content or
greatly inappropriate. Tenfold, whole questions left out: the weights of a grid that order the other nine parts best
(mean AUC for *opposed* and for *any serious label*) mark the part left out. Printed beside the weights as they are,
with 95 % intervals over questions, and which weights were taken how often.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evidence_marks import DRAWS, SEED, answers_of, auc, bad_answers, measured, with_serious
from medassay.metrics import WEIGHTS
from medassay.sql.views import view_texts
from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at

GRID = {"unstated": (0.0, 0.1, 0.25, 0.5), "beside": (0.1, 0.25, 0.5), "turned": (1.0, 2.0, 3.0)}
FOLDS = 10
Keys = Sequence[tuple[str, str]]


def correctness(warehouse: Warehouse, keys: Keys, weights: dict[str, float]) -> np.ndarray:
    """Return medical correctness of the current run's answers under these weights."""
    kept = dict(WEIGHTS)
    WEIGHTS.update(weights)
    view_texts.cache_clear()
    try:
        warehouse.execute(view_texts("intermediate")["evidence_marks.sql"])
        rows = warehouse.rows("select question_id, system, medical_correctness as mark from evidence_marks")
    finally:
        WEIGHTS.update(kept)
        view_texts.cache_clear()
    marks = {(row["question_id"], row["system"]): row["mark"] for row in rows}
    return np.array([float(marks[key]) for key in keys])


def left_out(
    questions: np.ndarray, bad: dict[str, np.ndarray], marks: Sequence[np.ndarray]
) -> tuple[np.ndarray, Counter[int]]:
    """Return each answer's mark by the weights chosen on the other parts, and how often each was chosen."""
    names = sorted(set(questions))
    part = {name: n % FOLDS for n, name in enumerate(random.Random(SEED).sample(names, len(names)))}
    parts = np.array([part[name] for name in questions])
    found, chosen = np.zeros(len(questions)), Counter[int]()
    for n in range(FOLDS):
        others = parts != n

        def fit(one: np.ndarray, others: np.ndarray = others) -> float:
            return float(np.mean([auc(labels[others], one[others]) for labels in bad.values()]))

        best = max(range(len(marks)), key=lambda place: fit(marks[place]))
        found[~others] = marks[best][~others]
        chosen[best] += 1
    return found, chosen


def with_interval(questions: np.ndarray, bad: np.ndarray, marks: np.ndarray) -> str:
    """Return an AUC and its 95 % interval over questions, as words."""
    names, drawn = sorted(set(questions)), random.Random(SEED)
    places = {name: np.flatnonzero(questions == name) for name in names}
    samples = [
        np.concatenate([places[name] for name in drawn.choices(names, k=len(names))]) for _ in range(DRAWS)
    ]
    low, high = np.nanpercentile([auc(bad[at], marks[at]) for at in samples], [2.5, 97.5])
    return f"{auc(bad, marks):.2f} ({low:.2f}–{high:.2f})"


def main() -> None:
    """Evaluate the answers, fit, and print."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("shared", type=Path)
    arguments.add_argument("--reader", default="encoder")
    arguments.add_argument("--homes", type=Path, default=Path("build/evidence_marks"))
    given = arguments.parse_args()
    answers = with_serious(answers_of(given.shared, "safetyqa"))
    home = given.homes / f"safetyqa-{given.reader}"
    measured(answers, given.reader, home)
    warehouse = warehouse_at(home)
    warehouse.focus(warehouse.value("select max(run_id) from run where state = 'finished'"))
    keys = [(row["question_id"], row["system"]) for row in answers]
    grid: list[dict[str, Any]] = [dict(zip(GRID, one, strict=True)) for one in product(*GRID.values())]
    marks = [correctness(warehouse, keys, weights) for weights in grid]
    as_they_are = correctness(warehouse, keys, {})
    close_warehouse(home)
    kinds, questions = bad_answers(answers), np.array([question for question, _ in keys])
    fitted, chosen = left_out(
        questions, {name: kinds[name] for name in ("opposed", "any serious label")}, marks
    )
    before = marks[grid.index({"unstated": 0.0, "beside": 0.25, "turned": 2.0})]
    print(f"{len(answers)} answers to {len(set(questions))} questions, reader {given.reader}")
    print(
        f"| weights | {' | '.join(f'{name} ({int(bad.sum())})' for name, bad in kinds.items())} |\n|---|---|---|---|"
    )
    for name, own in (("set by hand", before), ("fitted, left out", fitted), ("as they are", as_they_are)):
        print(f"| {name} | {' | '.join(with_interval(questions, bad, own) for bad in kinds.values())} |")
    for place, times in chosen.most_common():
        print(f"chosen {times} of {FOLDS} times: {grid[place]}")


if __name__ == "__main__":
    main()
