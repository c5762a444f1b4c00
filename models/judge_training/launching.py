"""A stage trained by several processes, one a GPU, as torchrun starts them; DeepSpeed's always are, even one."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from medassay.models.judge_training.presets import Preset

STEP = "medassay step "
"""Begins the lines by which a process tells a step."""
_PROCESS = "medassay.models.judge_training.stage_process"
_FAILURE = re.compile(r"(\[rank\d+\]:\s*)?[\w.]+(Error|Exception|Missing): ")


class TrainingFailed(Exception):
    """A process of the training ended with an error; the message has its last line and where the rest is."""


def n_processes(preset: Preset) -> int | None:
    """Return how many processes train: one a GPU; None where this very process is enough."""
    import torch

    n_gpus = torch.cuda.device_count()
    return max(1, n_gpus) if n_gpus > 1 or preset.deepspeed else None


def train_by_processes(out: Path, n: int, on_step: Callable[[int, int, float | None], None]) -> None:
    """Have `n` processes of this machine train the stage that a folder asks for; what they print is in `train.log`.

    Raises:
        TrainingFailed: where one of them ends with an error.
    """
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(n),
        "-m", _PROCESS, str(out),
    ]  # fmt: skip
    log, failure = out / "train.log", ""
    with log.open("w", encoding="utf-8") as file, _running(command) as running:
        for line in running.stdout or ():
            if line.startswith(STEP):
                on_step(*json.loads(line.removeprefix(STEP)))
                continue
            file.write(line)
            if not failure and _FAILURE.match(line):
                failure = line.strip()
    if running.returncode:
        raise TrainingFailed(f"{out.name} was not trained: {failure or 'see the log'} ({log})")


@contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start processes, and end them where whoever watches them goes away."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as running:
        try:
            yield running
        except BaseException:
            running.terminate()
            raise
