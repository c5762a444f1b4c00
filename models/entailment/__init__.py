"""Natural language inference: whether a passage entails a claim, contradicts it, or does not mention it."""

from medassay.models.entailment.labels import (
    EntailmentModel,
    EntailmentUnavailable,
    SelfTestFailed,
    UnknownLabels,
)
from medassay.models.entailment.loading import describe_entailment, load_entailment

__all__ = [
    "EntailmentModel",
    "EntailmentUnavailable",
    "SelfTestFailed",
    "UnknownLabels",
    "describe_entailment",
    "load_entailment",
]
