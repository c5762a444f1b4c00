"""Flow of a worker: evaluate one part of somebody's run."""

from prefect import flow

from medassay.flows.engines.prefect_pool import FLOW
from medassay.tasks.parts import evaluating


@flow(name=FLOW, validate_parameters=True, persist_result=False, retries=2, retry_delay_seconds=5)
def evaluate_part(part: str) -> None:
    """Evaluate a part of a run that was started with `--on prefect:POOL`, in a warehouse of its own.

    Args:
        part: Folder of the part: a path that both machines see, or s3://, gs://, abfs:// …
    """
    evaluating.evaluate_part(part)
