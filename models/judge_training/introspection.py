"""Introspection: where the judge's order of training answers differs from the reference, its evaluation is revised.

An evaluator with passages suggests corrections, the plain evaluator accepts or rejects them, for up to three rounds.
Without consent the case waits for a human jury. Accepted ones become rows: the prompt, the judge's own evaluation and
the suggestion as input, the revision as target.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.fence import code_word, default_secret, fenced
from medassay.models.chat.reply import Complaint, visible_part
from medassay.models.judge_training.chain import PROMPTS
from medassay.models.judge_training.fitting import Target
from medassay.models.judge_training.folders import built, read_lines, write_lines
from medassay.models.judge_training.knowledge import Library, cited
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.replies import points_in
from medassay.models.judges.listwise.reply import read_listwise
from medassay.models.judges.prompt_parts import load_prompt

MOST_ROUNDS = 3
MOST_REPLY_TOKENS = 1024
_VERDICT = re.compile(r"^\W*verdict\W+(accept|reject)", re.IGNORECASE | re.MULTILINE)
_SUGGESTIONS = re.compile(r"^\W*suggestions?\W*\n", re.IGNORECASE)

Decision = Literal["accepted", "jury", "unanswered"]
Ask = Callable[[Sequence[Request[Any]]], list[Outcome[Any]]]
"""Sends a batch of calls to one evaluator; outcomes come in order."""


@dataclass(frozen=True, slots=True)
class Review:
    """One case's way through introspection: the last suggestion, the objections to earlier ones, what was decided.

    `revision` is there where the decision is `accepted`; `reason` says why a case is with the jury, or unanswered.
    `by_jury` marks what people decided.
    """

    case_id: str
    own: str
    decision: Decision
    rounds: int
    suggestion: str = ""
    objections: tuple[str, ...] = ()
    revision: str | None = None
    reason: str | None = None
    by_jury: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """Counts of one iteration: cases judged, in another order than the reference, accepted by round, and the rest.

    `n_jury` waits for people; what they accepted and refused is in no other count.
    """

    n_judged: int
    n_differing: int
    n_unreadable: int
    accepted_in_round: tuple[int, ...]
    n_jury: int
    n_unanswered: int
    n_accepted_by_jury: int = 0
    n_refused_by_jury: int = 0


@dataclass(frozen=True, slots=True)
class Reviewers:
    """Who is asked: the evaluator with passages, the plain one, and where passages come from."""

    advisor: Ask
    plain: Ask
    library: Library


def differs(case: EvaluationCase, reply: str) -> bool:
    """Return whether a reply puts the case's answers into another order than its own scores do, or cannot be read."""
    points = points_in(reply, len(case.responses))
    if points is None or case.scores is None:
        return True
    return _order(points) != _order(case.scores)


def introspect(
    cases: Sequence[EvaluationCase],
    own: Sequence[str],
    reviewers: Reviewers,
    on_done: Callable[[int], None] = lambda _: None,
) -> tuple[list[Review], Round]:
    """Review every case whose own evaluation differs from the reference; return the reviews and their counts.

    Args:
        cases: training cases with scores.
        own: what the judge says of each, in the same order.
        reviewers: who is asked.
        on_done: called with how many more cases were decided.
    """
    differing = [(case, said) for case, said in zip(cases, own, strict=True) if differs(case, said)]
    unreadable = sum(points_in(said, len(case.responses)) is None for case, said in differing)
    opened = [Review(case.case_id, said, "jury", 0) for case, said in differing]
    by_id = {case.case_id: case for case, _ in differing}
    decided: list[Review] = []
    for number in range(1, MOST_ROUNDS + 1):
        opened, closed = _round(opened, by_id, reviewers, number)
        on_done(len(closed))
        decided += closed
    decided += [replace(review, reason=f"no consent in {MOST_ROUNDS} rounds") for review in opened]
    on_done(len(opened))
    decided = _revised(decided, by_id, reviewers)
    counts = counts_of(decided, len(cases), unreadable)
    return sorted(decided, key=lambda review: review.case_id), counts


def counts_of(reviews: Sequence[Review], n_judged: int, n_unreadable: int) -> Round:
    """Count an iteration's reviews, those that people decided apart."""

    def count(decision: Decision, *, by_jury: bool = False, rounds: int | None = None) -> int:
        return sum(
            review.decision == decision and review.by_jury == by_jury and rounds in (None, review.rounds)
            for review in reviews
        )

    return Round(
        n_judged,
        len(reviews),
        n_unreadable,
        tuple(count("accepted", rounds=number) for number in range(1, MOST_ROUNDS + 1)),
        count("jury"),
        count("unanswered"),
        count("accepted", by_jury=True),
        count("unanswered", by_jury=True),
    )


def targets_of(reviews: Iterable[Review], cases: Iterable[EvaluationCase]) -> list[Target]:
    """Return the rows to learn: the case's prompt with own evaluation and suggestion, answered by the revision."""
    by_id = {case.case_id: case for case in cases}
    return [
        Target(by_id[review.case_id], review.revision, notes_of(review))
        for review in reviews
        if review.revision is not None and review.case_id in by_id
    ]


def notes_of(review: Review) -> str:
    """Return what is added to a prompt: the judge's own evaluation and the suggestion, fenced as all material is."""
    code = code_word(default_secret(), review.case_id, "introspection")
    blocks = [fenced("your evaluation", review.own, code), fenced("suggestions", review.suggestion, code)]
    return "\n".join([*blocks, "Write your evaluation anew as the suggestions say."])


