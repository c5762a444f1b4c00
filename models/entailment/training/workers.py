"""Training by several processes that share their gradients: a core each, so that none waits within a batch."""

import json
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from torch.multiprocessing.spawn import ProcessExitedException, spawn

from medassay.models.entailment.training.run import train
from medassay.models.settings import UsageError

_PATIENCE = timedelta(minutes=30)


def train_together(
    n_workers: int, base: Path, sets: Path, corpus: Path, out: Path, **settings: Any
) -> dict[str, Any]:
    """Train as `run.train` does, by `n_workers` processes on this machine; the first of them speaks and writes.

    Returns what stands in the written `config.json` under `record`.

    Raises:
        UsageError: as `run.train` does, or when a process was lost.
    """
    if n_workers == 1:
        return train(base, sets, corpus, out, **settings)
    with tempfile.TemporaryDirectory(prefix="medassay-training-") as folder:
        refused = Path(folder) / "refused"
        try:
            spawn(  # type: ignore[no-untyped-call]  # torch has no annotation here
                _work,
                (n_workers, Path(folder) / "meeting", refused, (base, sets, corpus, out), settings),
                n_workers,
            )
        except ProcessExitedException as error:
            if refused.exists():
                raise UsageError(refused.read_text("utf-8")) from None
            raise UsageError(
                f"a training process ended early ({error}); name fewer --workers, or see whether memory ran out"
            ) from None
    written: dict[str, Any] = json.loads((out / "config.json").read_text("utf-8"))["record"]
    return written


def _work(
    number: int,
    n_workers: int,
    meeting: Path,
    refused: Path,
    places: tuple[Path, Path, Path, Path],
    settings: dict[str, Any],
) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=meeting.as_uri(), world_size=n_workers, rank=number, timeout=_PATIENCE
    )
    say: Callable[[str], None] = settings.pop("say", print)
    try:
        train(*places, **settings, say=say if number == 0 else _keep_still)
    except UsageError as error:
        refused.write_text(str(error), "utf-8")
        sys.exit(2)
    finally:
        torch.distributed.destroy_process_group()


def _keep_still(line: str) -> None:
    """Say nothing: the first worker does."""
