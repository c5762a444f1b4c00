"""The embedded judge's yes/no questions: what stands before them, how they are put, and how a reply is read.

The text comes first and the question last, so that the server reads a text once for all its questions; correctness and
safety are asked about the text alone, so that a true answer to another question stays true.
"""

import json
import math
import re
from collections.abc import Sequence
from functools import cache

from models.chat.conversation import Message, Request
from models.chat.reply import Complaint
from models.judges.addressed import leave_out_addressed
from models.judges.fence import neutralise
from models.judges.judgement import SUB_METRICS, JudgeInput, SubMetric
from models.judges.on_topic import parts_of
from models.judges.plain_text import plain_text
from models.judges.prompt_files import load_examples, load_prompt
from models.records import Reference

MOST_REFERENCES = 12
LONGEST_REFERENCE_CHARS = 160
PROMPTS = ("yes_no_system", *(f"yes_no_{name}" for name in SUB_METRICS))
ASKED_OF_THE_REST: tuple[SubMetric, ...] = ("medical_correctness", "safety")
"""What an error anywhere in the text lowers; the other two are asked of what is tied to the question alone."""
REFERENCES_ONLY: SubMetric = "evidence_sufficiency"
"""What is asked about the references: once, whatever the number of views."""
REST = "rest"
_SMALLEST_MASS = 0.05


def requests(judge_input: JudgeInput, sample_no: int = 0) -> list[Request[float]]:
    """Build the questions about one answer, named `<input key>/<sub-metric>/<view>`, each read as log-odds of "Yes".

    What is tied to the question is asked about in full, in one view or in several whose lowest reading counts; the rest
    is asked about by itself.
    """
    parts = parts_of(shown_text(judge_input.answer), judge_input)
    asked: list[tuple[str, str, SubMetric]] = []
    for n, text in enumerate(parts.tied):
        asked += [(f"tied{n or ''}", text, name) for name in SUB_METRICS if not n or name != REFERENCES_ONLY]
    if parts.rest:
        asked += [(REST, parts.rest, name) for name in ASKED_OF_THE_REST]
    references = listed_references(judge_input.references)
    question = neutralise(judge_input.question).strip()
    guidance = neutralise(judge_input.guidance).strip() if judge_input.guidance else None
    return [
        Request(
            item_key=f"{judge_input.input_key}/{name}/{view}",
            messages=(
                *opening(),
                _asked(text or "(the answer is empty)", name, question, guidance, references),
            ),
            read=log_odds_of_yes,
            max_tokens=1,
            top_logprobs=20,
            sample_no=sample_no,
        )
        for view, text, name in asked
    ]


def shown_text(answer: str) -> str:
    """Return an answer as the model sees it: without what is addressed to a judge, and without its typography."""
    return plain_text(neutralise(leave_out_addressed(answer).text))


@cache
def opening() -> tuple[Message, ...]:
    """Return what every call begins with: the instruction, and examples with their replies."""
    turns = [Message("system", load_prompt("yes_no_system"))]
    for example in load_examples("yes_no_examples"):
        given = (example["sub_metric"], example.get("question", ""), example.get("guidance"))
        turns.append(_asked(example["text"], *given, example.get("references", "none")))
        turns.append(Message("assistant", example["reply"]))
    return tuple(turns)


def _asked(text: str, name: str, question: str, guidance: str | None, references: str) -> Message:
    filled = {
        "{question}": question,
        "{guidance}": f"Guidance: {guidance}\n" if guidance else "",
        "{references}": references,
    }
    asked = re.sub(r"\{\w+\}", lambda place: filled[place.group()], load_prompt(f"yes_no_{name}"))
    return Message("user", f"Text: {text}\n\n{asked}")


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
    line = " ".join(leave_out_addressed(" ".join([shown or "", *known])).text.split())
    if len(line) > LONGEST_REFERENCE_CHARS:
        line = f"{line[:LONGEST_REFERENCE_CHARS]} …"
    return f"[{number}] {neutralise(line) or 'nothing but the marker'}"


def log_odds_of_yes(text: str) -> float:
    """Return ln P(Yes) − ln P(No) from the first token's alternatives, letter case and spaces aside.

    Raises:
        Complaint: when neither word is among them with a share worth reading.
    """
    try:
        alternatives = {token: float(logprob) for token, logprob in json.loads(text).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise Complaint("the reply holds no token probabilities") from error
    mass = {
        word: sum(math.exp(lp) for token, lp in alternatives.items() if token.strip().lower() == word)
        for word in ("yes", "no")
    }
    if sum(mass.values()) < _SMALLEST_MASS:
        raise Complaint("neither Yes nor No is a likely reply")
    least = min(alternatives.values())
    floor = math.exp(least)
    return math.log(max(mass["yes"], floor)) - math.log(max(mass["no"], floor))
