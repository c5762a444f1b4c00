"""One of the processes that train a stage together: torchrun starts this module with the stage's folder."""

import json
import os
import sys
from pathlib import Path

from medassay.models.judge_training.launching import STEP
from medassay.models.judge_training.stage_requests import train_in_this_process


def main(out: str) -> None:
    """Train, and let the first process tell each step."""

    def told(step: int, n_steps: int, loss: float | None) -> None:
        if os.environ["RANK"] == "0":
            print(STEP + json.dumps([step, n_steps, loss]), flush=True)

    train_in_this_process(Path(out), told)


if __name__ == "__main__":
    main(sys.argv[1])
