"""The embedded judge's yes/no questions: what stands before them, how they are put, and how a reply is read.

The question comes first and what is said after it: a model that reads from left to right understands "about one to
three weeks" only where it knows what was asked. A statement that shares nothing with the question is read alone, so
that a true answer to another question stays true. References are read without the answer.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, partial

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.fence import neutralise
from medassay.models.chat.reply import Complaint, read_alternatives
from medassay.models.judges.addressed.leaving_out import leave_out_addressed
from medassay.models.judges.embedded.weakest import (
    ALIGNMENT,
    CORRECTNESS,
    EVIDENCE,
    NOTHING,
    REFERENCES,
    SAFETY,
    Readings,
    still_to_read,
)
from medassay.models.judges.guidance import points_of
from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, SubMetric
from medassay.models.judges.prompt_files import load_examples, load_prompt
from medassay.models.judges.statements.far_asides import Cosine
from medassay.models.judges.statements.on_topic import Statements, statements_of
from medassay.models.judges.statements.plain_text import plain_text
from medassay.models.judges.statements.sources_listed import without_listed_sources
from medassay.models.judges.statements.views import WHOLE, breaks, is_addressed, is_beside, keeps
from medassay.models.records import Reference

MOST_REFERENCES = 12
LONGEST_REFERENCE_CHARS = 160
PROMPTS = ("yes_no_system", "yes_no_guidance", *(f"yes_no_{name}" for name in SUB_METRICS))
NOTHING_SAID = "It is a question that is often asked."
"""What stands for an answer that says nothing: how it reads is what an answer that says something is held against."""
LONGEST_WHOLE_BYTES = 4500
"""About 700 words. So much of an answer fits into the model's context behind what every call begins with: names of
drugs and doses, the densest English, have 1.5 bytes a token, Chinese has two."""
SAY_WHETHER_IT_ANSWERS = 2
"""Of so many of the statements that are tied to the question it is asked whether they answer it."""
SMALLEST_MASS = 0.05
"""The share that "Yes" and "No" have together at least in a reply that can be read."""


def requests(judge_input: JudgeInput, cosine: Cosine | None, sample_no: int = 0) -> list[Request[float]]:
    """Build the first questions about one answer, named `<input key>/<sub-metric>/<view>`, read as log-odds of "Yes".

    Of every statement it is asked whether it is correct, by itself and without the appeals in it, and whether it is
    safe; whether the question is answered, of the gist of the first two that are tied to it, so that nothing behind
    them changes that. Of the points of guidance, what is asked for is looked for in all that is stated, what is
    forbidden in every statement. `next_requests` come when these are read.
    """
    said = said_by(judge_input, cosine)
    asked: list[tuple[str, str, SubMetric]] = []
    for view, statement in said.texts.items():
        asked += [(view, statement, CORRECTNESS), (view, statement, SAFETY)]
        asked += [(name, text, CORRECTNESS) for name, text in said.read_at_once(view).items() if name != view]
        if statement in said.tied[:SAY_WHETHER_IT_ANSWERS]:
            gist = said.gist_view(view)
            asked.append((gist, said.text_of(gist), ALIGNMENT))
    for view, statement in said.addressed_texts.items():
        asked += [(view, statement, CORRECTNESS), (view, statement, SAFETY)]
    asked.append((REFERENCES, "", EVIDENCE))
    views = list(dict.fromkeys(view for view, *_ in asked))
    return [
        *(
            _request(judge_input, *one, sample_no)
            for one in sorted(asked, key=lambda one: views.index(one[0]))
        ),
        *_about_guidance(judge_input, said, sample_no),
    ]


def _about_guidance(judge_input: JudgeInput, said: Statements, sample_no: int) -> Iterator[Request[float]]:
    """Ask whether the text does what guidance asks for, and of every statement whether it does what is forbidden."""
    points = points_of(neutralise(judge_input.guidance) if judge_input.guidance else None)
    for piece, text in enumerate(_pieces(said.bare)):
        for n, point in enumerate(points.dos):
            yield _whether(judge_input, keeps(n, piece), text, point, sample_no)
    for view, text in {**said.texts, **said.addressed_texts}.items():
        for n, point in enumerate(points.donts):
            yield _whether(judge_input, breaks(n, view), text, point, sample_no)


def _pieces(statements: Sequence[str]) -> list[str]:
    """Join statements into texts that fit into the model's context."""
    pieces: list[str] = []
    for statement in statements:
        joined = f"{pieces[-1]} {statement}" if pieces else statement
        if pieces and len(joined.encode()) <= LONGEST_WHOLE_BYTES:
            pieces[-1] = joined
        else:
            pieces.append(statement)
    return pieces


