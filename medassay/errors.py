"""The errors that `medassay.evaluate` and its neighbours raise, each with a message that says what to do."""

from models.embedder_folder import EmbedderUnavailable
from models.entailment.protocol import EntailmentUnavailable, SelfTestFailed
from models.intake.rows import IntakeError
from models.registry import ModelMissing, WrongDigest
from models.settings import UsageError
from sql.home import WarehouseError
from tasks.phi import PhiFound
from tasks.run import BadData

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
