"""Evaluation without Prefect: the same stages and rows, for the library and for checks."""

from medassay.tasks.aggregate import aggregate
from medassay.tasks.ingest import ingest
from medassay.tasks.phi import refuse_phi
from medassay.tasks.run import RunRef
from medassay.tasks.stages.order import STAGES
from medassay.tasks.validate import validate


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
