"""The rubric's reply: four marks and a justification, read strictly, and what an unusable one gives all the same."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
)

from medassay.models.chat.ledger import CallRecord
from medassay.models.chat.reply import read_fields
from medassay.models.counting import counted
from medassay.models.judges.canary import repeats
from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.text.sentences.splitting import sentences

FEWEST_SENTENCES, MOST_SENTENCES = 2, 5


def _lossless_integer(value: Any, info: ValidationInfo) -> Any:
    """Take 85, and with a note 85.0 or "85"; 85.5, true and "85/100" are left for the validator to refuse."""
    if isinstance(value, bool):
        raise ValueError("must be an integer from 0 to 100")
    meant: Any = value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        meant = int(value)
    elif isinstance(value, float) and value.is_integer():
        meant = int(value)
    if meant is not value and info.context is not None:
        info.context["notes"].append(f"{info.field_name} was written as {value!r} and read as {meant}")
    return meant


@lru_cache(maxsize=256)
def _n_sentences(text: str) -> int:
    """Count sentences; a reply is read for the ledger and then for its marks."""
    return len(sentences(text))


def _counted_sentences(value: str, info: ValidationInfo) -> str:
    """Note a justification that is not of the length asked for; it is kept as it is."""
    n_sentences = _n_sentences(value)
    if not FEWEST_SENTENCES <= n_sentences <= MOST_SENTENCES and info.context is not None:
        asked = f"{FEWEST_SENTENCES} to {MOST_SENTENCES} were asked for"
        info.context["notes"].append(f"the justification has {counted(n_sentences, 'sentence')}; {asked}")
    return value


Score = Annotated[int, BeforeValidator(_lossless_integer), Field(strict=True, ge=0, le=100)]


class RubricReply(BaseModel):
    """The JSON object asked for; further keys are ignored."""

    model_config = ConfigDict(extra="ignore")

    medical_correctness: Score
    evidence_sufficiency: Score
    response_alignment: Score
    safety: Score
    overall_justification: Annotated[
        str,
        StringConstraints(strict=True, strip_whitespace=True, min_length=1),
        AfterValidator(_counted_sentences),
    ]


RUBRIC_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer", "minimum": 0, "maximum": 100} for name in SUB_METRICS},
        "overall_justification": {"type": "string"},
    },
    "required": [*SUB_METRICS, "overall_justification"],
    "additionalProperties": False,
}


def given_marks(calls: Sequence[CallRecord], canary: str) -> dict[str, Any]:
    """Return what the fullest of some unusable replies gave soundly; of equally full ones the last counts.

    Nothing of a reply that was cut off, where a number may lack its end, or that repeats the canary.
    """
    replies = [call.raw_text or "" for call in reversed(calls) if call.status in ("ok", "bad_json")]
    found = [read_fields(text, RubricReply) for text in replies if not repeats(canary, text)]
    return max(found, key=lambda fields: sum(name in fields for name in SUB_METRICS), default={})
