"""Failure messages of flows on Prefect's run page: one line, with a traceback only for internal errors."""

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

from prefect import get_run_logger
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.states import Failed

from medassay.flows.commands.exit_codes import exit_code_of, message_of
from medassay.tasks.stages.stage import Unfinished

F = TypeVar("F", bound=Callable[..., Any])


def with_failure_message(flow: F) -> F:
    """Have a flow end in a state that says what failed and what to do, where the error does.

    Whoever called the flow from Python gets the error itself, as before. Others are faults of ours, and keep their
    traceback.
    """

    @functools.wraps(flow)
    def told(*given: Any, **chosen: Any) -> Any:
        try:
            return flow(*given, **chosen)
        except Exception as error:
            if exit_code_of(error) is None:
                raise
            return ended_red(error)

    return cast(F, told)


def ended_red(error: Exception) -> State[Any]:
    """Show on the run's page what failed, and return the state of a run that ended with this error."""
    said = message_of(error)
    first, *others = said.splitlines()
    get_run_logger().error("%s", said)
    lines = [f"### {first}", "", *(f"- {line.strip()}" for line in others)]
    create_markdown_artifact(key="what-failed", markdown="\n".join(lines), description=first)
    return Failed(message=said, data=error)


class WithoutTraceback(logging.Filter):
    """Lets the engine's words about an error that says what to do pass without their traceback, or not at all."""

    def __init__(self, *, silent: bool) -> None:
        super().__init__()
        self.silent = silent

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is shown."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is None or not (isinstance(error, Unfinished) or exit_code_of(error)):
            return True
        record.exc_info, record.exc_text = None, None
        return not self.silent


# A flow's last state says it already; of a task's, the line that names the task stays.
logging.getLogger("prefect.flow_runs").addFilter(WithoutTraceback(silent=True))
logging.getLogger("prefect.task_runs").addFilter(WithoutTraceback(silent=False))
