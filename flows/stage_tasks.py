"""Stages as Prefect tasks: cached, retried, and shown on the run's page."""

from prefect import task
from prefect.runtime import task_run

from medassay.flows.artifacts import show_validation
from medassay.models.keys import content_key
from medassay.tasks.pipeline import Executor
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Report, Stage, Unfinished
from medassay.tasks.validate import Validation


class PrefectExecutor(Executor):
    """Runs each stage as a task of the flow around it.

    The cache key names the work file, the stage, the run's items and the fingerprint, and the cache is refreshed while
    anything is pending: Prefect's store outlives a deleted work file, and must not answer for it.
    """

    def show_validation(self, validation: Validation) -> None:
        """Show on the run's page what was read and left out."""
        show_validation(validation)

    def run_stage(self, stage: Stage, run: RunRef) -> Report | None:
        """Do what is pending as a task, which asks again for what the world refused."""
        if not stage.make_ready(run):
            return None
        n_items, n_pending, digest = stage.count(run)
        key = content_key([run.warehouse.warehouse_id, stage.name, digest, stage.pin(run)])
        broken: list[Exception] = []

        def do(run_id: str) -> Report:
            last = (task_run.run_count or 1) > stage.retries
            try:
                return stage.run(run, last_attempt=last)
            except Unfinished:
                raise
            except Exception as error:
                broken.append(error)
                raise

        report: Report = task(
            name=stage.name,
            description=stage.work.__doc__,
            cache_key_fn=lambda context, parameters: key,
            refresh_cache=n_pending > 0,
            persist_result=True,
            result_serializer="json",
            retries=stage.retries,
            # Where the disk is full, another attempt would pay for calls that nobody can write down.
            retry_condition_fn=lambda *_: not broken,
            retry_delay_seconds=stage.retry_delay_s,
            retry_jitter_factor=0.2,
            task_run_name=f"{stage.name} · {n_pending} of {n_items} to do" if n_pending else stage.name,
        )(do)(run.run_id)
        if not n_pending:
            stage.reuse(run, n_items)
        return report
