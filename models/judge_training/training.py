"""One stage of training: rows in, a model's folder and its card out; a killed stage goes on from its last checkpoint.

The trainer is transformers' own or TRL's `SFTTrainer`. Rows are tokenised and fitted beforehand
(`medassay.models.judge_training.fitting`), so that neither truncates anything.
"""

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import gcd
from pathlib import Path
from typing import Any

from medassay.models.judge_training.bases import load_to_train
from medassay.models.judge_training.fitting import IGNORED, Row
from medassay.models.judge_training.folders import built, folder_digest, read_json, write_json
from medassay.models.judge_training.presets import Preset, refuse_missing
from medassay.models.keys import content_key
from medassay.models.usage import UsageError

STAGE_FILE = "stage.json"
_NEEDED_TO_RESUME = ("trainer_state.json", "scheduler.pt", "rng_state*.pth")
_OPTIMIZER = ("optimizer.pt", "latest")
"""The optimiser's state is a file of its own, or lies in the folder that DeepSpeed's `latest` names."""
_LOGGED_STEPS = 5


@dataclass(frozen=True, slots=True)
class StageCard:
    """What a stage did: `parent` and `model` are digests of folders, `losses` are (step, loss on evaluations) pairs.

    `n_tokens` counts the tokens that were read, padding left out; None on cards of earlier versions.
    """

    stage: str
    key: str
    parent: str
    model: str
    preset: str
    seed: int
    n_rows: int
    n_steps: int
    losses: tuple[tuple[int, float], ...]
    seconds: float
    resumed_at: int | None = None
    n_tokens: int | None = None


