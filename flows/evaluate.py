"""Evaluation flow: nuggets, citations and rubric of a data set's answers, stage by stage."""

from pathlib import Path
from typing import Any

from prefect import flow

from medassay.flows.artifacts import progress_on_run_page, show_gate, show_results, show_validation
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import (
    Amount,
    AtLeastOne,
    DataPath,
    JudgeSpec,
    LocalModel,
    Metrics,
    ModelSpec,
    Money,
    Name,
    ReaderSpec,
    Share,
    SortBy,
    explained,
)
from medassay.models.gate.config import read_config
from medassay.models.hub import hub_closed
from medassay.models.settings import PRIMARY, EntailOn, Matcher, Phi, Profile, Settings
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
@explained
@with_failure_message
def evaluate(  # noqa: D417  what the settings say of themselves is added
    data: DataPath,
    profile: Profile = "seed",
    judge: JudgeSpec = "evidence",
    llm: ModelSpec = "none",
    embedder: LocalModel = "embedded",
    entailment: ReaderSpec = "auto",
    matcher: Matcher = "combined",
    threshold: Share = 0.75,
    supports_at: Share = 0.5,
    contradicts_at: Share = 0.5,
    offline: bool = False,
    max_failed: Share = 0.02,
    sort_by: SortBy = "nugget_coverage",
    primary: Metrics = PRIMARY,
    run_name: Name | None = None,
    dataset: Name | None = None,
    retry: bool = False,
    samples: AtLeastOne = 1,
    listwise: bool = False,
    criteria_per_call: AtLeastOne = 8,
    phi: Phi = "block",
    max_calls: Amount | None = None,
    max_tokens: Amount | None = None,
    max_money: Money | None = None,
    prices: str | None = None,
    entail_on: EntailOn = "here",
    columns: tuple[str, ...] = (),
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
    chosen = Settings(
        data,
        profile,
        judge,
        llm,
        embedder,
        entailment,
        matcher,
        threshold,
        supports_at=supports_at,
        contradicts_at=contradicts_at,
        offline=offline,
        max_failed=max_failed,
        sort_by=sort_by,
        primary=primary,
        run_name=run_name,
        dataset=dataset,
        retry=retry,
        samples=samples,
        phi=phi,
        listwise=listwise,
        criteria_per_call=criteria_per_call,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_money=max_money,
        prices=prices,
        entail_on=entail_on,
        columns=columns,
    )
    folder = Path(home).absolute() if home else home_folder()
    check_prices(chosen, folder)
    with hub_closed(offline), progress_on_run_page(), started_run(folder, chosen, wait=wait) as run:
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
    refuse_too_many_failures(summary, max_failed)
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
