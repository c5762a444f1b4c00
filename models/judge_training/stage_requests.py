"""A stage as a folder: the request and its rows go in, the model and its card come out, here or on another machine."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from medassay.models.judge_training.fitting import Row
from medassay.models.judge_training.folders import built, read_json, read_lines, write_json, write_lines
from medassay.models.judge_training.launching import n_processes, train_by_processes
from medassay.models.judge_training.presets import Adapter, Preset, RandomModel, refuse_missing
from medassay.models.judge_training.training import (
    STAGE_FILE,
    StageCard,
    card_of,
    finished_stage,
    key_of,
    train_stage,
)

REQUEST_FILE, ROWS_FILE = "request.json", "rows.jsonl.gz"
OnStep = Callable[[int, int, float | None], None]


def write_request(
    out: Path, stage: str, preset: Preset, base: Path, parent: Path, rows: Sequence[Row], seed: int
) -> Path:
    """Write down what a stage is to do; `out` is its folder, which the machine that trains has to see."""
    write_lines(out / ROWS_FILE, rows)
    asked = {"stage": stage, "preset": asdict(preset), "base": str(base), "parent": str(parent), "seed": seed}
    write_json(out / REQUEST_FILE, asked)
    return out


def train_requested(
    out: Path, on_step: OnStep = lambda step, n, loss: None, processes: int | None = None
) -> StageCard:
    """Train what a stage's folder asks for; done already, its card is returned as it is.

    Args:
        out: the stage's folder.
        on_step: called with the step, how many there are, and the loss where it was measured.
        processes: how many share the work; one a GPU unless given.

    Raises:
        UsageError: where there are no rows, or a package is needed and not installed.
        TrainingFailed: where one of several processes ended with an error.
    """
    preset = preset_of(read_json(out / REQUEST_FILE)["preset"])
    refuse_missing(preset)
    n = processes or n_processes(preset)
    if n is None:
        return train_in_this_process(out, on_step)
    if (done := finished_stage(out, key_of(*_named(out), n_processes=n))) is not None:
        return done
    train_by_processes(out, n, on_step)
    return card_of(out / STAGE_FILE)


def train_in_this_process(out: Path, on_step: OnStep) -> StageCard:
    """Train what a stage's folder asks for, alone or as one of the processes that torchrun started."""
    stage, preset, base, parent, rows, seed = _named(out)
    return train_stage(stage, preset, base, parent, rows, out, seed=seed, on_step=on_step)


def _named(out: Path) -> tuple[str, Preset, Path, Path, list[Row], int]:
    asked = read_json(out / REQUEST_FILE)
    rows, base, parent = (
        built(list[Row], read_lines(out / ROWS_FILE)),
        Path(asked["base"]),
        Path(asked["parent"]),
    )
    return asked["stage"], preset_of(asked["preset"]), base, parent, rows, asked["seed"]


def preset_of(fields: dict[str, object]) -> Preset:
    """Build a preset from its fields as JSON holds them; numbers stay as they are, since they name the stage."""
    shape, adapter = fields["random_model"], fields["adapter"]
    whole = {
        **fields,
        "random_model": RandomModel(**shape) if isinstance(shape, dict) else None,
        "adapter": Adapter(**adapter) if isinstance(adapter, dict) else None,
    }
    return Preset(**whole)  # type: ignore[arg-type]
