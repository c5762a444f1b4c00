"""Where the judge differs from the reference: suggestions, consent, revisions, and what is left to people."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judge_training.introspection import (
    Review,
    Reviewers,
    Round,
    counts_of,
    differs,
    introspect,
    read_reviews,
    revise,
    targets_of,
    write_reviews,
)
from medassay.models.judge_training.jury import export_jury, import_jury
from medassay.models.judge_training.records import EvaluationCase, Passage
from medassay.models.judge_training.scripted import ScriptedEvaluator, Temper, scripted_server
from medassay.models.judge_training.template_world import documents_of, make_questions
from medassay.models.people.sheets import SheetUnreadable
from tests.judge_training.world import cases_of

SEED = 1
QUESTIONS = make_questions(SEED, 6)


class Documents:
    """Every document of the world, whatever is asked."""

    def passages(self, question: str) -> tuple[Passage, ...]:
        return tuple(
            Passage("medicine", f"{drug}.txt", None, 0, len(text), 1.0, text)
            for drug, text in documents_of(SEED).items()
        )


class NoDocuments:
    def passages(self, question: str) -> tuple[Passage, ...]:
        return ()


def cases() -> list[EvaluationCase]:
    return cases_of(QUESTIONS)


def turned(case: EvaluationCase) -> str:
    """Say of each doctor the opposite, in the form."""
    lines = [f"Doctor {n}: {6 - score} points." for n, score in enumerate(case.scores or (), start=1)]
    return "\n".join(["Analyze:", "Step 1: turned.", "Score:", *lines])


def asking(base_url: str, model: str) -> Callable[[Sequence[Request[Any]]], list[Outcome[Any]]]:
    ledger = MemoryLedger()
    return lambda requests: ask_all(requests, Endpoint(base_url, model), ledger)


def evaluator(rejects: float) -> ScriptedEvaluator:
    return ScriptedEvaluator(QUESTIONS, Temper(rejects=rejects), SEED)


def differing() -> list[EvaluationCase]:
    return [case for case in cases() if differs(case, turned(case))]


def test_only_another_order_or_an_unreadable_reply_differs() -> None:
    for case in cases():
        assert not differs(case, case.evaluation)
        assert differs(case, "I cannot say.")
    assert differing()


def test_accepted_suggestions_become_revisions_that_are_right() -> None:
    with scripted_server({"m": evaluator(rejects=0.0)}) as base_url:
        who = Reviewers(asking(base_url, "m"), asking(base_url, "m"), Documents())
        some = cases()
        own = [turned(case) if case in differing() else case.evaluation for case in some]
        reviews, counts = introspect(some, own, who)
    assert (counts.n_judged, counts.n_differing) == (len(some), len(differing()))
    assert counts.accepted_in_round == (len(differing()), 0, 0) and counts.n_jury == 0
    by_id = {case.case_id: case for case in some}
    assert all(review.revision == by_id[review.case_id].evaluation for review in reviews)
    (first, *_) = targets_of(reviews, some)
    assert turned(first.case).splitlines()[-1] in first.notes and "The passages say" in first.notes
    assert first.reply == first.case.evaluation


def test_what_is_never_accepted_waits_for_the_jury_after_three_rounds() -> None:
    with scripted_server({"m": evaluator(rejects=0.0)}) as base_url:
        who = Reviewers(asking(base_url, "m"), asking(base_url, "m"), NoDocuments())
        reviews, counts = introspect(differing(), [turned(case) for case in differing()], who)
    assert counts.n_jury == len(differing()) and sum(counts.accepted_in_round) == 0
    assert {review.rounds for review in reviews} == {3}
    assert all(len(review.objections) == 3 and review.revision is None for review in reviews)


def test_an_evaluator_that_breaks_the_form_leaves_the_case_unanswered(judge_server: Any) -> None:
    judge_server.behaviour.text = lambda body: "Yes."
    who = Reviewers(*[asking(judge_server.base_url, "judge")] * 2, Documents())
    case = differing()[0]
    (review,), counts = introspect([case], [turned(case)], who)
    assert (review.decision, counts.n_unanswered) == ("unanswered", 1)
    assert "Verdict" in (review.reason or "")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_jurys_sheet_goes_out_and_comes_back(form: Any) -> None:
    first, second, third = ([*differing()] * 3)[:3]
    waiting = [
        Review(f"case {n}", turned(case), "jury", 3, "Mark it by 20 mg.", ("Why?",) * 3)
        for n, case in enumerate((first, second, third))
    ]
    named = [replace(case, case_id=f"case {n}") for n, case in enumerate((first, second, third))]
    sheet = export_jury(form, waiting, named)
    assert all(text in sheet for text in ("case 0", "case 2", "Mark it by 20 mg."))
    rows = "item,accept,suggestion\ncase 0,yes,Mark it by 40 mg.\ncase 1,No,\ncase 2,,\n"
    decided, n = import_jury("csv", rows, waiting)
    assert n == 2
    assert [(review.decision, review.suggestion) for review in decided] == [
        ("accepted", "Mark it by 40 mg."),
        ("unanswered", "Mark it by 20 mg."),
        ("jury", "Mark it by 20 mg."),
    ]
    assert counts_of(decided, 9, 1) == Round(9, 3, 1, (0, 0, 0), 1, 0, 1, 1)
    left_out: list[str] = []
    wrong = rows.replace("case 1,No", "case 1,perhaps").replace("case 2,,", "case 9,yes,")
    assert import_jury("csv", wrong, waiting, left_out)[1] == 1
    assert left_out == [
        "line 3: accept is 'perhaps'; write yes or no",
        "line 4: item case 9 does not wait for a jury; leave it out",
    ]
    with pytest.raises(SheetUnreadable, match="perhaps"):
        import_jury("csv", "item,accept,suggestion\ncase 0,perhaps,\n", waiting)
    with pytest.raises(SheetUnreadable, match="does not wait"):
        import_jury("csv", "item,accept,suggestion\ncase 9,yes,\n", waiting)
    with pytest.raises(SheetUnreadable, match="no case is decided yet; write yes or no under accept"):
        import_jury("csv", "item,accept,suggestion\ncase 0,,\n", waiting)


def test_what_the_jury_accepts_is_revised(tmp_path: Path) -> None:
    case = differing()[0]
    accepted = Review(case.case_id, turned(case), "accepted", 3, "As the guideline says.")
    with scripted_server({"m": evaluator(rejects=0.0)}) as base_url:
        who = Reviewers(asking(base_url, "m"), asking(base_url, "m"), Documents())
        (review,) = revise([accepted], [case], who)
    assert review.revision == case.evaluation
    write_reviews(tmp_path / "reviews.jsonl", [review])
    assert read_reviews(tmp_path / "reviews.jsonl") == [review]
