"""Self-test of entailment models on plain pairs at load."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from medassay.models.entailment.labels import (
    CONTRADICTION,
    ENTAILMENT,
    LABELS,
    NEUTRAL,
    EntailmentModel,
    LabelOrder,
    SelfTestFailed,
)
from medassay.models.entailment.window_verdicts import NO_NUMBER

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
