"""Labels in words that people gave answers: agreement among themselves, and why no metric is held against them."""

from collections.abc import Iterator

import numpy as np

from medassay.models.people.labels import plain_word
from medassay.models.statistics.bootstrap import Estimate
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.people.among_people import alpha_among
from medassay.tasks.people.human_scores import HUMANS, agreement_row, measured

NOT_HELD = (
    "words, and our metrics give numbers: none is held against them; scores would be (yes as 1, no as 0)"
)


def of_answer_labels(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Yield Krippendorff's α (nominal) of each human metric that has words and no scores, NULL for one annotator."""
    rows = warehouse.rows(statement("statements/people/answer_labels/answer_labels"), {"run_id": run_id})
    for metric in dict.fromkeys(row["metric"] for row in rows):
        yield _among(metric, measured([row for row in rows if row["metric"] == metric]))


def _among(metric: str, rows: list[Row]) -> Row:
    names = sorted({row["annotator"] for row in rows})
    items = {item: n for n, item in enumerate(dict.fromkeys(map(_item, rows)))}
    words = {word: n for n, word in enumerate(sorted({plain_word(row["label"]) for row in rows}))}
    ratings = np.full((len(names), len(items)), np.nan)
    for row in rows:
        ratings[names.index(row["annotator"]), items[_item(row)]] = words[plain_word(row["label"])]
    if len(names) > 1:
        found = alpha_among(ratings, "nominal")
    else:
        found = Estimate(None, None, None, 0, f"all {len(rows)} labels are {names[0]}'s")
    row = agreement_row(metric, HUMANS, "answer", "Krippendorff's α", found)
    return {**row, "reason": "; ".join(filter(None, (found.reason, NOT_HELD)))}


def _item(row: Row) -> tuple[str, str, str]:
    return row["question_id"], row["system"], row["item"]
