"""Exceptions of the library, with messages that say what to do."""

from medassay.models.embedder_folder import EmbedderUnavailable
from medassay.models.intake.rows import IntakeError
from medassay.models.nli.labels import EntailmentUnavailable, SelfTestFailed
from medassay.models.usage import UsageError
from medassay.models.weights import ModelMissing, WrongDigest
from medassay.sql.home import WarehouseError
from medassay.tasks.phi import PhiFound
from medassay.tasks.run import BadData

__all__ = [
    "BadData",
    "EmbedderUnavailable",
    "EntailmentUnavailable",
    "IntakeError",
    "ModelMissing",
    "PhiFound",
    "SelfTestFailed",
    "UsageError",
    "WarehouseError",
    "WrongDigest",
]