def train_stage(
    stage: str,
    preset: Preset,
    base: Path,
    parent: Path,
    rows: Sequence[Row],
    out: Path,
    *,
    seed: int = 17,
    on_step: Callable[[int, int, float | None], None] = lambda step, n, loss: None,
) -> StageCard:
    """Train one stage and return its card; a stage that is done already is not trained again.

    Args:
        stage: its name.
        preset: how it is trained.
        base: folder of the base.
        parent: folder of what the stage before left, or of the base.
        rows: fitted rows.
        out: folder for `model`, `stage.json`, and checkpoints while it runs.
        seed: of order and dropout.
        on_step: called with the step, how many there are, and the loss where it was measured.

    Raises:
        UsageError: where there are no rows, or a package is needed and not installed.
    """
    n_processes = int(os.environ.get("WORLD_SIZE", "1"))
    key = key_of(stage, preset, base, parent, rows, seed, n_processes=n_processes)
    if done := finished_stage(out, key):
        return done
    checkpoints = _checkpoints_for(out, key)
    resume_from = last_checkpoint(checkpoints)
    began = time.monotonic()
    trainer = _trainer(preset, base, rows, parent, checkpoints, seed, on_step)
    result = trainer.train(resume_from_checkpoint=str(resume_from) if resume_from else None)
    draft = out / ".model.draft"
    if trainer.is_world_process_zero():
        shutil.rmtree(draft, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    # Where weights are spread over processes, all of them take part in saving.
    trainer.save_model(str(draft))
    if trainer.is_world_process_zero():
        _tokenizer(parent).save_pretrained(draft)
        (draft / "training_args.bin").unlink(missing_ok=True)
        model = out / "model"
        shutil.rmtree(model, ignore_errors=True)
        draft.replace(model)
        losses = tuple(
            (int(e["step"]), round(float(e["loss"]), 4)) for e in trainer.state.log_history if "loss" in e
        )
        card = StageCard(
            stage, key, folder_digest(parent), folder_digest(model), preset.name, seed, len(rows),
            int(result.global_step), losses, round(time.monotonic() - began, 1),
            int(resume_from.name.rpartition("-")[2]) if resume_from else None,
            int(trainer.state.num_input_tokens_seen),
        )  # fmt: skip
        write_json(out / STAGE_FILE, asdict(card))
        shutil.rmtree(checkpoints, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    return card_of(out / STAGE_FILE)


def key_of(
    stage: str, preset: Preset, base: Path, parent: Path, rows: Sequence[Row], seed: int, *, n_processes: int
) -> str:
    """Name all that decides a stage's weights, the number of processes that share the work included.

    Raises:
        UsageError: where there are no rows.
    """
    if not rows:
        raise UsageError(f"stage {stage}: no case is left to train on")
    return content_key(
        {
            "stage": stage,
            "preset": preset.fingerprint,
            "base": folder_digest(base),
            "parent": folder_digest(parent),
            "rows": [[row.case_id, list(row.input_ids), list(row.labels)] for row in rows],
            "seed": seed,
            **({"processes": n_processes} if n_processes > 1 else {}),
        }
    )


def finished_stage(out: Path, key: str) -> StageCard | None:
    """Return the card of a stage that was trained from just this, and whose model is as it was left; else None."""
    file = out / STAGE_FILE
    if not file.is_file():
        return None
    card = card_of(file)
    return card if card.key == key and folder_digest(out / "model") == card.model else None


def card_of(file: Path) -> StageCard:
    """Read a stage's card."""
    return built(StageCard, read_json(file))


def last_checkpoint(checkpoints: Path) -> Path | None:
    """Return the newest checkpoint that was written to its end; the process may have died while it wrote one."""
    found = sorted(checkpoints.glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    whole = [
        path
        for path in found
        if all(any(path.glob(name)) for name in _NEEDED_TO_RESUME)
        and any((path / name).is_file() for name in _OPTIMIZER)
    ]
    return whole[-1] if whole else None


def _checkpoints_for(out: Path, key: str) -> Path:
    """Return the folder of checkpoints; those of another training are removed."""
    checkpoints = out / "checkpoints"
    marker = checkpoints / "key.json"
    if not marker.is_file() or read_json(marker)["key"] != key:
        shutil.rmtree(checkpoints, ignore_errors=True)
        write_json(marker, {"key": key})
    return checkpoints


def _trainer(
    preset: Preset, base: Path, rows: Sequence[Row], parent: Path, checkpoints: Path, seed: int,
    on_step: Callable[[int, int, float | None], None],
) -> Any:  # fmt: skip
    import torch
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback

    class Watched(TrainerCallback):  # type: ignore[misc]  # transformers has no types
        """Tells the watcher of every step, and of the loss where it is logged."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            on_step(state.global_step, state.max_steps, None)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs:
                on_step(state.global_step, state.max_steps, float(logs["loss"]))

    examples = [
        {
            "input_ids": list(row.input_ids),
            "labels": list(row.labels),
            "attention_mask": [1] * len(row.input_ids),
        }
        for row in rows
    ]
    tokenizer = _tokenizer(parent)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id

    def collate(batch: list[dict[str, list[int]]]) -> dict[str, Any]:
        longest = max(len(one["input_ids"]) for one in batch)
        fill = {"input_ids": pad, "labels": IGNORED, "attention_mask": 0}
        return {
            name: torch.tensor([one[name] + [value] * (longest - len(one[name])) for one in batch])
            for name, value in fill.items()
        }

    # The arguments come before the model: under ZeRO-3 each process then loads its own part of the weights.
    arguments = arguments_of(preset, checkpoints, seed)
    if preset.deepspeed and not torch.cuda.is_available():
        # Without a GPU the arguments set up PyTorch's processes alone, and DeepSpeed would see one.
        import deepspeed

        deepspeed.init_distributed()
    model = load_to_train(parent, preset, base)
    given: dict[str, Any] = {"data_collator": collate, "callbacks": [Watched()]}
    if preset.trainer == "trl":
        from datasets import Dataset
        from trl import SFTTrainer

        data = Dataset.from_list(examples)
        trainer = SFTTrainer(model, arguments, train_dataset=data, processing_class=tokenizer, **given)
    else:
        from transformers import Trainer

        trainer = Trainer(model, arguments, train_dataset=examples, **given)
    # The console's tables of losses are the watcher's to show.
    trainer.remove_callback(PrinterCallback)
    return trainer


def arguments_of(preset: Preset, checkpoints: Path, seed: int) -> Any:
    """Return the trainer's arguments: TRL's `SFTConfig`, or transformers' own.

    Raises:
        UsageError: naming a package that the preset needs and that is not installed.
    """
    import torch

    refuse_missing(preset)
    on_gpu = torch.cuda.is_available()
    numbers = {
        "output_dir": str(checkpoints),
        "num_train_epochs": preset.epochs,
        "max_steps": preset.steps or -1,
        "include_num_input_tokens_seen": "non_padding",
        "per_device_train_batch_size": preset.batch,
        "gradient_accumulation_steps": preset.accumulation,
        "learning_rate": preset.learning_rate,
        "lr_scheduler_type": preset.schedule,
        "warmup_steps": preset.warmup,
        "weight_decay": preset.weight_decay,
        "bf16": preset.bf16 and on_gpu,
        "activation_checkpointing": preset.checkpointing,
        "deepspeed": str(preset.deepspeed_file) if preset.deepspeed_file else None,
        # A logged loss is the mean since the last one: no interval may reach over a checkpoint.
        "logging_steps": gcd(_LOGGED_STEPS, preset.checkpoint_every),
        "save_strategy": "steps",
        "save_steps": preset.checkpoint_every,
        "save_total_limit": 2,
        "seed": seed,
        "data_seed": seed,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
        "remove_unused_columns": False,
        "report_to": "none",
        "disable_tqdm": True,
    }
    if preset.trainer == "trl":
        from trl import SFTConfig

        return SFTConfig(
            **numbers, max_length=None, packing=False, dataset_kwargs={"skip_prepare_dataset": True}
        )
    from transformers import TrainingArguments

    return TrainingArguments(**numbers)


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)
