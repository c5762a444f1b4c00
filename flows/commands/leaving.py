"""How a command ends: one clear line a problem, and an exit code that says whose turn it is."""

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, NoReturn

import click

OVER_MAX_FAILED, BAD_INPUT, COULD_NOT_RUN = 1, 2, 3


def stop(message: str, code: int) -> NoReturn:
    """Print one clear line a problem and end with the exit code."""
    for line in message.splitlines():
        click.echo(line, err=True)
    raise SystemExit(code)


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn the errors a person can act on into their line and their exit code; never a traceback."""
    from models.chat.endpoint import SpecError
    from models.embedder_folder import EmbedderUnavailable
    from models.entailment.protocol import EntailmentUnavailable, SelfTestFailed
    from models.intake import IntakeError
    from models.rationales.protocol import RationaleModelUnavailable
    from models.registry import ModelMissing, PullFailed, UnknownModel, WrongDigest
    from models.settings import UsageError
    from sql.snapshot import NothingPublished
    from sql.warehouse import WarehouseError
    from tasks.phi import PhiFound
    from tasks.pool import PoolUnavailable
    from tasks.run import BadData, HomeBusy
    from tasks.summary import TooManyFailed

    try:
        yield
    except TooManyFailed as error:
        stop(str(error), OVER_MAX_FAILED)
    except (BadData, IntakeError, UsageError, SpecError) as error:
        stop(str(error), BAD_INPUT)
    except PhiFound as error:
        stop(str(error), COULD_NOT_RUN)
    except UnknownModel as error:
        stop(str(error), BAD_INPUT)
    except (HomeBusy, WarehouseError, NothingPublished, ModelMissing, WrongDigest, PullFailed) as error:
        stop(str(error), COULD_NOT_RUN)
    except (EmbedderUnavailable, EntailmentUnavailable, SelfTestFailed, PoolUnavailable) as error:
        stop(str(error), COULD_NOT_RUN)
    except RationaleModelUnavailable as error:
        stop(str(error), COULD_NOT_RUN)
    except KeyboardInterrupt:
        stop("stopped; what was done is kept, and the same command goes on from there", 130)
    except BrokenPipeError:
        # Whoever read the output has seen enough, such as `head`; what is left must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        stop(f"{error.filename or 'the system'}: {error.strerror or error}", COULD_NOT_RUN)


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
