"""The rubric judge: four sub-metrics asked of a capable model as JSON, read strictly.

The weights and rules are those of the rubric in the metrics' contract; the prompt is `prompts/rubric.md`.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
)

from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import code_word, default_secret
from medassay.models.chat.ledger import CallRecord, Ledger
from medassay.models.chat.local.served import reachable
from medassay.models.chat.reply import read_fields, read_shape
from medassay.models.counting import counted
from medassay.models.judges.addressed.removal import LEFT_OUT, leave_out_addressed
from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, enforced, scored
from medassay.models.judges.prompt_parts import (
    canary_of,
    load_prompt,
    prompt_file_digest,
    refuse_repeated,
    repeats,
)
from medassay.models.judges.rubric_material import material, tells_besides
from medassay.models.text.sentences.splitting import sentences

FEWEST_SENTENCES, MOST_SENTENCES = 2, 5

RUBRIC_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer", "minimum": 0, "maximum": 100} for name in SUB_METRICS},
        "overall_justification": {"type": "string"},
    },
    "required": [*SUB_METRICS, "overall_justification"],
    "additionalProperties": False,
}
STAGE_VERSION = 6
MAX_REPLY_TOKENS = 1024


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


def given_marks(calls: Sequence[CallRecord], canary: str) -> dict[str, Any]:
    """Return what the fullest of some unusable replies gave soundly; of equally full ones the last counts.

    Nothing of a reply that was cut off, where a number may lack its end, or that repeats the canary.
    """
    replies = [call.raw_text or "" for call in reversed(calls) if call.status in ("ok", "bad_json")]
    found = [read_fields(text, RubricReply) for text in replies if not repeats(canary, text)]
    return max(found, key=lambda fields: sum(name in fields for name in SUB_METRICS), default={})


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """A capable model behind an OpenAI-compatible endpoint, asked for the rubric as JSON.

    `secret` is the home's: it makes the fences unguessable and the same input the same call. Entered, it holds the
    server of a model that we serve ourselves.
    """

    endpoint: Endpoint
    secret: bytes = field(default_factory=default_secret, repr=False)
    temperature: float = 0.0
    _held: ExitStack = field(default_factory=ExitStack, init=False, repr=False, compare=False)

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What was asked: everything that can change a score, and nothing else."""
        return {
            "judge": "rubric",
            "base_url": self.endpoint.identity,
            "model": self.endpoint.model,
            "prompt": prompt_file_digest("rubric"),
            "temperature": self.temperature,
            "max_tokens": MAX_REPLY_TOKENS,
            "stage_version": STAGE_VERSION,
        }

    @property
    def name(self) -> str:
        """How the judge is called in tables."""
        drawn = f" at temperature {self.temperature:g}" if self.temperature else ""
        return f"{self.endpoint.label}{drawn}"

    caveat: ClassVar[str | None] = None
    """What must stand beside this judge's numbers."""

    def __enter__(self) -> Self:
        return replace(self, endpoint=self._held.enter_context(reachable(self.endpoint)))

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def judge(
        self,
        inputs: Sequence[JudgeInput],
        ledger: Ledger,
        *,
        sample_no: int = 0,
        concurrency: int = 8,
        deadline_s: float | None = None,
        cap: Cap | None = None,
        on_done: Callable[[Judgement], None] | None = None,
    ) -> list[Judgement]:
        """Judge a batch, one judgement per input and in order; equal inputs are judged once.

        Args:
            inputs: what to judge.
            ledger: consulted before and written after every call.
            sample_no: which repetition this is; each is a call of its own.
            concurrency: the most calls at once.
            deadline_s: the longest wait for one call, in seconds, as `ask_all` sets it unless given.
            cap: the run's hard cap.
            on_done: called with the judgement of each distinct input as soon as it is there.
        """
        keys = [judge_input.input_key for judge_input in inputs]
        unique = dict(zip(keys, inputs, strict=True))
        judged: dict[str, Judgement] = {}
        readings: dict[str, dict[bool, Judgement]] = {}

        def done(outcome: Outcome[Any]) -> None:
            key, _, told = outcome.item_key.partition("/")
            read = readings.setdefault(key, {})
            read[bool(told)] = _judgement(unique[key], outcome, sample_no, canary_of(self.secret, key))
            if len(read) < 2 and tells_besides(unique[key]):
                return
            judged[key] = lower_of(read[False], read[True]) if True in read else read[False]
            if on_done is not None:
                on_done(judged[key])

        ask_all(
            (one for judge_input in unique.values() for one in self.requests(judge_input, sample_no)),
            self.endpoint,
            ledger,
            concurrency=concurrency,
            deadline_s=deadline_s,
            cap=cap,
            on_done=done,
        )
        return [judged[key] for key in keys]

    def requests(
        self, judge_input: JudgeInput, sample_no: int = 0
    ) -> list[Request[tuple[RubricReply, tuple[str, ...]]]]:
        """Build the calls for one input: without what speaks to the judge, and with what such passages tell besides."""
        readings = (False, True) if tells_besides(judge_input) else (False,)
        return [self.request(judge_input, sample_no, is_told=is_told) for is_told in readings]

    def request(
        self, judge_input: JudgeInput, sample_no: int = 0, *, is_told: bool = False
    ) -> Request[tuple[RubricReply, tuple[str, ...]]]:
        """Build one call: the fixed part first, so that servers can reuse it."""
        key = judge_input.input_key
        canary = canary_of(self.secret, key)

        def read(text: str) -> tuple[RubricReply, tuple[str, ...]]:
            refuse_repeated(canary, text)
            return read_shape(text, RubricReply)

        return Request(
            item_key=f"{key}/told" if is_told else key,
            guard_key=key,
            messages=(
                Message("system", load_prompt("rubric")),
                Message(
                    "user",
                    material(judge_input, code_word(self.secret, key, "fence"), canary, is_told=is_told),
                ),
            ),
            read=read,
            schema=RUBRIC_SCHEMA,
            schema_name="rubric",
            max_tokens=MAX_REPLY_TOKENS,
            temperature=self.temperature,
            sample_no=sample_no,
        )


