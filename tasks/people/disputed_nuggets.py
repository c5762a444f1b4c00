"""Nuggets in dispute: which they are, and what people decide of them as labels."""

from medassay.models.people.aspects import NUGGET_STATES
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.finished_runs import FinishedRun
from medassay.tasks.people.annotating import Role, answer_item
from medassay.tasks.people.clicks import Scores
from medassay.tasks.people.nugget_labels import NUGGETS

NUGGET = "nugget:"
"""Before a nugget's id: what is decided of a disputed nugget, one more than the place of its state."""
DISPUTED = "(ambiguous or conflict or signals_state is distinct from model_state and model_state is not null)"
"""Condition on `nugget_states`: rules and model differ, or two claims are about as near."""


def of_answers(scores: Scores) -> Scores:
    """Return the scores of whole answers."""
    kept = {
        item: {aspect: score for aspect, score in aspects.items() if not aspect.startswith(NUGGET)}
        for item, aspects in scores.items()
    }
    return {item: aspects for item, aspects in kept.items() if aspects}


def of_nuggets(
    warehouse: Warehouse, run: FinishedRun, scores: Scores, annotator: str, role: Role
) -> list[Row]:
    """Return what was decided of nuggets as rows of human scores, a label each."""
    given = {
        (item, aspect.removeprefix(NUGGET)): NUGGET_STATES[int(score) - 1][0]
        for item, aspects in scores.items()
        for aspect, score in aspects.items()
        if aspect.startswith(NUGGET)
    }
    if not given:
        return []
    rows = warehouse.rows(
        "select question_id, system, nugget_id, nugget from nugget_states where run_id = ?", [run.run_id]
    )
    shared = {"annotator": annotator, "metric": NUGGETS.human_metric, "target": "nugget", "role": role}
    return [
        {
            "question_id": row["question_id"],
            "system": row["system"],
            **shared,
            "item": row["nugget"],
            "label": label,
        }
        for row in rows
        if (
            label := given.get(
                (answer_item(run.dataset, row["question_id"], row["system"]), row["nugget_id"])
            )
        )
    ]
