"""The judge's verdicts on criteria against physicians' marks of them."""

from collections.abc import Iterator

from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.people.human_scores import measured
from medassay.tasks.people.nugget_labels import Labelled, gathered, of_labels

CRITERIA = Labelled("criterion_label", "criterion_met", "criterion")
OUR_LABELS = {"true": "met", "false": "not met"}
_LABELS = {
    **dict.fromkeys(("true", "yes", "1"), "met"),
    **dict.fromkeys(("false", "no", "0", "not_met", "unmet"), "not met"),
}


def of_criteria(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Measure the verdicts of a run against people's marks of the same criteria of the same answers."""
    rows = measured(
        warehouse.rows(statement("statements/people/criterion_marks/of_criteria"), {"run_id": run_id})
    )
    return of_labels(gathered(rows, OUR_LABELS, _LABELS, CRITERIA))
