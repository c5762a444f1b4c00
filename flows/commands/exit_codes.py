"""Exit codes and error output of commands: one line a problem."""

import errno
import json
import math
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from shutil import disk_usage
from typing import Any, NoReturn

import click

OVER_MAX_FAILED, BAD_INPUT, COULD_NOT_RUN, INSUFFICIENT_EVIDENCE = 1, 2, 3, 4
_BY_SIGNAL = 128
"""What shells say of a process that a signal ended, with the signal's number added."""
INTERRUPTED = _BY_SIGNAL + signal.SIGINT
WHAT_TO_DO = {
    errno.ENOENT: "check the path (the folder of a file to write has to be there)",
    errno.EEXIST: "a folder is needed there: name another place",
    errno.ENOTDIR: "a part of the path is a file: name another place",
    errno.EISDIR: "a file is needed there: name one in the folder",
    errno.EACCES: "check its rights, or name another place",
    errno.EPERM: "check its rights, or name another place",
    errno.EROFS: "nothing can be written there: name another place",
    errno.ENOSPC: "make room on the disk, and give the same command again",
}
"""What a person can do about the system's errors."""


class Terminated(KeyboardInterrupt):
    """The command was asked to end by a signal, as `timeout`, containers, schedulers and closed terminals do."""


_heard: list[int] = []
"""The signals that asked the command to end; DuckDB and others may swallow what was raised for them."""


def install_signal_handlers() -> None:
    """Have SIGTERM, and the hang-up of a terminal that is closed, end a command as Ctrl-C does: with one line."""

    def end(number: int, _: Any) -> NoReturn:
        _heard.append(number)
        raise Terminated

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` means it
            signal.signal(number, end)


def stop(message: str, code: int) -> NoReturn:
    """Print one clear line a problem and end with the exit code."""
    from medassay.flows.terminal.console import visible

    for line in message.splitlines():
        click.echo(visible(line), err=True)
    raise SystemExit(code)


def exit_code_of(error: BaseException) -> int | None:
    """Return the exit code of an error that a person can act on, whose message says how; None for a fault of ours."""
    from medassay.flows.engine import ServerUnavailable
    from medassay.flows.engines.prefect_pool import EngineUnavailable
    from medassay.models.chat.local.local_server import LocalServerError
    from medassay.models.embedder_folder import EmbedderUnavailable
    from medassay.models.gate.record import GateFailed, InsufficientEvidence
    from medassay.models.intake import IntakeError
    from medassay.models.judge_training.launching import TrainingFailed
    from medassay.models.nli.labels import EntailmentUnavailable, SelfTestFailed, UnknownLabels
    from medassay.models.rationales.bertscore import RationaleModelUnavailable
    from medassay.models.specs import SpecError
    from medassay.models.usage import UsageError
    from medassay.models.weights import ModelMissing, PullFailed, UnknownModel, WrongDigest
    from medassay.models.weights.hub import HubFolderMissing
    from medassay.sql.home import WarehouseError
    from medassay.sql.snapshot import NothingPublished
    from medassay.tasks.comparing.regressions import Regressed
    from medassay.tasks.parts.part import PartRefused
    from medassay.tasks.phi import PhiFound
    from medassay.tasks.run import BadData, HomeBusy
    from medassay.tasks.sources.refreshing import Unanswered
    from medassay.tasks.summary import TooManyFailed

    codes: dict[int, tuple[type[BaseException], ...]] = {
        INSUFFICIENT_EVIDENCE: (InsufficientEvidence,),
        OVER_MAX_FAILED: (TooManyFailed, Regressed, Unanswered, GateFailed),
        BAD_INPUT: (BadData, IntakeError, UsageError, SpecError, UnknownModel),
        COULD_NOT_RUN: (
            PhiFound, HomeBusy, WarehouseError, NothingPublished, ModelMissing, WrongDigest, PullFailed,
            EmbedderUnavailable, EntailmentUnavailable, SelfTestFailed, UnknownLabels, EngineUnavailable, PartRefused,
            TrainingFailed, RationaleModelUnavailable, LocalServerError, HubFolderMissing, ServerUnavailable, OSError,
        ),
    }  # fmt: skip
    meant = _meant(error)
    return next((code for code, kinds in codes.items() if isinstance(meant, kinds)), None)


def message_of(error: BaseException) -> str:
    """Return what an error says to a person; the system's own say which file it is about."""
    error = _meant(error)
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename or _full_disk() or 'the system'}: {error.strerror}"
        return f"{said}; {WHAT_TO_DO[error.errno]}" if error.errno in WHAT_TO_DO else said
    return str(error) or type(error).__name__


def _full_disk() -> str | None:
    """Return which place of ours takes no more, where the system said that one does and left out which."""
    from medassay.sql.home import home_folder

    places = (str(home_folder()), os.getcwd(), tempfile.gettempdir())
    return next(
        (place for place in places if os.path.isdir(place) and disk_usage(place).free < 1 << 20), None
    )


def _meant(error: BaseException) -> BaseException:
    """Return the first of errors that calls side by side ended with: the others only followed."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn the errors a person can act on into their line and their exit code; never a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        stop(
            "stopped; what was done is kept, and the same command goes on from there",
            _BY_SIGNAL + _heard[0] if _heard else INTERRUPTED,
        )
    except BrokenPipeError:
        # Whoever read the output has seen enough, such as `head`; what is left must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        if (code := exit_code_of(error)) is None:
            raise
        stop(message_of(error), code)


class NumberBetween(click.FloatRange):
    """A number within bounds; NaN, which every comparison lets through, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def share(text: str) -> float:
    """Read `2%` or `0.02`."""
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no share: write 2% or 0.02") from None


def as_json(value: Any) -> str:
    """Write rows for machines; what JSON has no form for becomes text, and NaN never appears."""
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
