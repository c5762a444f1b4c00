"""Does a passage entail a claim, contradict it, or say nothing of it."""

from medassay.models.entailment.describing import describe_entailment
from medassay.models.entailment.loading import load_entailment
from medassay.models.entailment.protocol import (
    EntailmentModel,
    EntailmentUnavailable,
    SelfTestFailed,
    UnknownLabels,
)

__all__ = [
    "EntailmentModel",
    "EntailmentUnavailable",
    "SelfTestFailed",
    "UnknownLabels",
    "describe_entailment",
    "load_entailment",
]
