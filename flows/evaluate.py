"""Evaluation flow: nuggets, citations and rubric of a data set's answers, stage by stage."""

from pathlib import Path
from typing import Any

from prefect import flow

from medassay.flows.artifacts import progress_on_run_page, show_gate, show_results, show_validation
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import with_options
from medassay.models.gate.config import read_config
from medassay.models.hub import hub_closed
from medassay.models.settings import Settings
from medassay.sql.home import home_folder
from medassay.tasks.aggregate import aggregate
from medassay.tasks.citations.pool import refuse_without_worker
from medassay.tasks.gating import gate_home
from medassay.tasks.ingest import ingest
from medassay.tasks.phi import refuse_phi
from medassay.tasks.publish import publish_snapshot, write_report
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.spending.caps import check_prices
from medassay.tasks.stages.order import STAGES
from medassay.tasks.summary import Summary, refuse_too_many_failures, summarise
from medassay.tasks.validate import validate


@flow(name="evaluate", validate_parameters=True, persist_result=False)
@with_failure_message
@with_options
def evaluate(  # noqa: D417  what the options say of themselves is added
    *,
    settings: Settings,
    gate: str | None = None,
    gate_baseline: str | None = None,
    wait: bool = True,
    home: str | None = None,
) -> dict[str, Any]:
    """Measure a file or folder of biomedical answers and publish the results.

    Args:
        gate: TOML file with the table `[gate]`: the run ends red where its answers break a rule or bound in it.
        gate_baseline: Baseline that the run is held against there; the file's own unless given.
    """
    gate_config = read_config(Path(gate)) if gate else None
    folder = Path(home).absolute() if home else home_folder()
    check_prices(settings, folder)
    with (
        hub_closed(settings.offline),
        progress_on_run_page(),
        started_run(folder, settings, wait=wait) as run,
    ):
        refuse_without_worker(run)
        ingest(run)
        show_validation(validate(run))
        refuse_phi(run)
        for stage in STAGES:
            stage(run)
        aggregate(run)
        summary = published(run)
    held = (
        gate_home(folder, summary.run_id, gate_config, gate, gate_baseline) if gate_config and gate else None
    )
    if held is not None:  # a record is false where the gate is not passed
        show_gate(held)
    refuse_too_many_failures(summary, settings.max_failed)
    if held is not None:
        held.assert_passed()
    return summary.as_dict()


def published(run: RunRef) -> Summary:
    """Publish a finished run and say what came out."""
    snapshot = publish_snapshot(run)
    report = write_report(Path(run.home), run.run_id)
    summary = summarise(run, snapshot, report)
    show_results(summary)
    return summary
