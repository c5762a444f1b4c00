"""A run that ends red names what failed in one line; a fault of ours keeps its traceback."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from medassay.tasks.run import BadData

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]
SAID = "answers.jsonl: no such file\nquestions.jsonl: no such file either"


def ended(error: Exception, in_task: bool) -> tuple[Any, Exception | None]:
    """Run a flow that meets an error; return its last state and what its caller gets."""
    from prefect import flow, task

    from medassay.flows.failures import with_failure_message

    def fail() -> None:
        raise error

    @flow(name="ends-red", persist_result=False)
    @with_failure_message
    def ends_red() -> None:
        task(name="look", persist_result=False)(fail)() if in_task else fail()

    raised = None
    try:
        ends_red()
    except Exception as found:
        raised = found
    return ends_red(return_state=True), raised


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Hear what Prefect's loggers of runs say, however quiet the tests' server is."""
    from prefect import flow

    flow(name="sets-up-logging", persist_result=False)(lambda: None)()
    loggers = [logging.getLogger(name) for name in ("prefect.flow_runs", "prefect.task_runs")]
    for logger in loggers:
        caplog.set_level(logging.ERROR, logger=logger.name)
        logger.addHandler(caplog.handler)
    yield caplog
    for logger in loggers:
        logger.removeHandler(caplog.handler)


@pytest.mark.parametrize("in_task", [False, True])
def test_what_failed_is_one_line_of_the_page(in_task: bool, heard: pytest.LogCaptureFixture) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

    error = BadData(SAID)
    state, raised = ended(error, in_task)
    # What the worker's engine says, beside the flow's own lines, of the error that comes out of a red run.
    logging.getLogger("prefect.flow_runs").error("Engine execution exited", exc_info=error)
    assert (state.name, state.message) == ("Failed", SAID)
    assert raised is error
    assert {one.getMessage() for one in heard.records if one.name == "prefect.flow_runs"} == {SAID}
    assert {one.exc_info for one in heard.records} == {None}
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


def test_a_fault_of_ours_keeps_its_traceback(heard: pytest.LogCaptureFixture) -> None:
    state, raised = ended(ZeroDivisionError("a fault"), in_task=False)
    assert (state.name, str(raised)) == ("Failed", "a fault")
    assert "Traceback" in heard.text
