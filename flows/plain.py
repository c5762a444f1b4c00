"""An evaluation without Prefect: the same stages and rows, for the library and for checks."""

from tasks.aggregate import aggregate
from tasks.ingest import ingest
from tasks.order import STAGES
from tasks.phi import refuse_phi
from tasks.run import RunRef
from tasks.validate import validate


def measure(run: RunRef) -> None:
    """Take a started run from its data to its frozen results.

    Raises:
        IntakeError, BadData: when the data cannot be evaluated.
        PhiFound: under `block`, when a text that may name a patient would leave the machine.
    """
    ingest(run)
    validate(run)
    refuse_phi(run)
    for stage in STAGES:
        stage.plainly(run)
    aggregate(run)
