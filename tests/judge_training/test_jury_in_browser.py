"""The jury in the browser: what waits is shown, votes are kept, and the training that is started again obeys them."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest

from medassay.flows.serve.access import annotator_key, form_key
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import serving_reports
from medassay.models.chat.asking import ask_all
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.folders import folder_digest, read_json, write_json
from medassay.models.judge_training.introspection import (
    Review,
    Reviewers,
    counts_of,
    read_reviews,
    write_reviews,
)
from medassay.models.judge_training.jury import Vote, decided_by_votes, review_item
from medassay.models.judge_training.plan import Plan
from medassay.models.judge_training.presets import PRESETS
from medassay.models.judge_training.records import EvaluationCase, write_cases
from medassay.models.judge_training.scripted import ScriptedEvaluator, Temper, scripted_server
from medassay.models.judge_training.template_world import make_questions
from medassay.models.keys import content_key
from medassay.models.specs import SpecError
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.jury_votes import Jury, Waiting, waiting_for_jury, with_votes
from medassay.tasks.judge_training.steps import parent_of, review_training, reviewed_cases
from tests.judge_training.test_introspection import NoDocuments
from tests.judge_training.world import world_cases
from tests.pages import ask

KEY = "0123456789abcdef"
WAITING = [Review(f"c{n}", f"Said of {n}.", "jury", 3, f"Correct {n}.", (f"Why {n}?",)) for n in range(4)]


def vote(*accepts: bool, suggestion: str = "") -> list[Vote]:
    return [Vote(one, suggestion if one else "") for one in accepts]


def test_most_votes_decide_and_a_tie_waits() -> None:
    votes = {
        review_item(WAITING[0]): [*vote(True, suggestion="Put it so."), *vote(True, False)],
        review_item(WAITING[1]): vote(False),
        review_item(WAITING[2]): vote(True, False),
    }
    assert [
        (one.decision, one.suggestion, one.by_jury) for one in decided_by_votes(WAITING, votes)
    ] == [
        ("accepted", "Put it so.", True), ("unanswered", "Correct 1.", True), ("jury", "Correct 2.", False),
        ("jury", "Correct 3.", False),
    ]  # fmt: skip


@pytest.fixture
def training(home: Path, tmp_path: Path) -> Iterator[tuple[Path, list[EvaluationCase], Path]]:
    cases = world_cases(1, 3)
    (tmp_path / "data").mkdir()
    write_cases(tmp_path / "data" / "train_strong.jsonl", cases)
    folder = home / "judge-training" / "tiny"
    write_json(folder / "data.json", {"data": str(tmp_path / "data")})
    file = folder / "stages" / "introspection" / "1" / "reviews.jsonl"
    accepted = Review(cases[2].case_id, "Said.", "accepted", 1, "Correct it.", revision="Corrected.")
    reviews = [
        Review(case.case_id, f"Said of {n}.", "jury", 3, f"Correct {n}.", (f"Why {n}?",))
        for n, case in enumerate(cases[:2])
    ]
    write_reviews(file, [*reviews, accepted])
    yield home, cases, file


def test_jurors_decide_behind_their_links_and_the_training_obeys(
    training: tuple[Path, list[EvaluationCase], Path],
) -> None:
    home, cases, file = training
    assert waiting_for_jury(home) == [Waiting("tiny", 1, 2, 0)]
    own = f"/a/ann/{annotator_key(KEY, 'ann')}/jury/tiny/1"
    with serving_reports("127.0.0.1", 0, home, KEY, hosts_of("127.0.0.1")) as port:
        assert "2 cases of the training tiny wait for a jury" in ask(port, f"/{KEY}/")[1]
        status, page = ask(port, f"{own}/")
        assert status == 200 and "0 of 2 done" in page
        assert all(words in page for words in ("Correct 0.", "Said of 0.", "Why 0?", "in the reference"))
        assert all(system not in page.partition("<main")[2] for system in cases[0].systems)
        items = list(Jury(home, "tiny", 1).items)
        form = {"form_key": form_key(annotator_key(KEY, "ann")), "item": items[0]}
        told = [
            ask(port, f"{own}/score", {**form, "aspect": aspect, "score": said})
            for aspect, said in (("accept", "2"), ("accept", "1"), ("suggestion", "Put it so."))
        ]
        assert (told[-1][0], json.loads(told[-1][1])) == (200, {"done": 1, "of": 2})
        other = {
            "form_key": form_key(annotator_key(KEY, "bob")),
            "item": items[0],
            "accept": "1",
            "suggestion": "",
        }
        assert ask(port, f"/a/bob/{annotator_key(KEY, 'bob')}/jury/tiny/1/score", other)[0] == 200
        assert f'data-item="{items[1]}"' in ask(port, f"{own}/")[1]
        for wrong in ({"aspect": "accept", "score": "3"}, {"aspect": "charm", "score": "1"}):
            assert ask(port, f"{own}/score", {**form, **wrong})[0] == 409
        assert (
            ask(port, f"{own}/score", {**form, "form_key": "x", "aspect": "accept", "score": "1"})[0] == 403
        )
        status, jurors = ask(port, f"/{KEY}/jury?training=tiny&iteration=1&name=eve")
        assert (status, "ann and bob" in jurors, "1 of 2" in jurors, "a/eve/" in jurors) == (
            200,
            True,
            True,
            True,
        )
        assert [
            ask(port, f"/{KEY}/jury?training={name}")[0] for name in ("none", "..%2F..", "tiny&iteration=x")
        ] == [409] * 3
    assert [(one.decision, one.suggestion) for one in with_votes(file)] == [
        ("accepted", "Put it so."), ("jury", "Correct 1."), ("accepted", "Correct it."),
    ]  # fmt: skip
    # What the training has taken in waits no more, and a vote on another suggestion does not count.
    write_reviews(file, with_votes(file))
    assert waiting_for_jury(home) == [Waiting("tiny", 1, 1, 0)]
    write_reviews(file, [Review(cases[0].case_id, "Said otherwise.", "jury", 3, "Correct it anew.")])
    assert [one.decision for one in with_votes(file)] == ["jury"]


def test_the_same_training_started_again_revises_what_the_jury_has_accepted(
    training: tuple[Path, list[EvaluationCase], Path],
) -> None:
    home, cases, file = training
    plan = Plan(
        "tiny", file.parents[3], Path(read_json(file.parents[3] / "data.json")["data"]), PRESETS["tiny"]
    )
    model = parent_of(plan, 1)
    write_json(model / "config.json", {})
    reviewed = [case.case_id for case in reviewed_cases(plan)]
    key = content_key({"model": folder_digest(model), "cases": reviewed, "advisor": "m"})
    jury = Jury(home, "tiny", 1)
    by_case = {jury.items[item].case_id: item for item in jury.items}
    jury.check("ann", by_case[cases[0].case_id], "accept", "1")
    jury.check("ann", by_case[cases[1].case_id], "accept", "2")
    counts = counts_of(read_reviews(file), 3, 0)
    write_json(file.parent / "round.json", {"key": key, "counts": asdict(counts)})
    with scripted_server({"m": ScriptedEvaluator(make_questions(1, 3), Temper(rejects=0.0), 1)}) as base_url:
        asked = [partial(ask_all, endpoint=Endpoint(base_url, "m"), ledger=MemoryLedger())] * 2
        reviews, found = review_training(plan, model, 1, Reviewers(*asked, NoDocuments()), {"advisor": "m"})
    assert reviews == read_reviews(file)
    assert [(one.decision, one.revision, one.by_jury) for one in reviews] == [
        ("accepted", cases[0].evaluation, True), ("unanswered", None, True), ("accepted", "Corrected.", False),
    ]  # fmt: skip
    assert (found.n_jury, found.n_accepted_by_jury, found.n_refused_by_jury) == (0, 1, 1)
    assert waiting_for_jury(home) == []


def test_what_is_no_waiting_training_is_refused(training: tuple[Path, list[EvaluationCase], Path]) -> None:
    home, cases, file = training
    for name, refusal in (("../tiny", SpecError), ("other", IntakeError)):
        with pytest.raises(refusal):
            Jury(home, name, 1)
    write_reviews(file, [Review(cases[0].case_id, "Said.", "accepted", 1, revision="Corrected.")])
    with pytest.raises(UsageError, match="no case of iteration 1 of tiny waits for a jury"):
        Jury(home, "tiny", 1)