def _judgement(judge_input: JudgeInput, outcome: Outcome[Any], sample_no: int, canary: str) -> Judgement:
    answered = next((c.model_answered for c in reversed(outcome.calls) if c.model_answered), None)
    about: dict[str, Any] = {
        "sample_no": sample_no,
        "model_answered": answered,
        "n_calls": len(outcome.calls),
        "n_left_out": leave_out_addressed(judge_input.answer, LEFT_OUT).n_left_out,
    }
    if outcome.status == "abstained":
        given = given_marks(outcome.calls, canary)
        marks = enforced(judge_input, {name: given[name] for name in SUB_METRICS if name in given})
        about["justification"] = given.get("overall_justification")
        if None not in marks.values():
            return Judgement(
                judge_input.input_key, status="scored", **marks, **about, justification_reason=outcome.reason
            )
        return Judgement(judge_input.input_key, status="abstained", **marks, **about, reason=outcome.reason)
    if outcome.status != "answered" or outcome.value is None:
        return Judgement(judge_input.input_key, status="failed", **about, reason=outcome.reason)
    reply, notes = outcome.value
    return scored(
        judge_input,
        {name: getattr(reply, name) for name in SUB_METRICS},
        justification=reply.overall_justification,
        notes=notes,
        **about,
    )


def lower_of(without: Judgement, told: Judgement) -> Judgement:
    """Put the two readings of an answer that speaks to its judge together: of each sub-metric the lower mark counts.

    So nothing is gained by speaking to the judge, nor by having something taken for it. Where either reading has no
    marks, neither has the answer.
    """
    n_calls = without.n_calls + told.n_calls
    for status in ("failed", "abstained"):
        for reading, which in ((without, "without"), (told, "with what is told in")):
            if reading.status == status:
                reason = f"read {which} the passages that speak to the judge: {reading.reason}"
                return replace(reading, reason=reason, n_calls=n_calls)
    lower = told if (told.rubric_score or 0) < (without.rubric_score or 0) else without
    marks = {
        name: min(getattr(without, name), getattr(told, name))
        for name in (*SUB_METRICS, "evidence_sufficiency_raw")
    }
    notes = dict.fromkeys([*without.notes, *told.notes])
    return replace(lower, **marks, notes=tuple(notes), n_calls=n_calls)
