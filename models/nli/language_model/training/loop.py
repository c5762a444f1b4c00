"""Training loop: batches by length, loss on three letters, checkpoints."""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from medassay.models.nli.language_model.training.lora import Adapted
from medassay.models.usage import UsageError

Say = Callable[[str], None]
SHUFFLED_TOGETHER = 2048
"""Rows among which those of like length are put into one batch."""
WARM_UP = 0.03
UNKNOWN = 3
"""The label of rows that are B or C."""


class TrainingFailed(UsageError):
    """The loss is no number; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A prompt's tokens and its label."""

    ids: Sequence[int]
    label: int


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How the adapter is trained.

    Attributes:
        epochs: Passes over the rows.
        rate: The highest learning rate; it rises over the first 3 % of the steps and falls to 0 at the end.
        tokens_a_step: About how many tokens a step of the optimiser reads.
        tokens_at_once: Of these, so many at once, padding included; fewer need less memory and change nothing else.
        class_weights: What an error costs on rows of A, B and C.
        seed: Of the order of the rows, and of the adapter's first weights.
        checkpoint_s: Seconds between checkpoints.
    """

    epochs: int = 1
    rate: float = 2e-4
    tokens_a_step: int = 16_384
    tokens_at_once: int = 16_384
    class_weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    seed: int = 1
    checkpoint_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Course:
    """What a training came to."""

    n_steps: int
    n_tokens: int
    first_loss: float
    last_loss: float
    resumed_at: int


def batches(rows: Sequence[Encoded], order: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Cut an order of rows into batches of at most so many tokens, padding included; one row may have more."""
    batch: list[int] = []
    longest = 0
    for i in order:
        longest = max(longest, len(rows[i].ids))
        if batch and longest * (len(batch) + 1) > tokens:
            yield batch
            batch, longest = [], len(rows[i].ids)
        batch.append(i)
    if batch:
        yield batch


def schedule(rows: Sequence[Encoded], pace: TrainingSettings) -> list[list[int]]:
    """Return the batches of all epochs in their order: lengths alike within a batch, batches shuffled."""
    rng = np.random.default_rng(pace.seed)
    planned: list[list[int]] = []
    for _ in range(pace.epochs):
        order = rng.permutation(len(rows)).tolist()
        epoch: list[list[int]] = []
        for start in range(0, len(order), SHUFFLED_TOGETHER):
            together = sorted(order[start : start + SHUFFLED_TOGETHER], key=lambda i: len(rows[i].ids))
            epoch += batches(rows, together, pace.tokens_a_step)
        planned += [epoch[i] for i in rng.permutation(len(epoch))]
    return planned


def losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Return each row's loss: cross entropy, and -log(P(B) + P(C)) where B or C is right."""
    logp = functional.log_softmax(logits, -1)
    known = functional.nll_loss(logp, labels.clamp(max=2), reduction="none")
    return torch.where(labels == UNKNOWN, -torch.logsumexp(logp[:, 1:], -1), known)


def padded(rows: Sequence[Encoded], batch: Sequence[int], device: str) -> tuple[Tensor, Tensor]:
    """Return the ids of a batch, padded behind their ends, and the place of each last token."""
    ids = torch.zeros(len(batch), max(len(rows[i].ids) for i in batch), dtype=torch.long)
    for place, i in enumerate(batch):
        ids[place, : len(rows[i].ids)] = torch.as_tensor(rows[i].ids)
    return ids.to(device), torch.tensor([len(rows[i].ids) - 1 for i in batch], device=device)


