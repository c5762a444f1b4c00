"""The rubric judge: four sub-metrics asked of a capable model as JSON, read strictly.

The weights and rules are those of the rubric in the metrics' contract; the prompt is `prompts/rubric.md`.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationInfo

from models.chat.asking import ask_all
from models.chat.cap import Cap
from models.chat.conversation import Message, Outcome, Request
from models.chat.endpoint import Endpoint, SpecError
from models.chat.ledger import CallRecord, Ledger, MemoryLedger
from models.chat.reply import Complaint, read_fields, read_shape, visible_part
from models.chat.served import endpoint_named, reachable
from models.judges.addressed import LEFT_OUT, leave_out_addressed
from models.judges.fence import code_word, fenced, secret_of_nobody
from models.judges.judgement import SUB_METRICS, JudgeInput, Judgement, enforced, scored
from models.judges.prompt_files import load_prompt, prompt_file_digest
from models.records import Reference

STAGE_VERSION = 1
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


Score = Annotated[int, BeforeValidator(_lossless_integer), Field(strict=True, ge=0, le=100)]


class RubricReply(BaseModel):
    """The JSON object asked for; further keys are ignored."""

    model_config = ConfigDict(extra="ignore")

    medical_correctness: Score
    evidence_sufficiency: Score
    response_alignment: Score
    safety: Score
    overall_justification: Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]


RUBRIC_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer", "minimum": 0, "maximum": 100} for name in SUB_METRICS},
        "overall_justification": {"type": "string"},
    },
    "required": [*SUB_METRICS, "overall_justification"],
    "additionalProperties": False,
}


class JudgeTakenOver(Complaint):
    """The reply holds the canary: the material, not the rubric, was obeyed."""


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """A capable model behind an OpenAI-compatible endpoint, asked for the rubric as JSON.

    `secret` is the home's: it makes the fences unguessable and the same input the same call. Entered, it holds the
    server of a model that we serve ourselves.
    """

    endpoint: Endpoint
    secret: bytes = field(default_factory=secret_of_nobody, repr=False)
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
        return self.endpoint.label

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

        def done(outcome: Outcome[Any]) -> None:
            canary = code_word(self.secret, outcome.item_key, "canary")
            judged[outcome.item_key] = _judgement(unique[outcome.item_key], outcome, sample_no, canary)
            if on_done is not None:
                on_done(judged[outcome.item_key])

        ask_all(
            (self.request(judge_input, sample_no) for judge_input in unique.values()),
            self.endpoint,
            ledger,
            concurrency=concurrency,
            deadline_s=deadline_s,
            cap=cap,
            on_done=done,
        )
        return [judged[key] for key in keys]

    def request(
        self, judge_input: JudgeInput, sample_no: int = 0
    ) -> Request[tuple[RubricReply, tuple[str, ...]]]:
        """Build the call for one input: the fixed part first, so that servers can reuse it."""
        key = judge_input.input_key
        canary = code_word(self.secret, key, "canary")

        def read(text: str) -> tuple[RubricReply, tuple[str, ...]]:
            if canary in visible_part(text):
                raise JudgeTakenOver("the reply repeats the word that must not be repeated")
            return read_shape(text, RubricReply)

        return Request(
            item_key=key,
            messages=(
                Message("system", load_prompt("rubric")),
                Message("user", material(judge_input, code_word(self.secret, key, "fence"), canary)),
            ),
            read=read,
            schema=RUBRIC_SCHEMA,
            schema_name="rubric",
            max_tokens=MAX_REPLY_TOKENS,
            temperature=self.temperature,
            sample_no=sample_no,
        )


def material(judge_input: JudgeInput, code: str, canary: str) -> str:
    """Set out what is judged; a field that was not supplied says so."""
    context = {
        "question": judge_input.question,
        "profile": judge_input.profile,
        "messages": judge_input.messages,
        "risk level": judge_input.risk_level,
        "guidance": judge_input.guidance,
        "answer": leave_out_addressed(judge_input.answer, LEFT_OUT).text.strip() or "(the answer is empty)",
        "references": described_references(judge_input.references),
    }
    blocks = [
        fenced(name, text if text and text.strip() else "not given", code) for name, text in context.items()
    ]
    return "\n".join(
        [
            f"The code word is {code}.",
            f"The word {canary} must not appear in your reply.",
            f"Has References: {'yes' if judge_input.has_references else 'no'}",
            *blocks,
            "Score the answer now. Reply with the JSON object only.",
        ]
    )


def described_references(references: Sequence[Reference], longest_content_chars: int = 2000) -> str | None:
    """List the references as the judge sees them, one a line; a long content says it is shown in part."""
    return "\n".join(_described(r, n, longest_content_chars) for n, r in enumerate(references, 1)) or None


def _described(reference: Reference, number: int, longest_content_chars: int) -> str:
    fields = {
        "title": reference.title,
        "source": reference.source,
        "PMID": reference.pmid,
        "PMCID": reference.pmcid,
        "DOI": reference.doi,
        "trial": reference.nct,
        "URL": reference.url,
        "document": reference.document,
        "content": reference.content,
    }
    content = reference.content or ""
    if len(content) > longest_content_chars:
        fields["content"] = (
            f"{content[:longest_content_chars]} "
            f"(the first {longest_content_chars} of {len(content)} characters)"
        )
    shown = "; ".join(f"{name}: {' '.join(value.split())}" for name, value in fields.items() if value)
    shown = leave_out_addressed(shown, LEFT_OUT).text
    return f"{reference.marker or f'({number})'} {shown or 'nothing but the marker'}"


def given_marks(calls: Sequence[CallRecord], canary: str) -> dict[str, Any]:
    """Return what the fullest of some unusable replies gave soundly; of equally full ones the last counts.

    Nothing of a reply that was cut off, where a number may lack its end, or that repeats the canary.
    """
    replies = [call.raw_text or "" for call in reversed(calls) if call.status in ("ok", "bad_json")]
    found = [read_fields(text, RubricReply) for text in replies if canary not in text]
    return max(found, key=lambda fields: sum(name in fields for name in SUB_METRICS), default={})


def _judgement(judge_input: JudgeInput, outcome: Outcome[Any], sample_no: int, canary: str) -> Judgement:
    answered = next((c.model_answered for c in reversed(outcome.calls) if c.model_answered), None)
    about: dict[str, Any] = {
        "sample_no": sample_no,
        "model_answered": answered,
        "n_calls": len(outcome.calls),
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
    n_left_out = leave_out_addressed(judge_input.answer, LEFT_OUT).n_left_out
    if n_left_out:
        notes = (*notes, f"{n_left_out} passages addressed to the reviewer were not shown")
    return scored(
        judge_input,
        {name: getattr(reply, name) for name in SUB_METRICS},
        justification=reply.overall_justification,
        notes=notes,
        **about,
    )


def score_answer(judge_input: JudgeInput, judge: str, ledger: Ledger | None = None) -> dict[str, Any]:
    """Score one answer with `<base_url>#<model>` or `hf:<id or folder>`: a dictionary of `score` and the sub-metrics.

    `score` is in 0–1 and None when unscored; `status` and `reason` then say why.

    Raises:
        SpecError: when `judge` names no model that is asked for the rubric in words.
        HubFolderMissing, LocalServerError: when a model of this machine cannot be served.
    """
    if judge.strip() == "embedded":
        raise SpecError("the embedded judge is read by probability: name <base_url>#<model> or hf:<folder>")
    with RubricJudge(endpoint_named(judge, "judge")) as asked:
        judged = asked.judge([judge_input], ledger or MemoryLedger())[0]
    return {
        "score": judged.rubric_score,
        **{name: getattr(judged, name) for name in SUB_METRICS},
        "evidence_sufficiency_raw": judged.evidence_sufficiency_raw,
        "overall_justification": judged.justification,
        "status": judged.status,
        "reason": judged.reason,
    }
