"""Evaluation flow: nuggets, citations and rubric of a data set's answers, stage by stage."""

from pathlib import Path
from typing import Any

from prefect import flow

from medassay.flows.artifacts import progress_on_run_page, show_gate, show_results
from medassay.flows.engines import with_engine
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import with_form, with_options
from medassay.flows.stage_tasks import PrefectExecutor
from medassay.models.gate.config import read_config
from medassay.models.settings import Settings
from medassay.sql.home import home_folder
from medassay.tasks import pipeline
from medassay.tasks.gating import gate_home
from medassay.tasks.summary import refuse_too_many_failures


@with_form
@flow(name="evaluate", validate_parameters=True, persist_result=False)
@with_failure_message
@with_options(gates=("gate", "gate_baseline"))
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
        gates: Rules and bounds that the answers have to keep to.
        gate: TOML file with the table `[gate]`: the run ends red where its answers break a rule or bound in it.
        gate_baseline: Baseline that the run is held against there; the file's own unless given.
    """
    gate_config = read_config(Path(gate)) if gate else None
    folder = Path(home).absolute() if home else home_folder()
    executor = with_engine(PrefectExecutor(), settings, folder)
    with progress_on_run_page():
        summary = pipeline.evaluate(folder, settings, executor, wait=wait)
    show_results(summary)
    held = (
        gate_home(folder, summary.run_id, gate_config, gate, gate_baseline) if gate_config and gate else None
    )
    if held is not None:  # a record is false where the gate is not passed
        show_gate(held)
    refuse_too_many_failures(summary, settings.max_failed)
    if held is not None:
        held.assert_passed()
    return summary.as_dict()
