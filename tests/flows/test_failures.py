"""A run that ends red names what failed in one line; a fault of ours keeps its traceback."""

import logging
from typing import Any

import pytest

from tasks.run import BadData

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]
SAID = "answers.jsonl: no such file\nquestions.jsonl: no such file either"


def ended(error: Exception, in_task: bool) -> tuple[Any, Exception | None]:
    """Run a flow that meets an error; return its last state and what its caller gets."""
    from prefect import flow, task

    from flows.failures import told_plainly

    def fail() -> None:
        raise error

    @flow(name="ends-red", persist_result=False)
    @told_plainly
    def ends_red() -> None:
        task(name="look", persist_result=False)(fail)() if in_task else fail()

    raised = None
    try:
        ends_red()
    except Exception as found:
        raised = found
    return ends_red(return_state=True), raised


@pytest.mark.parametrize("in_task", [False, True])
def test_what_failed_is_one_line_of_the_page(in_task: bool, caplog: pytest.LogCaptureFixture) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

    # What the worker's engine says, beside the flow's own lines, of the error that comes out of a red run.
    flow_log, error = logging.getLogger("prefect.flow_runs"), BadData(SAID)
    with caplog.at_level(logging.ERROR, logger="prefect"):
        for name in ("prefect.flow_runs", "prefect.task_runs"):
            logging.getLogger(name).addHandler(caplog.handler)
        try:
            state, raised = ended(error, in_task)
            flow_log.error("Engine execution exited with unexpected exception", exc_info=error)
        finally:
            for name in ("prefect.flow_runs", "prefect.task_runs"):
                logging.getLogger(name).removeHandler(caplog.handler)
    assert (state.name, state.message) == ("Failed", SAID)
    assert raised is error
    assert "Traceback" not in caplog.text
    assert "Engine execution" not in caplog.text
    with get_client(sync_client=True) as client:
        made = client.read_artifacts(
            artifact_filter=ArtifactFilter(
                flow_run_id=ArtifactFilterFlowRunId(any_=[state.state_details.flow_run_id])
            )
        )
    assert [(one.key, one.description, one.data) for one in made] == [
        (
            "what-failed",
            "answers.jsonl: no such file",
            "### answers.jsonl: no such file\n\n- questions.jsonl: no such file either",
        )
    ]


def test_a_fault_of_ours_keeps_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    flow_log = logging.getLogger("prefect.flow_runs")
    flow_log.addHandler(caplog.handler)
    try:
        state, raised = ended(ZeroDivisionError("a fault"), in_task=False)
    finally:
        flow_log.removeHandler(caplog.handler)
    assert (state.name, str(raised)) == ("Failed", "a fault")
    assert "Traceback" in caplog.text
