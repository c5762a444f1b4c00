"""An evaluation without Prefect: the same rows, for checks that need no page and no retries."""

from tasks.aggregate import aggregate
from tasks.ingest import ingest
from tasks.order import STAGES
from tasks.run import RunRef
from tasks.validate import validate


def measure(run: RunRef) -> None:
    """Take a started run from its data to its frozen results."""
    ingest(run)
    validate(run)
    for stage in STAGES:
        stage.plainly(run)
    aggregate(run)
