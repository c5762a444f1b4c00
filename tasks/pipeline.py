"""The order of a run, once for all; an executor says how its steps are carried out."""

from pathlib import Path

from medassay.models.settings import Settings
from medassay.models.weights.hub import hub_closed
from medassay.tasks.aggregate import aggregate
from medassay.tasks.ingest import ingest
from medassay.tasks.phi import PhiFound, refuse_phi
from medassay.tasks.publish import publish_snapshot, write_report
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.spending.caps import check_prices
from medassay.tasks.stages.order import STAGES
from medassay.tasks.stages.stage import Report, Stage
from medassay.tasks.summary import Summary, summarise
from medassay.tasks.validate import Validation, validate


class Executor:
    """Carries out the steps of a run in this process, plainly; others replace what they do in another way.

    Attributes:
        keeps: Whether what is written stays; a rehearsal's is undone at its end.
    """

    keeps = True

    def show_validation(self, validation: Validation) -> None:
        """Show what was read and what was left out."""

    def handle_phi(self, run: RunRef, found: PhiFound) -> None:
        """End the run where a text that may name a patient would leave the machine."""
        raise found

    def run_stage(self, stage: Stage, run: RunRef) -> Report | None:
        """Do what is pending of a stage; None where the run asks nothing of it."""
        return stage.run(run) if stage.make_ready(run) else None

    def finish(self, run: RunRef) -> None:
        """Freeze the results."""
        aggregate(run)


IN_PROCESS = Executor()


def execute(run: RunRef, executor: Executor = IN_PROCESS) -> None:
    """Take a started run from its data to its frozen results.

    Raises:
        IntakeError, BadData: when the data cannot be evaluated.
        PhiFound: under `block`, when a text that may name a patient would leave the machine.
    """
    ingest(run)
    executor.show_validation(validate(run, rehearsed=not executor.keeps))
    try:
        refuse_phi(run)
    except PhiFound as found:
        executor.handle_phi(run, found)
    for stage in STAGES:
        executor.run_stage(stage, run)
        if executor.keeps:
            stage.settle(run)
    executor.finish(run)


def evaluate(
    home: Path, settings: Settings, executor: Executor = IN_PROCESS, *, wait: bool = True
) -> Summary:
    """Evaluate data as a run of its own, publish its results, and say what came out.

    Raises:
        UsageError: when money is limited and a price is not known.
        HomeBusy: when another run holds the home and `wait` is off.
        IntakeError, BadData, PhiFound: as `execute`.
    """
    check_prices(settings, home)
    with hub_closed(settings.offline), started_run(home, settings, wait=wait) as run:
        execute(run, executor)
        return publish(run)


def publish(run: RunRef) -> Summary:
    """Publish a finished run's results and its report, and say what came out."""
    snapshot = publish_snapshot(run)
    return summarise(run, snapshot, write_report(Path(run.home), run.run_id))
