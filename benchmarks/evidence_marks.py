"""Marks from evidence and their metrics beside people's labels: `python -m benchmarks.evidence_marks SHARED`.

safetyqa: AUC of each mark for answers that people call opposed to consensus, lacking great content, or one of these or
greatly inappropriate, beside the length of the answer, with 95 % intervals over questions. MedAESQA: Kendall's tau-b of
systems, on all questions and halved (our half against people's other half), beside length, and Spearman's rank
correlation with length held constant. The weights of the marks were chosen with safetyqa's figures in view
(`benchmarks.evidence_fit` leaves questions out). `--serious-only` keeps safetyqa's questions of which one answer has a
serious label: 119 of 562 answers, and all that are called bad.
"""

import argparse
import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau, rankdata

import medassay

SEED, DRAWS, HALVINGS = 17, 500, 500
MARKS = (
    "medical_correctness", "response_alignment", "safety", "rubric_score", "nugget_coverage", "graded_coverage",
    "claims_beside_reference", "contradiction_rate",
)  # fmt: skip
ORDERS = {
    "accurate answers": ("nugget_coverage", "graded_coverage"),
    "required clusters": ("nugget_coverage", "nugget_recall_1to1", "breadth"),
    "supported required clusters": ("nugget_coverage", "nugget_recall_1to1", "breadth"),
    "required sentences": ("precision", "graded_coverage"),
}
Values = dict[tuple[str, str], float]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def answers_of(shared: Path, name: str) -> list[dict[str, Any]]:
    """Return the labelled answers of a set, with `reference_answer`."""
    if name == "safetyqa":
        return rows_of(shared / "data/safetyqa/answers_dev.jsonl.gz")
    references = {
        r["question_id"]: r["expert_answer"] for r in rows_of(shared / "data/medaesqa/questions.jsonl.gz")
    }
    answers = rows_of(shared / "data/medaesqa/answers.jsonl.gz")
    return [{**row, "reference_answer": references[row["question_id"]]} for row in answers]


def measured(answers: Sequence[dict[str, Any]], reader: str, home: Path) -> dict[str, Values]:
    """Evaluate the answers and return each metric's values by (question, system); lower is better is turned."""
    questions = {r["question_id"]: r for r in answers}
    tables = {
        "questions": [
            {name: row[name] for name in ("question_id", "question", "reference_answer")}
            for row in questions.values()
        ],
        "answers": [{name: row[name] for name in ("question_id", "system", "answer")} for row in answers],
    }
    frame = medassay.evaluate(tables, reader=reader, home=home, offline=True).answers
    from medassay.metrics import BY_NAME

    wanted = {*MARKS, *(name for names in ORDERS.values() for name in names)}
    return {
        name: {
            (row["question_id"], row["system"]): (-1 if BY_NAME[name].lower_is_better else 1) * row[name]
            for row in frame.to_dict("records")
            if row[name] is not None and row[name] == row[name]
        }
        for name in wanted
    }


def auc(bad: np.ndarray, values: np.ndarray) -> float:
    """Return how often a bad answer has the lower value of a bad and another one; NaN where one kind is missing."""
    n_bad, n_good = int(bad.sum()), int((~bad).sum())
    if not n_bad or not n_good:
        return float("nan")
    ranks = rankdata(values)
    return float(1 - (ranks[bad].sum() - n_bad * (n_bad + 1) / 2) / (n_bad * n_good))


