"""Model files: the embedded models with their digests, storage and download, and the Hugging Face hub."""

from medassay.models.weights.entries import MODELS, HubMirror, Model, UnknownModel, WheelMirror, model_named
from medassay.models.weights.hub_readers import HUB_READERS, HubReader, another_revision, is_here
from medassay.models.weights.pulling import PullFailed, pull
from medassay.models.weights.storing import (
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
    "HUB_READERS",
    "MODELS",
    "HubMirror",
    "HubReader",
    "Listed",
    "Model",
    "ModelMissing",
    "Progress",
    "PullFailed",
    "UnknownModel",
    "WheelMirror",
    "WrongDigest",
    "another_revision",
    "cache_folder",
    "ensure",
    "is_here",
    "listing",
    "model_named",
    "path_of",
    "pull",
    "verify",
]
