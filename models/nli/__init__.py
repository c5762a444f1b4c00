"""Natural language inference: whether a passage entails a claim, contradicts it, or does not mention it."""

from medassay.models.nli.labels import (
    EntailmentModel,
    EntailmentUnavailable,
    SelfTestFailed,
    UnknownLabels,
)
from medassay.models.nli.loading import describe_entailment, load_entailment

__all__ = [
    "EntailmentModel",
    "EntailmentUnavailable",
    "SelfTestFailed",
    "UnknownLabels",
    "describe_entailment",
    "load_entailment",
]