def train(
    model: Adapted,
    rows: Sequence[Encoded],
    pace: TrainingSettings,
    device: str,
    checkpoint: Path,
    key: str,
    say: Say,
) -> Course:
    """Train the adapters, from the checkpoint on where one of this very training is there.

    Args:
        model: its adapters are changed.
        rows: what to learn.
        pace: how.
        device: "cpu" or "cuda".
        checkpoint: file that is written every `pace.checkpoint_s`, and at the end.
        key: names data and settings: a checkpoint of others is refused.
        say: hears of the progress.

    Raises:
        TrainingFailed: when a loss is no number.
        UsageError: when the checkpoint is of another training.
    """
    planned = schedule(rows, pace)
    a, b, c = pace.class_weights
    weights = torch.tensor((a, b, c, (b + c) / 2))
    optimiser = torch.optim.AdamW(model.trained(), lr=pace.rate, weight_decay=0.01, betas=(0.9, 0.98))
    start, told = _resumed(model, optimiser, checkpoint, key)
    if start:
        say(f"goes on after step {start} of {len(planned)}")
    began = kept_at = said_at = time.monotonic()
    n_read = 0
    for step in range(start, len(planned)):
        batch = planned[step]
        for group in optimiser.param_groups:
            group["lr"] = (
                pace.rate * min(1.0, (step + 1) / (WARM_UP * len(planned) + 1)) * (1 - step / len(planned))
            )
        total = weights[[rows[i].label for i in batch]].sum().item()
        told.append(0.0)
        for part in batches(rows, batch, pace.tokens_at_once):
            ids, last = padded(rows, part, device)
            labels = torch.tensor([rows[i].label for i in part])
            each = losses(model(ids, last), labels.to(device))
            loss = (each * weights[labels].to(device)).sum() / total
            loss.backward()  # type: ignore[no-untyped-call]
            told[-1] += loss.item()
        if not math.isfinite(told[-1]):
            raise TrainingFailed(
                f"the loss of step {step + 1} is {told[-1]}: choose a lower --learning-rate, or --dtype float32"
            )
        torch.nn.utils.clip_grad_norm_(model.trained(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        n_read += sum(len(rows[i].ids) for i in batch)
        now = time.monotonic()
        if now - said_at >= 10 or step + 1 == len(planned):
            said_at = now
            left = (now - began) / (step + 1 - start) * (len(planned) - step - 1)
            say(
                f"step {step + 1} of {len(planned)}, loss {np.mean(told[-40:]):.3f},"
                f" {n_read / max(now - began, 1e-9):,.0f} tokens/s, {left / 60:.0f} minutes left"
            )
        if now - kept_at >= pace.checkpoint_s or step + 1 == len(planned):
            kept_at = now
            _keep(model, optimiser, checkpoint, key, step + 1, told)
    n_tokens = sum(len(rows[i].ids) for batch in planned for i in batch)
    few = max(1, len(told) // 20)
    first_loss, last_loss = (round(float(np.mean(part)), 4) for part in (told[:few], told[-few:]))
    return Course(len(planned), n_tokens, first_loss, last_loss, start)


def predict(model: Adapted, rows: Sequence[Encoded], tokens: int, device: str) -> list[list[float]]:
    """Return the probabilities of A, B and C of every row."""
    found: list[list[float]] = [[] for _ in rows]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    with torch.inference_mode():
        for batch in batches(rows, order, tokens):
            shares = torch.softmax(model(*padded(rows, batch, device)), dim=-1).cpu().tolist()
            for i, share in zip(batch, shares, strict=True):
                found[i] = share
    return found


def _keep(model: Adapted, optimiser: Any, checkpoint: Path, key: str, step: int, told: list[float]) -> None:
    partial = checkpoint.with_suffix(f".{os.getpid()}")
    held = {
        "key": key,
        "step": step,
        "losses": told,
        "adapter": model.state(),
        "optimiser": optimiser.state_dict(),
    }
    torch.save(held, partial)
    partial.replace(checkpoint)


def _resumed(model: Adapted, optimiser: Any, checkpoint: Path, key: str) -> tuple[int, list[float]]:
    if not checkpoint.is_file():
        return 0, []
    held = torch.load(checkpoint, map_location="cpu", weights_only=True)
    if held["key"] != key:
        raise UsageError(
            f"{checkpoint} is of a training with other data or settings: name another folder with --out, or remove it"
        )
    model.take(held["adapter"])
    optimiser.load_state_dict(held["optimiser"])
    return int(held["step"]), list(held["losses"])
