"""The human jury: cases without consent on a sheet or in the browser, and what people decide of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from medassay.models.judge_training.introspection import Review
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.keys import content_key
from medassay.models.people.sheets import Form, Sheet, found_or_refused, read_sheet, write_sheet, yes_or_no

JURY = Sheet(
    ("question", "answers", "reference_scores", "evaluation", "last_suggestion", "objections"),
    ("accept", "suggestion"),
)
"""People fill in `accept` (yes or no) and, where another is better than the last one, `suggestion`."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one juror says of a case: whether its correction is accepted, and a better one where they wrote it."""

    accepts: bool
    suggestion: str = ""


def review_item(review: Review) -> str:
    """Name a waiting review by what is voted on, so that no vote counts for another evaluation or suggestion."""
    return "j" + content_key([review.case_id, review.own, review.suggestion])[:16]


def decided_by_votes(reviews: Iterable[Review], votes: Mapping[str, Sequence[Vote]]) -> list[Review]:
    """Return all reviews with what most jurors say of those that wait, by item; a tie waits on.

    Args:
        reviews: of an iteration.
        votes: of each item, in the order in which they were given: of several suggestions the last one counts.
    """
    return [
        _voted(review, votes.get(review_item(review), ())) if review.decision == "jury" else review
        for review in reviews
    ]


def _voted(review: Review, votes: Sequence[Vote]) -> Review:
    margin = sum(1 if vote.accepts else -1 for vote in votes)
    written = [vote.suggestion for vote in votes if vote.accepts and vote.suggestion]
    return _after(review, margin > 0, written[-1] if written else "") if margin else review


def export_jury(form: Form, reviews: Iterable[Review], cases: Iterable[EvaluationCase]) -> str:
    """Return a sheet of the cases that wait for the jury."""
    by_id = {case.case_id: case for case in cases}
    waiting = [review for review in reviews if review.decision == "jury" and review.case_id in by_id]
    return write_sheet(form, JURY, [_row(review, by_id[review.case_id]) for review in waiting])


def import_jury(
    form: Form, text: str, reviews: Sequence[Review], left_out: list[str] | None = None
) -> tuple[list[Review], int]:
    """Return all reviews with the jury's decisions, and how many cases were decided; an empty `accept` waits on.

    What is accepted has the jury's own suggestion where one was written, and waits for its revision. What is refused
    leaves the queue without one.

    Args:
        form: of the sheet.
        text: the sheet.
        reviews: of the iteration.
        left_out: gets a line for each row that is neither yes nor no, or of a case that does not wait.

    Raises:
        SheetUnreadable: where nothing is decided; without `left_out`, where any row cannot be taken.
    """
    waiting = {review.case_id: review for review in reviews if review.decision == "jury"}
    problems, decided = [], dict[str, Review]()
    for line, row in read_sheet(form, text, JURY):
        if not row["accept"]:
            continue
        if row["item"] not in waiting:
            problems.append(f"line {line}: item {row['item']} does not wait for a jury; leave it out")
        elif (said := yes_or_no(row["accept"])) is None:
            problems.append(f"line {line}: accept is {row['accept']!r}; write yes or no")
        else:
            decided[row["item"]] = _after(waiting[row["item"]], said, row["suggestion"])
    nothing = "no case is decided yet; write yes or no under accept, then import it again"
    decided = found_or_refused(decided, problems, nothing, left_out)
    return [decided.get(review.case_id, review) for review in reviews], len(decided)


def _after(review: Review, is_accepted: bool, suggestion: str) -> Review:
    if is_accepted:
        return replace(
            review, decision="accepted", suggestion=suggestion or review.suggestion, reason=None, by_jury=True
        )
    return replace(review, decision="unanswered", reason="refused by the jury", by_jury=True)


def _row(review: Review, case: EvaluationCase) -> dict[str, str]:
    answers = "\n\n".join(f"Doctor {n}: {text}" for n, text in enumerate(case.responses, start=1))
    scores = ", ".join(f"Doctor {n}: {score}" for n, score in enumerate(case.scores or (), start=1))
    return {
        "item": review.case_id,
        "question": case.question,
        "answers": answers,
        "reference_scores": scores,
        "evaluation": review.own,
        "last_suggestion": review.suggestion,
        "objections": "\n\n".join(review.objections),
    }