def revise(reviews: Sequence[Review], cases: Iterable[EvaluationCase], reviewers: Reviewers) -> list[Review]:
    """Have the evaluator with passages write the revision of reviews that a jury has accepted since."""
    return _revised(list(reviews), {case.case_id: case for case in cases}, reviewers)


def write_reviews(path: Path, reviews: Iterable[Review]) -> None:
    """Write reviews as JSON lines."""
    write_lines(path, reviews)


def read_reviews(path: Path) -> list[Review]:
    """Read what `write_reviews` wrote."""
    return built(list[Review], read_lines(path))


def _round(
    opened: Sequence[Review], by_id: dict[str, EvaluationCase], reviewers: Reviewers, number: int
) -> tuple[list[Review], list[Review]]:
    """Ask for suggestions and for consent once; return what is still open, and what was decided."""
    suggested = reviewers.advisor(
        [_suggesting(by_id[review.case_id], review, reviewers.library) for review in opened]
    )
    still, closed = [], []
    told = []
    for review, outcome in zip(opened, suggested, strict=True):
        if outcome.value is None:
            closed.append(replace(review, decision="unanswered", rounds=number, reason=outcome.reason))
        else:
            told.append(replace(review, suggestion=outcome.value, rounds=number))
    verdicts = reviewers.plain([_consenting(by_id[review.case_id], review) for review in told])
    for review, verdict in zip(told, verdicts, strict=True):
        if verdict.value is None:
            closed.append(replace(review, decision="unanswered", reason=verdict.reason))
        elif verdict.value[0]:
            closed.append(replace(review, decision="accepted"))
        else:
            still.append(replace(review, objections=(*review.objections, verdict.value[1])))
    return still, closed


def _revised(reviews: list[Review], by_id: dict[str, EvaluationCase], reviewers: Reviewers) -> list[Review]:
    waiting = [review for review in reviews if review.decision == "accepted" and review.revision is None]
    outcomes = reviewers.advisor([_revising(by_id[review.case_id], review) for review in waiting])
    written = {
        review.case_id: replace(review, revision=outcome.value)
        if outcome.value is not None
        else replace(review, decision="unanswered", reason=outcome.reason, by_jury=False)
        for review, outcome in zip(waiting, outcomes, strict=True)
    }
    return [written.get(review.case_id, review) for review in reviews]


def _suggesting(case: EvaluationCase, review: Review, library: Library) -> Request[str]:
    found = library.passages(case.question)
    passages = {
        f"passage {n}": f"{cited(passage)}: {passage.text}" for n, passage in enumerate(found, start=1)
    }
    objections = {f"objection {n}": text for n, text in enumerate(review.objections, start=1)}
    shown = {"evaluation": review.own, **passages, **objections}
    return _request(
        "introspection_suggest", case, review, shown, _read_suggestions, "beginning with 'Suggestions:'"
    )


def _consenting(case: EvaluationCase, review: Review) -> Request[tuple[bool, str]]:
    shown = {"evaluation": review.own, "suggestions": review.suggestion}
    form = "in the form 'Reason: … Verdict: accept' or 'Verdict: reject'"
    return _request("introspection_consent", case, review, shown, _read_verdict, form)


def _revising(case: EvaluationCase, review: Review) -> Request[str]:
    shown = {"evaluation": review.own, "suggestions": review.suggestion}
    n = len(case.responses)

    def read(text: str) -> str:
        read_listwise(text, n)
        return visible_part(text).strip()

    form = "in the form 'Analyze: Step 1 … Score: Doctor 1: n points. …' and nothing else"
    return _request("introspection_revise", case, review, shown, read, form)


def _request(
    prompt: str,
    case: EvaluationCase,
    review: Review,
    shown: dict[str, str],
    read: Callable[[str], Any],
    form: str,
) -> Request[Any]:
    code = code_word(default_secret(), case.case_id, f"{prompt} {review.rounds}")
    doctors = {f"Doctor {n}": text for n, text in enumerate(case.responses, start=1)}
    blocks = [
        fenced(name, text, code) for name, text in {"question": case.question, **doctors, **shown}.items()
    ]
    return Request(
        item_key=f"{prompt}/{case.case_id}/{review.rounds}",
        messages=(
            Message("system", load_prompt(prompt, PROMPTS)),
            Message("user", "\n".join([f"The code word is {code}.", *blocks, "Reply now."])),
        ),
        read=read,
        max_tokens=MOST_REPLY_TOKENS,
        form=form,
    )


def _read_suggestions(text: str) -> str:
    said = _SUGGESTIONS.sub("", visible_part(text).strip()).strip()
    if not said:
        raise Complaint("it suggests nothing")
    return said


def _read_verdict(text: str) -> tuple[bool, str]:
    visible = visible_part(text)
    verdicts = {verdict.lower() for verdict in _VERDICT.findall(visible)}
    if len(verdicts) != 1:
        raise Complaint("it has no line 'Verdict: accept' or 'Verdict: reject', or both")
    return verdicts == {"accept"}, visible.strip()


def _order(points: Sequence[float]) -> tuple[int, ...]:
    return tuple((a > b) - (a < b) for a, b in combinations(points, 2))
