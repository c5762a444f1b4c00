"""The embedded judge's four yes/no questions: what stands before them, how they are put, and how a reply is read."""

import math
import re
from collections.abc import Sequence
from functools import cache

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.fence import neutralise
from medassay.models.chat.reply import Complaint, read_alternatives
from medassay.models.judges.addressed.removal import leave_out_addressed
from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, SubMetric
from medassay.models.judges.prompt_parts import load_examples, load_prompt
from medassay.models.records import Reference

MOST_REFERENCES = 12
LONGEST_REFERENCE_CHARS = 160
PROMPTS = ("yes_no_system", *(f"yes_no_{name}" for name in SUB_METRICS))
ORDER: tuple[SubMetric, ...] = (
    "medical_correctness",
    "safety",
    "response_alignment",
    "evidence_sufficiency",
)
"""Questions that begin alike follow one another, so that the server reads an answer once."""
LONGEST_ANSWER_BYTES = 4500
"""About 700 words. So much of an answer fits into the model's context behind what every call begins with: names of
drugs and doses, the densest English, have 1.5 bytes a token, Chinese has two."""
SMALLEST_MASS = 0.05
"""The share that "Yes" and "No" have together at least in a reply that can be read."""


def requests(judge_input: JudgeInput, sample_no: int = 0) -> list[Request[float]]:
    """Build one question a sub-metric, named `<input key>/<sub-metric>`, read as log-odds of "Yes".

    Of a very long answer the beginning is read. References are read without the answer.
    """
    return [_request(judge_input, name, sample_no) for name in ORDER]


def _request(judge_input: JudgeInput, name: SubMetric, sample_no: int) -> Request[float]:
    shown = _asked(
        name,
        shown_answer(judge_input.answer) or "(the answer is empty)",
        neutralise(judge_input.question).strip(),
        neutralise(judge_input.guidance).strip() if judge_input.guidance else None,
        listed_references(judge_input.references),
    )
    return request_of(f"{judge_input.input_key}/{name}", shown, sample_no)


def request_of(item_key: str, shown: Message, sample_no: int = 0) -> Request[float]:
    """Build the request of one message behind the opening, whose reply is one token."""
    return Request(
        item_key=item_key,
        messages=(*opening(), shown),
        read=log_odds_of_yes,
        max_tokens=1,
        top_logprobs=20,
        sample_no=sample_no,
    )


def shown_answer(answer: str) -> str:
    """Return an answer without what is addressed to a judge; of a very long one the beginning."""
    text = neutralise(leave_out_addressed(answer).text)
    return text.encode()[:LONGEST_ANSWER_BYTES].decode(errors="ignore").strip()


@cache
def opening() -> tuple[Message, ...]:
    """Return what every call begins with: the instruction, and examples with their replies."""
    turns = [Message("system", load_prompt("yes_no_system"))]
    for example in load_examples("yes_no_examples"):
        shown = (example.get(part) for part in ("answer", "question", "guidance", "references"))
        turns += [_asked(example["sub_metric"], *shown), Message("assistant", example["reply"])]
    return tuple(turns)


def _asked(
    name: str, answer: str | None, question: str | None, guidance: str | None, references: str | None
) -> Message:
    filled = {
        "{question}": f"Question: {question}\n" if question else "",
        "{guidance}": f"Guidance: {guidance}\n" if guidance else "",
        "{references}": references or "none",
        "{answer}": answer or "",
    }
    return Message(
        "user", re.sub(r"\{\w+\}", lambda place: filled[place.group()], load_prompt(f"yes_no_{name}"))
    )


def listed_references(references: Sequence[Reference]) -> str:
    """List what the references are, one short line each; the first twelve, and how many more there are."""
    lines = [_reference_line(reference, n) for n, reference in enumerate(references[:MOST_REFERENCES], 1)]
    if len(references) > MOST_REFERENCES:
        lines.append(f"and {len(references) - MOST_REFERENCES} more")
    return "\n".join(lines) or "none"


def _reference_line(reference: Reference, number: int) -> str:
    identifiers = {
        "PMID": reference.pmid,
        "DOI": reference.doi,
        "trial": reference.nct,
        "PMC": reference.pmcid,
    }
    known = [f"{name} {value}" for name, value in identifiers.items() if value]
    shown = reference.title or reference.content or reference.source or reference.url or reference.document
    said = leave_out_addressed(shown or "", is_answer=False).text
    line = " ".join(" ".join([said, *known]).split())
    if len(line) > LONGEST_REFERENCE_CHARS:
        line = f"{line[:LONGEST_REFERENCE_CHARS]} …"
    return f"[{number}] {neutralise(line) or 'nothing but the marker'}"


def log_odds_of_yes(text: str) -> float:
    """Return ln P(Yes) − ln P(No) from the first token's alternatives, letter case and spaces aside.

    A word that is not among them counts as the least likely of them.

    Raises:
        Complaint: when neither word is among them with a share worth reading.
    """
    alternatives = read_alternatives(text)
    mass = {
        word: sum(math.exp(lp) for token, lp in alternatives.items() if token.strip().lower() == word)
        for word in ("yes", "no")
    }
    if sum(mass.values()) < SMALLEST_MASS:
        raise Complaint("neither Yes nor No is a likely reply")
    floor = math.exp(min(alternatives.values()))
    return math.log(max(mass["yes"], floor)) - math.log(max(mass["no"], floor))
