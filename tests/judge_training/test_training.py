"""A stage that is killed and started again leaves the very weights of an undisturbed one."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from medassay.models.judge_training.bases import make_random
from medassay.models.judge_training.fitting import IGNORED, Row
from medassay.models.judge_training.folders import folder_digest
from medassay.models.judge_training.launching import TrainingFailed
from medassay.models.judge_training.presets import PRESETS, RandomModel
from medassay.models.judge_training.stage_requests import train_requested, write_request
from medassay.models.judge_training.training import card_of, last_checkpoint
from medassay.models.usage import UsageError

TINIEST = RandomModel(hidden=16, inner=32, layers=1, heads=2, vocabulary=300)
PRESET = replace(PRESETS["tiny"], random_model=TINIEST, epochs=3, batch=4, checkpoint_every=5)
KILLED_AT = 8
KILL = """
import os, signal, sys
from pathlib import Path
from medassay.models.judge_training.stage_requests import train_requested

def on_step(step, n_steps, loss):
    if step == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

train_requested(Path(sys.argv[1]), on_step)
"""


def rows(n: int) -> list[Row]:
    made = []
    for number in range(n):
        tokens = tuple((number * 7 + place * 3) % 200 + 50 for place in range(12 + number % 3))
        made.append(Row(str(number), tokens, (*[IGNORED] * 5, *tokens[5:])))
    return made


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_random(TINIEST, ["Doctor 1: right."], folder, 1)
    return folder


def test_a_second_stage_killed_and_resumed_equals_an_undisturbed_one(tmp_path: Path, base: Path) -> None:
    first = write_request(tmp_path / "1", "stage 1", PRESET, base, base, rows(12), 3)
    parent = train_requested(first)
    undisturbed = write_request(tmp_path / "whole", "stage 2", PRESET, base, first / "model", rows(16), 3)
    killed = write_request(tmp_path / "killed", "stage 2", PRESET, base, first / "model", rows(16), 3)
    whole = train_requested(undisturbed)
    ended = subprocess.run(
        [sys.executable, "-c", KILL, str(killed), str(KILLED_AT)], env=dict(os.environ), check=False
    )
    assert ended.returncode == -signal.SIGKILL
    found = last_checkpoint(killed / "checkpoints")
    assert found is not None and found.name == "checkpoint-5"
    resumed = train_requested(killed)
    assert (resumed.resumed_at, whole.resumed_at) == (5, None)
    assert whole.parent == resumed.parent == parent.model
    assert resumed.model == whole.model
    assert resumed.losses == whole.losses
    weights = [(folder / "model" / "model.safetensors").read_bytes() for folder in (undisturbed, killed)]
    assert weights[0] == weights[1]


def test_a_stage_that_is_done_is_not_trained_again_and_another_seed_is(tmp_path: Path, base: Path) -> None:
    out = write_request(tmp_path / "stage", "stage 1", PRESET, base, base, rows(8), 3)
    steps: list[int] = []
    card = train_requested(out, lambda step, n, loss: steps.append(step))
    n_steps = len(steps)
    assert train_requested(out, lambda step, n, loss: steps.append(step)) == card_of(out / "stage.json")
    assert n_steps == len(steps) > 0
    write_request(out, "stage 1", PRESET, base, base, rows(8), 4)
    other = train_requested(out, lambda step, n, loss: steps.append(step))
    assert len(steps) > n_steps and other.model != card.model
    assert folder_digest(out / "model") == other.model


def test_a_checkpoint_that_was_not_written_to_its_end_is_passed_over(tmp_path: Path) -> None:
    for step in (4, 8):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        for name in ("trainer_state.json", "optimizer.pt", "scheduler.pt", "rng_state.pth"):
            (folder / name).touch()
    (tmp_path / "checkpoint-8" / "trainer_state.json").unlink()
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-4"


def test_a_stage_without_rows_is_refused(tmp_path: Path, base: Path) -> None:
    out = write_request(tmp_path / "stage", "stage 1", PRESET, base, base, [], 3)
    with pytest.raises(UsageError, match="no case is left"):
        train_requested(out)


@pytest.mark.slow
def test_two_processes_train_a_stage_tell_its_steps_and_do_it_once(tmp_path: Path, base: Path) -> None:
    out = write_request(tmp_path / "stage", "stage 1", PRESET, base, base, rows(16), 3)
    told: list[tuple[int, int]] = []
    card = train_requested(out, lambda step, n, loss: told.append((step, n)), processes=2)
    # 16 rows, 4 a step by each of two: two steps an epoch.
    assert card.n_steps == 6 and sorted({step for step, _ in told}) == [1, 2, 3, 4, 5, 6]
    assert {n for _, n in told} == {6}
    told.clear()
    assert train_requested(out, lambda step, n, loss: told.append((step, n)), processes=2) == card
    assert told == []
    (out / "request.json").write_text((out / "request.json").read_text().replace('"batch": 4', '"batch": -1'))
    with pytest.raises(TrainingFailed, match=r"stage was not trained: .*Error.*train\.log"):
        train_requested(out, processes=2)


def test_zero_3_trains_by_two_processes_and_goes_on_from_its_checkpoint(tmp_path: Path, base: Path) -> None:
    for package in PRESETS["paper"].packages:
        pytest.importorskip(package, reason=f"{package} is not installed")
    preset = replace(PRESETS["paper"], base=str(base), epochs=4, accumulation=1, checkpoint_every=3)
    whole, stopped = (
        write_request(tmp_path / name, "stage 1", preset, base, base, rows(8), 3)
        for name in ("whole", "stopped")
    )
    card = train_requested(whole, processes=2)
    assert card.n_steps == 8 and (whole / "model" / "model.safetensors").is_file()

    class Stopped(Exception):
        pass

    def stop(step: int, n: int, loss: float | None) -> None:
        if step == 5:
            raise Stopped

    with pytest.raises(Stopped):
        train_requested(stopped, stop, processes=2)
    found = last_checkpoint(stopped / "checkpoints")
    assert found is not None and found.name == "checkpoint-3"
    resumed = train_requested(stopped, processes=2)
    assert (resumed.resumed_at, resumed.losses, resumed.model) == (3, card.losses, card.model)


def test_the_presets_of_trl_train_an_adapter_that_is_gone_on_with_and_merged(
    tmp_path: Path, base: Path
) -> None:
    pytest.importorskip("trl", reason="the extra medassay[train] is not installed")
    pytest.importorskip("peft", reason="the extra medassay[train] is not installed")
    from medassay.models.judge_training.presets import Adapter
    from medassay.models.judge_training.trained import merged

    preset = replace(
        PRESETS["small"], base=str(base), adapter=Adapter(rank=2, alpha=4), batch=4, accumulation=1
    )
    first = write_request(tmp_path / "1", "stage 1", preset, base, base, rows(8), 3)
    card = train_requested(first)
    assert card.n_steps == 6 and all(loss > 0 for _, loss in card.losses)
    assert (first / "model" / "adapter_config.json").is_file()
    second = write_request(tmp_path / "2", "stage 2", preset, base, first / "model", rows(8), 3)
    assert train_requested(second).parent == card.model
    whole = merged(second / "model", base, tmp_path / "merged")
    assert (whole / "model.safetensors").is_file() and not (whole / "adapter_config.json").exists()
    assert folder_digest(whole) != folder_digest(base)
