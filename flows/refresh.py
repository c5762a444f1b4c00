"""Refresh flow: fetch sources again and report retractions, changes and withdrawals."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from prefect import flow, get_run_logger, task
from pydantic import Field

from medassay.flows.artifacts import progress_on_run_page, show_table
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import explained
from medassay.sql.home import home_folder
from medassay.tasks.sources.refreshing import refresh_home

Days = Annotated[float, Field(ge=0.0, le=36_500.0)]


@flow(name="refresh", validate_parameters=True, persist_result=False)
@explained
@with_failure_message
def refresh(  # noqa: D417  what is shared says itself
    older_than: Days = 30.0, wait: bool = True, home: str | None = None
) -> dict[str, Any]:
    """Ask PubMed, PMC and Crossref again about the sources that were fetched: they may be retracted since.

    Finished runs keep what they read; the next run of the same data reads what was learnt. Ends red where some could
    not be asked about.

    Args:
        older_than: Days since a source was last asked about.
    """
    folder = Path(home).absolute() if home else home_folder()
    with progress_on_run_page():
        came = task(name="refresh", persist_result=False)(refresh_home)(
            folder, timedelta(days=older_than), wait=wait
        )
    moved = [{"source": m.source_id, "what": m.what, "title": m.title} for m in came.moved]
    show_table("sources-that-moved", moved, came.said())
    for line in came.left_alone():
        get_run_logger().warning("%s", line)
    came.refuse_silence()
    return {"asked": came.n_asked, "answered": came.n_answered, "new_text": came.n_new_text, "moved": moved}
