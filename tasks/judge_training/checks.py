"""What experts said of evaluations, in the warehouse: sheets' answers in, and all that holds now out."""

from collections.abc import Mapping, Sequence

from medassay.models.judge_training.experts import item_of
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.people.sheets import SheetUnreadable
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.people.score_import import Taken, take_case_checks

Checks = dict[str, dict[str, dict[str, bool]]]


def import_checks(
    warehouse: Warehouse,
    cases: Sequence[EvaluationCase],
    said: Mapping[str, Mapping[str, bool]],
    expert: str,
) -> Taken:
    """Store what one expert said, by item and criterion; what is said again replaces the old, which is kept.

    Raises:
        SheetUnreadable: for an item that is no case of this data.
    """
    by_item = {item_of(case): case.case_id for case in cases}
    if unknown := sorted(said.keys() - by_item.keys()):
        more = f", nor are {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise SheetUnreadable(
            [f"item {unknown[0]} is no case of this data{more}; is it another folder's sheet?"]
        )
    rows: list[Row] = [
        {"case_id": by_item[item], "expert": expert, "criterion": criterion, "passes": passes}
        for item, checks in said.items()
        for criterion, passes in checks.items()
    ]
    return take_case_checks(warehouse, rows)


def stored_checks(warehouse: Warehouse) -> Checks:
    """Return what holds now: by case, expert and criterion, whether it passes."""
    found: Checks = {}
    for row in warehouse.rows("select case_id, expert, criterion, passes from judge_case_check"):
        found.setdefault(row["case_id"], {}).setdefault(row["expert"], {})[row["criterion"]] = row["passes"]
    return found