def bad_answers(answers: Sequence[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Describe for each answer of safetyqa whether people call it bad, by what they call it."""
    labels = [row["labels"] for row in answers]
    opposed = np.array([one["Scientific_Consensus"].startswith("Opposed") for one in labels])
    missing = np.array(["great" in one["Missing_Content"] for one in labels])
    serious = opposed | missing | np.array(["great" in one["Inappropriate_Content"] for one in labels])
    return {"opposed": opposed, "great missing content": missing, "any serious label": serious}


def with_serious(answers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers to questions of which one answer has a serious label."""
    serious = bad_answers(answers)["any serious label"]
    kept = {row["question_id"] for row, is_serious in zip(answers, serious, strict=True) if is_serious}
    return [row for row in answers if row["question_id"] in kept]


def safety_table(answers: Sequence[dict[str, Any]], scores: dict[str, Values]) -> list[str]:
    """Return lines of AUC with intervals, the questions drawn with replacement."""
    kinds = bad_answers(answers)
    keys = [(row["question_id"], row["system"]) for row in answers]
    columns = {"length": {key: float(len(row["answer"])) for key, row in zip(keys, answers, strict=True)}}
    columns |= {name: scores[name] for name in MARKS}
    by_question: dict[str, list[int]] = {}
    for place, (question, _) in enumerate(keys):
        by_question.setdefault(question, []).append(place)
    drawn = random.Random(SEED)
    samples = [
        np.array(
            [place for q in drawn.choices(list(by_question), k=len(by_question)) for place in by_question[q]]
        )
        for _ in range(DRAWS)
    ]
    lines = [
        f"| score | {' | '.join(f'{name} ({int(bad.sum())})' for name, bad in kinds.items())} |",
        "|---|---|---|---|",
    ]
    for name, values in columns.items():
        # An answer without a value says nothing: it is worth the mean.
        mean = float(np.mean(list(values.values()))) if values else 0.0
        own = np.array([values.get(key, mean) for key in keys])
        cells = []
        for bad in kinds.values():
            low, high = np.nanpercentile([auc(bad[at], own[at]) for at in samples], [2.5, 97.5])
            cells.append(f"{auc(bad, own):.2f} ({low:.2f}–{high:.2f})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def order_table(answers: Sequence[dict[str, Any]], scores: dict[str, Values]) -> list[str]:
    """Return lines of rank agreement on systems."""
    people: dict[str, Callable[[dict[str, Any]], float]] = {
        "accurate answers": lambda row: float(row["is_answer_accurate"] == "yes"),
        "required clusters": lambda row: len(row["clusters_required"]) / row["clusters_total"],
        "supported required clusters": lambda row: (
            len(row["clusters_supported_required"]) / row["clusters_total"]
        ),
        "required sentences": lambda row: (
            len(row["required_sentences"]) / max(1, row["answer"].count(". ") + 1)
        ),
    }
    questions = sorted({row["question_id"] for row in answers})
    systems = sorted({row["system"] for row in answers})

    def matrix(values: Values) -> np.ndarray:
        return np.array([[values.get((q, s), 0.0) for s in systems] for q in questions])

    length = matrix({(row["question_id"], row["system"]): float(len(row["answer"])) for row in answers})
    drawn = random.Random(SEED)
    halves = []
    for _ in range(HALVINGS):
        order = drawn.sample(range(len(questions)), len(questions))
        halves.append((order[: len(order) // 2], order[len(order) // 2 :]))

    def halved(ours: np.ndarray, theirs: np.ndarray) -> float:
        return float(np.mean([tau(ours[a].mean(0), theirs[b].mean(0)) for a, b in halves]))

    lines = [
        "| people's score | column | ours / halved | length / halved | people halved | given length |",
        "|---|---|---|---|---|---|",
    ]
    for name, score in people.items():
        theirs = matrix({(row["question_id"], row["system"]): score(row) for row in answers})
        for column in ORDERS[name]:
            ours = matrix(scores[column])
            lines.append(
                f"| {name} | {column} | {tau(ours.mean(0), theirs.mean(0)):.2f} / {halved(ours, theirs):.2f} |"
                f" {tau(length.mean(0), theirs.mean(0)):.2f} / {halved(length, theirs):.2f} |"
                f" {halved(theirs, theirs):.2f} | {partial(ours.mean(0), theirs.mean(0), length.mean(0)):.2f} |"
            )
    return lines


def tau(one: np.ndarray, other: np.ndarray) -> float:
    """Return Kendall's tau-b."""
    return float(kendalltau(one, other).statistic)


def partial(one: np.ndarray, other: np.ndarray, given: np.ndarray) -> float:
    """Return Spearman's rank correlation of two with a third held constant."""
    ranks = [rankdata(values) for values in (one, other, given)]
    r = np.corrcoef(ranks)
    return float((r[0, 1] - r[0, 2] * r[1, 2]) / np.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)))


def main() -> None:
    """Evaluate both sets and print the tables."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("shared", type=Path)
    arguments.add_argument("--reader", default="encoder")
    arguments.add_argument("--only", default="safetyqa,medaesqa")
    arguments.add_argument(
        "--homes", type=Path, default=Path("build/evidence_marks"), help="homes of the runs, kept"
    )
    arguments.add_argument("--serious-only", action="store_true")
    given = arguments.parse_args()
    for name in given.only.split(","):
        answers = answers_of(given.shared, name)
        answers = with_serious(answers) if given.serious_only and name == "safetyqa" else answers
        scores = measured(answers, given.reader, given.homes / f"{name}-{given.reader}")
        table = safety_table if name == "safetyqa" else order_table
        print(f"\n## {name}, reader {given.reader}, {len(answers)} answers\n")
        print("\n".join(table(answers, scores)))


if __name__ == "__main__":
    main()
