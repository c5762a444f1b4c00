"""What asking the systems took → the costs of the run that read their answers."""

from pathlib import Path

from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Row, Warehouse, statement, warehouse_at
from medassay.tasks.answering.answer_folder import Answered
from medassay.tasks.answering.answers import STAGE
from medassay.tasks.run import HomeBusy, RunRef, home_lock
from medassay.tasks.spending.late import count_late

# The home was held while they were asked, so that nobody else's calls lie between.
OF_NO_RUN = "run_id is null and stage = $stage and {} between $began_at and $ended_at"


def charge_run(home: Path, answered: Answered) -> str | None:
    """Count the calls for these answers to the run that read them, and publish; return the run, None where it is free.

    Where nothing was asked anew there is nothing to count. What no finished run read stays in `other_costs`.
    """
    try:
        with home_lock(home, "(answers)", wait=False):
            return _charged(home, answered)
    except HomeBusy:
        # The run is published; whoever holds the home now may do so for hours.
        return None


def _charged(home: Path, answered: Answered) -> str | None:
    warehouse = warehouse_at(home)
    run_id = warehouse.value(
        "select run_id from run where data = ? and state = 'finished' and started_at >= ?"
        " order by started_at desc limit 1",
        [str(Path(answered.folder).resolve()), answered.began_at],
    )
    asked: Row = {"stage": STAGE, "began_at": answered.began_at, "ended_at": answered.ended_at}
    if run_id is None or not warehouse.value(
        f"select count(*) from model_call where {OF_NO_RUN.format('asked_at')}", asked
    ):
        return None
    with warehouse.transaction():
        _hand_over(warehouse, str(run_id), asked)
        count_late(RunRef(str(home), str(run_id)), STAGE)
    publish(warehouse, home, str(run_id))
    return str(run_id)


def _hand_over(warehouse: Warehouse, run_id: str, asked: Row) -> None:
    """Have calls that belonged to no run belong to one, at the prices of the time."""
    warehouse.execute(
        statement("statements/answering/charging/hand_over"),
        {"run_id": run_id, "began_at": asked["began_at"], "ended_at": asked["ended_at"]},
    )
    for table, moment in (("model_call", "asked_at"), ("phi_audit", "checked_at")):
        warehouse.execute(
            f"update {table} set run_id = $run_id where {OF_NO_RUN.format(moment)}",
            {"run_id": run_id, **asked},
        )
