"""What a plan announces is what a run then asks, and a plan leaves nothing behind."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.nli.chat import SCHEMA
from medassay.models.settings import Settings
from medassay.models.weights.hub import HubFolderMissing
from medassay.sql.warehouse import warehouse_at
from medassay.tasks.judging.panel import pin_members
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.spending.estimating import Planned, total
from medassay.tasks.spending.planning import plan
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.fetch import prepare
from medassay.tasks.stages.judge import brief, judge
from medassay.tasks.stages.listwise import brief as brief_listwise
from medassay.tasks.stages.listwise import listwise
from medassay.tasks.stages.order import STAGES
from medassay.tasks.stages.shortlist import shortlist
from tests.rows import write_tables
from tests.runs import read_in

POINTS = "Analyze: Step 1 They were read.\nScore: Doctor 1: 3 points. Doctor 2: 3 points."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two questions, two answers each; one answer cites a document."""
    questions = [
        {"question_id": q, "question": f"{q}?", "nuggets": ["Metformin can cause nausea"]} for q in "pq"
    ]
    answers = [
        {"question_id": q, "system": s, "answer": f"Metformin can cause nausea, says {s} [doc-1]."}
        for q in "pq"
        for s in "ab"
    ]
    documents = [{"id": "doc-1", "title": "Metformin", "text": "Metformin often causes nausea."}]
    return write_tables(tmp_path / "d", questions=questions, answers=answers, documents=documents)


def run(home: Path, settings: Settings) -> None:
    """Take a run past its judges."""
    with read_in(home, settings) as started:
        decompose.run(started)
        prepare(started)
        brief(started)
        pin_members(started)
        judge.run(started)
        brief_listwise(started)
        listwise.run(started)


def stage(stages: tuple[Planned, ...], name: str) -> list[tuple[int, int, int, int]]:
    return [(s.n_items, s.n_to_do, s.n_calls, s.n_known_calls) for s in stages if s.stage == name]


def test_the_calls_that_are_announced_are_the_calls_that_are_made(
    home: Path, folder: Path, judge_server: Any
) -> None:
    two = judge_server.spec.replace("#judge", "#second")
    judge_server.behaviour.text = lambda body: (
        POINTS
        if "Doctor 1" in body["messages"][1]["content"]
        else json.dumps(judge_server.behaviour.verdict(body))
    )
    settings = Settings(str(folder), judge=f"{judge_server.spec},{two}", samples=2, listwise=True)
    first = plan(home, settings)
    assert (first.n_questions, first.n_answers, first.notices) == (2, 4, ())
    assert stage(first.stages, "judge") == [(4, 4, 8, 0), (4, 4, 8, 0)]
    assert stage(first.stages, "listwise") == [(2, 2, 4, 0)]
    assert judge_server.bodies == []
    for table in ("run", "answer", "claim", "judge_input", "landing", "fingerprint"):
        assert warehouse_at(home).value(f"select count(*) from {table}") == 0
    run(home, settings)
    assert len(judge_server.bodies) == total(first.stages).n_calls == 20
    again = plan(home, settings)
    assert stage(again.stages, "judge") == [(4, 0, 0, 0), (4, 0, 0, 0)]
    assert total(again.stages).n_calls == 0


def test_pairs_are_counted_where_they_are_chosen_and_estimated_before(home: Path, folder: Path) -> None:
    settings = Settings(str(folder), judge="none")
    (guess,) = [s for s in plan(home, settings).stages if s.stage == "entail"]
    assert guess.estimated and guess.n_to_do == guess.n_items > 0
    with read_in(home, settings) as started:
        for done in STAGES[: STAGES.index(shortlist) + 1]:
            IN_PROCESS.run_stage(done, started)
        entail.pin(started)
        n_items, n_pending, _ = entail.count(started)
    (counted,) = [s for s in plan(home, settings).stages if s.stage == "entail"]
    assert (counted.estimated, counted.n_items, counted.n_to_do) == (False, n_items, n_pending)


def test_pairs_for_a_language_model_are_counted_to_the_letter_and_none_twice(
    home: Path, folder: Path, judge_server: Any
) -> None:
    judge_server.behaviour.verdict = lambda body: {"sentence": "", "label": "Neutral"}
    settings = Settings(str(folder), judge="none", reader=judge_server.spec)
    (guess,) = [s for s in plan(home, settings).stages if s.stage == "entail"]
    assert "2,000 characters a pair assumed" in guess.basis
    with read_in(home, settings) as started:
        for done in STAGES[: STAGES.index(shortlist) + 1]:
            IN_PROCESS.run_stage(done, started)
    (counted,) = [s for s in plan(home, settings).stages if s.stage == "entail"]
    with read_in(home, settings) as started:
        for done in STAGES[: STAGES.index(entail) + 1]:
            IN_PROCESS.run_stage(done, started)
        started.warehouse.execute("delete from pair_score")
    sent = [m["content"] for body in judge_server.bodies for m in body["messages"]]
    assert counted.n_calls == len(judge_server.bodies) > 0
    schemas = len(judge_server.bodies) * len(str(SCHEMA))
    assert counted.prompt_tokens == pytest.approx((sum(map(len, sent)) + schemas) / 3.7, rel=0.01)
    (known,) = [s for s in plan(home, settings).stages if s.stage == "entail"]
    assert (known.n_calls, known.n_known_calls) == (0, counted.n_calls)


def test_money_is_the_price_of_the_tokens_and_missing_where_a_model_has_none(
    home: Path, folder: Path, judge_server: Any
) -> None:
    two = judge_server.spec.replace("#judge", "#second")
    price = {"prompt_per_million": 100, "completion_per_million": 200, "currency": "EUR"}
    (home / "prices.json").write_text(json.dumps({"judge": price}), "utf-8")
    (priced,) = [
        s for s in plan(home, Settings(str(folder), judge=judge_server.spec)).stages if s.stage == "judge"
    ]
    assert priced.reply_tokens == 4 * 250
    assert priced.money == pytest.approx((priced.prompt_tokens * 100 + 1000 * 200) / 1e6)
    both = plan(home, Settings(str(folder), judge=f"{judge_server.spec},{two}"))
    assert (total(both.stages).money, total((priced,)).currency) == (None, "EUR")


def test_a_plan_says_that_the_guard_would_end_the_run(home: Path, folder: Path) -> None:
    answers = (folder / "answers.jsonl").read_text("utf-8").replace("says a", "says Dr. Example")
    (folder / "answers.jsonl").write_text(answers, "utf-8")
    found = plan(home, Settings(str(folder), judge="https://llm.example/v1#big"))
    assert found.notices[0].startswith(
        "a run would end here: 2 texts may name a patient, and https://llm.example/v1#big is not on this machine"
    )
    assert stage(found.stages, "judge") == [(4, 4, 4, 0)]


def test_a_plan_fetches_no_model(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object, **__: object) -> None:
        raise AssertionError("the hub was asked")

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", asked)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with pytest.raises(HubFolderMissing, match="hf:some/chat is neither .*nobody is asked: offline"):
        plan(home, Settings(str(folder), judge="hf:some/chat"))
