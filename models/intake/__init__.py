"""Reading data sets: detect the format, convert to canonical rows, validate."""

from medassay.models.intake.expectations import Violation, violations
from medassay.models.intake.readers import read_rows
from medassay.models.intake.records import to_answer, to_document, to_question
from medassay.models.intake.rows import BadRow, DataSet, Intake, IntakeError, Kind, Place, RawRow
from medassay.models.intake.shapes import read_data

__all__ = [
    "BadRow",
    "DataSet",
    "Intake",
    "IntakeError",
    "Kind",
    "Place",
    "RawRow",
    "Violation",
    "read_data",
    "read_rows",
    "to_answer",
    "to_document",
    "to_question",
    "violations",
]