def quick_requests(judge_input: JudgeInput, sample_no: int = 0) -> list[Request[float]]:
    """Build one question a sub-metric about one answer, three of them about all that is stated in it.

    The one that is shown the guidance comes last, so that the others begin alike. Of a very long answer the beginning
    is read.
    """
    text = said_by(judge_input, None).whole.encode()[:LONGEST_WHOLE_BYTES].decode(errors="ignore")
    asked = [(WHOLE, text, name) for name in (CORRECTNESS, SAFETY, ALIGNMENT)]
    return [_request(judge_input, *one, sample_no) for one in (*asked, (REFERENCES, "", EVIDENCE))]


def next_requests(
    judge_input: JudgeInput, readings: Readings, cosine: Cosine | None, sample_no: int = 0
) -> list[Request[float]]:
    """Build the questions that the readings so far call for; none when all is read that counts."""
    said = said_by(judge_input, cosine)
    asked = []
    for view, name in still_to_read(readings, said.versions_of):
        if name == ALIGNMENT and view in said.texts:
            asked += [(read, text, name) for read, text in said.answering_texts(view).items()]
        else:
            asked.append((view, NOTHING_SAID if view == NOTHING else said.text_of(view), name))
    return [_request(judge_input, *one, sample_no) for one in asked]


def requests_at_most(judge_input: JudgeInput) -> list[Request[float]]:
    """Build all questions that may be asked about one answer, whatever the readings and whatever is far from it."""
    said = said_by(judge_input, None)
    beside = [one for view in said.texts if is_beside(view) for one in said.answering_texts(view).items()]
    asked = [(read, text, ALIGNMENT) for read, text in beside]
    asked += [(NOTHING, NOTHING_SAID, ALIGNMENT)] if beside else []
    costliest = max(map(said.versions_of, said.texts), key=len, default={})
    asked += [(view, text, CORRECTNESS) for view, text in costliest.items()]
    if costliest:
        asked.append((*max(costliest.items(), key=lambda one: len(one[1])), SAFETY))
    posed = [*requests(judge_input, None), *(_request(judge_input, *one, 0) for one in asked)]
    return list({request.item_key: request for request in posed}.values())


def said_by(judge_input: JudgeInput, cosine: Cosine | None) -> Statements:
    """Divide an answer, as it is shown, into its statements."""
    shown = shown_text(judge_input.answer, judge_input.references)
    passages = leave_out_addressed(judge_input.answer).passages
    return statements_of(shown, judge_input, cosine, [plain_text(neutralise(told)) for told in passages])


def fixed_texts() -> list[str]:
    """Return the texts that stand in for an answer: they are part of what is asked."""
    return [NOTHING_SAID]


def _request(
    judge_input: JudgeInput, view: str, text: str, name: SubMetric, sample_no: int
) -> Request[float]:
    guidance = neutralise(judge_input.guidance).strip() if judge_input.guidance else None
    shown = _asked(
        name,
        text or "(the answer is empty)",
        None if _is_read_alone(view, name) else neutralise(judge_input.question).strip(),
        guidance,
        listed_references(judge_input.references),
    )
    return Request(
        item_key=f"{judge_input.input_key}/{name}/{view}",
        messages=(*opening(), shown),
        read=log_odds_of_yes,
        max_tokens=1,
        top_logprobs=20,
        sample_no=sample_no,
    )


def _is_read_alone(view: str, name: SubMetric) -> bool:
    """Say whether the question is kept from the model: what speaks of something else may still be right and safe."""
    return (is_beside(view) or is_addressed(view)) and name in (CORRECTNESS, SAFETY)


def _whether(judge_input: JudgeInput, view: str, text: str, point: str, sample_no: int) -> Request[float]:
    filled = {"{answer}": text, "{point}": point}
    shown = re.sub(r"\{\w+\}", lambda place: filled[place.group()], load_prompt("yes_no_guidance"))
    return Request(
        item_key=f"{judge_input.input_key}/{ALIGNMENT}/{view}",
        messages=(*opening(), Message("user", shown)),
        read=partial(log_odds_of_yes, smallest_mass=0.0),
        max_tokens=1,
        top_logprobs=20,
        sample_no=sample_no,
    )


def shown_text(answer: str, references: Sequence[Reference] = ()) -> str:
    """Return an answer as the model sees it: without what is addressed to a judge, its sources, its typography."""
    kept = without_listed_sources(leave_out_addressed(answer).text, references)
    return plain_text(neutralise(kept))


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


def log_odds_of_yes(text: str, smallest_mass: float = SMALLEST_MASS) -> float:
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
    if sum(mass.values()) < smallest_mass:
        raise Complaint("neither Yes nor No is a likely reply")
    least = min(alternatives.values())
    floor = math.exp(least)
    return math.log(max(mass["yes"], floor)) - math.log(max(mass["no"], floor))
