"""Blinded pairs of evaluations by two judges: export without names, import with the key."""

import json
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.keys import content_key
from medassay.models.people.sheets import PREFERENCES, SheetUnreadable
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.finished_runs import FinishedRun
from medassay.tasks.people.score_import import Taken, take_preferences

MARKS = (*SUB_METRICS, "justification")


def new_nonce() -> str:
    """Return what makes the names of items unguessable: it is kept with the key."""
    return secrets.token_hex(16)


def blind_item(nonce: str, question_id: str, system: str) -> str:
    """Name a case so that nobody without the key can tell which it is; a letter first, so that it is no number."""
    return "b" + content_key([nonce, question_id, system])[:12]


def lefts(n: int, seed: int) -> list[bool]:
    """Return for each of n cases whether the first evaluation stands left: half of them, drawn by the seed."""
    sides = [place % 2 == 0 for place in range(n)]
    random.Random(seed).shuffle(sides)
    return sides


def shuffled(items: Sequence[str], seed: int) -> list[str]:
    """Return items in an order that says nothing of where they came from."""
    order = sorted(items)
    random.Random(seed).shuffle(order)
    return order


@dataclass(frozen=True, slots=True)
class Pairs:
    """The rows of a blinded sheet, the key to it, and how many cases only one of the two evaluated."""

    rows: tuple[Row, ...]
    key: tuple[Row, ...]
    n_single: int


def export_pairs(
    warehouse: Warehouse, first: FinishedRun, second: FinishedRun, seed: int, most: int | None
) -> Pairs:
    """Pair the two runs' evaluations of the same answers; sides are drawn by the seed, half of them each way.

    Raises:
        UsageError: when the runs are of different data, of the same judge and prompt, or share no evaluated answer.
    """
    if first.dataset != second.dataset:
        raise UsageError(f"run {first.run_id} is of {first.dataset}, run {second.run_id} of {second.dataset}")
    cases = warehouse.rows(
        f"""
        with judged as (
            select judgement.*, answer.text_key
            from mart.judgement as judgement
            join mart.answer as answer using (run_id, question_id, system)
            where judgement.status = 'scored' and judgement.sample_no = 0
            -- Of a panel the first judge by name speaks.
            qualify row_number() over (
                partition by judgement.run_id, judgement.question_id, judgement.system order by judgement.judge
            ) = 1
        )
        select
            a.question_id, a.system, question.question, text.text as answer, a.judge as judge_a, b.judge as judge_b,
            {", ".join(f"a.{name} as {name}_a, b.{name} as {name}_b" for name in MARKS)}
        from judged as a
        join judged as b using (question_id, system, text_key)
        join mart.question as question on question.run_id = a.run_id and question.question_id = a.question_id
        join text using (text_key)
        where a.run_id = $first and b.run_id = $second
        order by a.question_id, a.system
        """,
        {"first": first.run_id, "second": second.run_id},
    )
    if not cases:
        raise UsageError(
            f"runs {first.run_id} and {second.run_id} have no evaluated answer in common: evaluate the same data"
            " with two judges"
        )
    if all([case[f"{name}_a"] == case[f"{name}_b"] for case in cases for name in MARKS]):
        raise UsageError("the two runs' evaluations are the same, word for word: evaluate with another judge")
    nonce = new_nonce()
    by_item = {blind_item(nonce, case["question_id"], case["system"]): case for case in cases}
    order = shuffled(list(by_item), seed)[:most]
    rows, key = [], []
    for item, a_is_left in zip(order, lefts(len(order), seed), strict=True):
        case = by_item[item]
        left, right = ("a", "b") if a_is_left else ("b", "a")
        rows.append(
            {
                "item": item,
                "question": case["question"],
                "answer": case["answer"],
                **{f"left_{name}": case[f"{name}_{left}"] for name in MARKS},
                **{f"right_{name}": case[f"{name}_{right}"] for name in MARKS},
            }
        )
        key.append(
            {
                "item": item,
                "dataset": first.dataset,
                "question_id": case["question_id"],
                "system": case["system"],
                "run_a": first.run_id,
                "run_b": second.run_id,
                "judge_a": case["judge_a"],
                "judge_b": case["judge_b"],
                "side_of_a": "left" if a_is_left else "right",
                "seed": seed,
            }
        )
    counted = warehouse.rows(
        "select count(distinct (question_id, system)) as n from mart.judgement where run_id in (?, ?) group by run_id",
        [first.run_id, second.run_id],
    )
    n_all = max(row["n"] for row in counted)
    return Pairs(tuple(rows), tuple(key), n_all - len(cases))


def write_key(path: Path, key: Sequence[Row]) -> None:
    """Write the key where only its owner can read it."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in key), encoding="utf-8")


def read_key(path: Path) -> dict[str, Row]:
    """Read a key by item.

    Raises:
        UsageError: when it is missing or no key.
    """
    needed = {"item", "dataset", "question_id", "system", "run_a", "run_b", "judge_a", "judge_b", "side_of_a"}
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        if not rows or any(not needed <= row.keys() for row in rows):
            raise ValueError
    except FileNotFoundError:
        raise UsageError(f"{path}: no such key; `medassay blind export` wrote it with --key") from None
    except (ValueError, AttributeError, RecursionError):
        raise UsageError(f"{path}: not a key that `medassay blind export` wrote") from None
    return {row["item"]: row for row in rows}


def import_pairs(
    warehouse: Warehouse, key: dict[str, Row], sides: dict[str, dict[str, str]], annotator: str
) -> Taken:
    """Take in what one annotator prefers, sides turned back into judges.

    Raises:
        SheetUnreadable: naming items that the key does not know.
    """
    problems = [f"item {item}: not in the key; is it another sheet's?" for item in sides if item not in key]
    if problems:
        raise SheetUnreadable(problems)
    columns = ("dataset", "question_id", "system", "run_a", "run_b", "judge_a", "judge_b", "side_of_a")
    return take_preferences(
        warehouse,
        [
            {
                **{name: key[item][name] for name in columns},
                "annotator": annotator,
                "field": field,
                "preferred": "tie" if side == "tie" else "a" if side == key[item]["side_of_a"] else "b",
            }
            for item, fields in sides.items()
            for field, side in fields.items()
        ],
    )


def shares(warehouse: Warehouse, run_a: str, run_b: str) -> list[dict[str, Any]]:
    """Return how often each is preferred, field by field: over all annotators and for each, with the spread between."""
    found = []
    for field in (*PREFERENCES, "all"):
        rows = warehouse.rows(
            statement("statements/people/blinding/shares"), {"a": run_a, "b": run_b, "field": field}
        )
        if rows:
            values = [row["share_a"] for row in rows]
            mean = sum(values) / len(values)
            spread = (
                (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5 if len(values) > 1 else None
            )
            total = {name: sum(row[name] for row in rows) for name in ("n", "a", "tie", "b")}
            found += [{"field": field, **row, "spread": None} for row in rows]
            found.append({"field": field, "annotator": "all", "share_a": mean, **total, "spread": spread})
    return found
