"""Self-test of entailment models on plain pairs at load, once for the same weights on the same machine."""

import os
import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from medassay.models.keys import content_key
from medassay.models.nli.labels import (
    CONTRADICTION,
    ENTAILMENT,
    LABELS,
    NEUTRAL,
    EntailmentModel,
    LabelOrder,
    SelfTestFailed,
)
from medassay.models.nli.window_verdicts import NO_NUMBER

Model = TypeVar("Model", bound=EntailmentModel)
KNOWN: tuple[tuple[str, str, int], ...] = (
    (
        "In this trial, metformin significantly reduced fasting glucose compared with placebo.",
        "Compared with placebo, metformin significantly decreased fasting glucose.",
        ENTAILMENT,
    ),
    (
        "Smoking is associated with a higher risk of lung cancer.",
        "Smoking increases the risk of lung cancer.",
        ENTAILMENT,
    ),
    (
        "The vaccine was effective in older adults and prevented severe disease.",
        "The vaccine prevents severe disease in older adults.",
        ENTAILMENT,
    ),
    (
        "In this trial, metformin significantly reduced fasting glucose compared with placebo.",
        "Compared with placebo, metformin significantly increased fasting glucose.",
        CONTRADICTION,
    ),
    (
        "Smoking is associated with a higher risk of lung cancer.",
        "Smoking is associated with a lower risk of lung cancer.",
        CONTRADICTION,
    ),
    (
        "The drug was effective: mortality was lower in the treated patients.",
        "The drug was not effective and mortality was higher in the treated patients.",
        CONTRADICTION,
    ),
    (
        "Blood samples were stored at minus eighty degrees until analysis.",
        "Exercise improves sleep in people with depression.",
        NEUTRAL,
    ),
    (
        "The study was carried out in three hospitals in northern Italy.",
        "Vitamin D supplements prevent fractures in older women.",
        NEUTRAL,
    ),
)


STAMP = ".self-test"
"""The file beside weights in which it stands under what they passed last."""


def check_once(model: EntailmentModel, name: str, weights: Path) -> None:
    """Check a model as `check_known_answers` does, unless these weights passed here before, under the same versions.

    What a verdict depends on is in the model's fingerprint; beside it count the file's size and time, the processor,
    and the versions of torch and of this package.

    Raises:
        SelfTestFailed: as `check_known_answers`.
    """
    status = weights.stat()
    passing_here = content_key([model.fingerprint, KNOWN, status.st_size, status.st_mtime_ns, _machine()])
    stamp = weights.with_name(STAMP)
    with suppress(OSError):
        if stamp.read_text("utf-8") == passing_here:
            return
    check_known_answers(model, name)
    with suppress(OSError):  # a read-only folder of models is fine: each process checks then
        partial = stamp.with_name(f"{STAMP}.{os.getpid()}")
        partial.write_text(passing_here, "utf-8")
        partial.replace(stamp)


def _machine() -> list[str]:
    """Name what computes: processor, its instructions as torch uses them, GPU, and the versions of the code."""
    import torch

    from medassay.models.processor import device_here, processor_name

    gpu = torch.cuda.get_device_name() if device_here() == "cuda" else ""
    used = torch.backends.cpu.get_cpu_capability()
    limited = os.environ.get("ONEDNN_MAX_CPU_ISA", "")
    return [platform.machine(), processor_name(), used, limited, gpu, torch.__version__, version("medassay")]


def check_known_answers(model: EntailmentModel, name: str, *, binary: bool = False) -> None:
    """Refuse a model whose labels are swapped or that says one thing to everything.

    For each label, its mean probability over its own pairs must be above that over every other label's pairs;
    a binary checker is asked about entailment only.

    Raises:
        SelfTestFailed: naming the label that failed, the two means and a pair, or why it reads none of them.
    """
    verdicts = model.score([(premise, hypothesis) for premise, hypothesis, _ in KNOWN])
    if all(v.entailment is None for v in verdicts):
        if any(v.reason == NO_NUMBER for v in verdicts):
            raise SelfTestFailed(
                f"{name}: it gives no number for any known pair; its weights are damaged or too large for the dtype: "
                "name another one"
            )
        raise SelfTestFailed(
            f"{name}: it reads too few tokens for any known pair ({verdicts[0].reason}); where it can read more, "
            "mend model_max_length in its tokenizer_config.json, or name another one"
        )
    rows = [(v.entailment, v.neutral, v.contradiction) for v in verdicts]
    for label in (ENTAILMENT,) if binary else (ENTAILMENT, NEUTRAL, CONTRADICTION):
        own = _mean([row[label] for row, (_, _, gold) in zip(rows, KNOWN, strict=True) if gold == label])
        for other in {ENTAILMENT, NEUTRAL, CONTRADICTION} - {label}:
            theirs = _mean(
                [row[label] for row, (_, _, gold) in zip(rows, KNOWN, strict=True) if gold == other]
            )
            if not own > theirs + 0.02:
                example = next(h for _, h, gold in KNOWN if gold == label)
                raise SelfTestFailed(
                    f"{name}: on known pairs the probability of {LABELS[label]} averages {own:.2f} where it is right "
                    f"(such as {example!r}) and {theirs:.2f} where the answer is {LABELS[other]}; its label order "
                    "(id2label) is wrong or it is no entailment model: name another one"
                )


def passing(
    name: str, order: LabelOrder, model_of: Callable[[LabelOrder], Model]
) -> tuple[Model, LabelOrder]:
    """Return the model under the first order of labels that passes on known answers.

    Raises:
        SelfTestFailed: when none does, with what was wrong with the order that the checkpoint names.
    """
    refused: SelfTestFailed | None = None
    for candidate in (order, *order.others()):
        model = model_of(candidate)
        try:
            check_known_answers(model, name, binary=candidate.kind == "binary")
        except SelfTestFailed as error:
            refused = refused or error
        else:
            return model, candidate
    raise refused or SelfTestFailed(name)


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else float("-inf")
