"""A stage as a folder: the request and its rows go in, the model and its card come out, here or on another machine."""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from medassay.models.judge_training.fitting import Row
from medassay.models.judge_training.folders import read_json, write_json
from medassay.models.judge_training.presets import Adapter, Preset, RandomModel
from medassay.models.judge_training.training import StageCard, train_stage
from medassay.models.whole_files import written_whole

REQUEST_FILE, ROWS_FILE = "request.json", "rows.jsonl.gz"
OnStep = Callable[[int, int, float | None], None]


def write_request(
    out: Path, stage: str, preset: Preset, base: Path, parent: Path, rows: Sequence[Row], seed: int
) -> Path:
    """Write down what a stage is to do; `out` is its folder, which the machine that trains has to see."""
    out.mkdir(parents=True, exist_ok=True)
    with written_whole(out / ROWS_FILE) as file:
        file.writelines(json.dumps(asdict(row)) + "\n" for row in rows)
    asked = {"stage": stage, "preset": asdict(preset), "base": str(base), "parent": str(parent), "seed": seed}
    write_json(out / REQUEST_FILE, asked)
    return out


def train_requested(out: Path, on_step: OnStep = lambda step, n, loss: None) -> StageCard:
    """Train what a stage's folder asks for; done already, its card is returned as it is."""
    asked = read_json(out / REQUEST_FILE)
    with gzip.open(out / ROWS_FILE, "rt", encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    rows = [Row(row["case_id"], tuple(row["input_ids"]), tuple(row["labels"])) for row in read]
    preset = preset_of(asked["preset"])
    return train_stage(
        asked["stage"],
        preset,
        Path(asked["base"]),
        Path(asked["parent"]),
        rows,
        out,
        seed=asked["seed"],
        on_step=on_step,
    )


def preset_of(fields: dict[str, object]) -> Preset:
    """Build a preset from its fields as JSON holds them."""
    shape, adapter = fields["random_model"], fields["adapter"]
    whole = {
        **fields,
        "random_model": RandomModel(**shape) if isinstance(shape, dict) else None,
        "adapter": Adapter(**adapter) if isinstance(adapter, dict) else None,
    }
    return Preset(**whole)  # type: ignore[arg-type]
