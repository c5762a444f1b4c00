"""The judge of criteria: several of one answer in a call, each verdict read by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from medassay.models.atomic.facts import locate_quote
from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import code_word, default_secret, fenced
from medassay.models.chat.reply import Complaint, read_objects
from medassay.models.judges.addressed.removal import LEFT_OUT, leave_out_addressed
from medassay.models.judges.prompt_parts import (
    canary_of,
    forbidden,
    load_prompt,
    prompt_file_digest,
    refuse_repeated,
)
from medassay.models.keys import content_key
from medassay.models.records import Span

STAGE_VERSION = 1
TOKENS_A_CRITERION, TOKENS_AROUND = 160, 128
NOT_IN_ANSWER = "the evidence that the judge quotes does not stand in the answer"
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a criterion is met; the evidence as quoted, and its place in the answer where it stands there."""

    met: bool
    evidence: str | None
    span: Span | None

    @property
    def note(self) -> str | None:
        """What is wrong with the evidence."""
        return NOT_IN_ANSWER if self.evidence and self.span is None else None


@dataclass(frozen=True, slots=True)
class CriteriaInput:
    """An answer with the criteria that it is held to; the question is a whole conversation where it was one."""

    item_key: str
    question: str
    answer: str
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CriteriaJudge:
    """A capable model behind an OpenAI-compatible endpoint, asked whether an answer meets criteria."""

    endpoint: Endpoint
    per_call: int = 8
    secret: bytes = field(default_factory=default_secret, repr=False)

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What was asked: everything that can change a verdict."""
        return {
            "judge": "criteria",
            "base_url": self.endpoint.identity,
            "model": self.endpoint.model,
            "prompt": prompt_file_digest("criteria"),
            "per_call": self.per_call,
            "temperature": 0.0,
            "stage_version": STAGE_VERSION,
        }

    def parts(self, shown: CriteriaInput) -> list[tuple[str, ...]]:
        """Cut an answer's criteria into those of one call each."""
        return [
            shown.criteria[start : start + self.per_call]
            for start in range(0, len(shown.criteria), self.per_call)
        ]

    def request(self, shown: CriteriaInput, criteria: Sequence[str]) -> Request[dict[str, Verdict]]:
        """Build one call about some criteria of an answer, read as criterion → verdict, where it gives a sound one.

        Question and answer come first, so that servers reuse what they have read of them. A reply without any verdict
        is complained of.
        """
        key = content_key([shown.question, shown.answer])
        code, canary = code_word(self.secret, key, "criteria"), canary_of(self.secret, key)
        ids = tuple(f"k{number}" for number in range(1, len(criteria) + 1))
        said = leave_out_addressed(shown.answer, LEFT_OUT).text.strip() or "(no answer)"
        listed = "\n".join(
            f"{name}: {' '.join(text.split())}" for name, text in zip(ids, criteria, strict=True)
        )
        lines = [
            f"The code word is {code}.",
            forbidden(canary),
            fenced("conversation", shown.question, code),
            fenced("answer", said, code),
            fenced("criteria", listed, code),
            'Reply with the JSON object only: {"verdicts": [{"id": "k1", "evidence": "…", "met": true}, …]}',
        ]

        def read(text: str) -> dict[str, Verdict]:
            refuse_repeated(canary, text)
            found = read_verdicts(read_objects(text)[0].value, ids, shown.answer)
            if not found:
                raise Complaint(f"it gives no verdict, met true or false, for any of {', '.join(ids)}")
            return {criteria[ids.index(name)]: verdict for name, verdict in found.items()}

        return Request(
            item_key=shown.item_key,
            messages=(Message("system", load_prompt("criteria")), Message("user", "\n".join(lines))),
            read=read,
            schema=_schema(ids),
            schema_name="criteria",
            max_tokens=TOKENS_AROUND + TOKENS_A_CRITERION * len(criteria),
        )


def read_verdicts(reply: Any, ids: Sequence[str], answer: str) -> dict[str, Verdict]:
    """Read a reply as id → verdict; an id without exactly one sound verdict is left out.

    Sound is a truth value, or the words true, false, yes or no; two different ones of an id are none.
    """
    rows = reply.get("verdicts") if isinstance(reply, dict) else None
    given: dict[str, list[dict[str, Any]]] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            given.setdefault(str(row.get("id")), []).append(row)
    found = {}
    for name in ids:
        said = {_truth(row.get("met")) for row in given.get(name, [])}
        if len(said) == 1 and (met := said.pop()) is not None:
            told = given[name][0].get("evidence")
            quote = told.strip() if isinstance(told, str) else ""
            span = locate_quote(quote, answer, Span(0, len(answer))) if quote else None
            found[name] = Verdict(met, quote or None, span)
    return found


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().lower())


def _schema(ids: Sequence[str]) -> dict[str, Any]:
    row = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": list(ids)},
            "evidence": {"type": "string"},
            "met": {"type": "boolean"},
        },
        "required": ["id", "evidence", "met"],
        "additionalProperties": False,
    }
    verdicts = {"type": "array", "items": row, "minItems": len(ids), "maxItems": len(ids)}
    return {
        "type": "object",
        "properties": {"verdicts": verdicts},
        "required": ["verdicts"],
        "additionalProperties": False,
    }
