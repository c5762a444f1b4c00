"""What a run asked of models beside its stages, counted to it after its results were frozen."""

from medassay.tasks.run import RunRef


def count_late(run: RunRef, stage: str) -> None:
    """Freeze what a finished run's calls of a stage cost; what was frozen of that stage before is replaced."""
    warehouse = run.warehouse
    warehouse.execute("delete from mart.cost where run_id = ? and stage = ?", [run.run_id, stage])
    warehouse.execute(
        "insert into mart.cost by name from new_cost where run_id = ? and stage = ?", [run.run_id, stage]
    )
