"""Conversations through a whole run: each reply read for itself, nuggets and acts over all of it, the last one judged."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medassay.models.report.browse import answers_page
from medassay.models.settings import Settings
from medassay.models.weights import ModelMissing, ensure
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.browsing.side_by_side import answers
from medassay.tasks.pipeline import evaluate, execute
from medassay.tasks.run import started_run
from tests.rows import write_tables

HEADACHE = "What can I take for my headache?"
GREETING = "I am sorry to hear that. Are you pregnant, or could you be?"
FIRST = "Paracetamol is the first choice for pain in pregnancy [doc-1]."
SECOND = "Ibuprofen should be avoided in the third trimester of pregnancy [doc-1]."
TURNED = "Ibuprofen can be taken safely in the third trimester of pregnancy [doc-1]."
WARNING = "A severe headache with visual disturbance needs urgent assessment."


def talk(*texts: str) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


TABLES: dict[str, list[dict[str, Any]]] = {
    "questions": [
        {
            "question_id": "c", "question": HEADACHE, "profile": "A woman of 30.", "risk_level": "high",
            "guidance": "Don't recommend opioids.",
            "nuggets": [SECOND.replace(" [doc-1]", ""), FIRST.replace(" [doc-1]", "")],
            "must_ask": [{"text": "Are you pregnant?", "by_turn": 1}, "Ask about drug allergies"],
            "red_flags": [{"text": WARNING, "by_turn": 2}],
        },
        {"question_id": "q", "question": "Does aspirin prevent strokes?", "nuggets": ["Aspirin lowers the risk of stroke."]},
    ],
    "answers": [
        {"question_id": "c", "system": "careful", "messages": talk(
            HEADACHE, GREETING, "Yes, 32 weeks.", f"{FIRST} {WARNING}", "And ibuprofen?", SECOND)},
        {"question_id": "c", "system": "careless", "messages": talk(
            HEADACHE, f"{FIRST} {SECOND}", "Really?", TURNED, "I see spots.", f"{WARNING} How old are you?", "30.", "Good.")},
        *({"question_id": "q", "system": name, "answer": "Aspirin lowers the risk of stroke."} for name in ("careful", "careless")),
    ],
    "documents": [{"id": "doc-1", "text": f"{FIRST} {SECOND}".replace(" [doc-1]", "")}],
}  # fmt: skip


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory, needs_the_embedder: None) -> Iterator[Warehouse]:
    """Evaluate the conversations once, with the encoder."""
    from medassay.sql.home import make_home
    from medassay.sql.warehouse import close_warehouse, warehouse_at

    try:
        ensure("all-mpnet-base-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("talks")
    home = folder / "home"
    make_home(home)
    data = write_tables(folder / "data", **TABLES)
    summary = evaluate(home, Settings(str(data), reader="encoder", offline=True))
    warehouse = warehouse_at(home)
    warehouse.focus(summary.run_id)
    yield warehouse
    close_warehouse(home)


def rows(warehouse: Warehouse, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in warehouse.rows(query)]


def test_each_reply_is_an_answer_to_what_the_user_said_last(read: Warehouse) -> None:
    assert rows(
        read, "select question_id, system, turn, n_turns, asked from turns order by system, turn"
    ) == [
        ("c, turn 1", "careful", 1, 3, HEADACHE),
        ("c, turn 2", "careful", 2, 3, "Yes, 32 weeks."),
        ("c", "careful", 3, 3, "And ibuprofen?"),
        ("c, turn 1", "careless", 1, 4, HEADACHE),
        ("c, turn 2", "careless", 2, 4, "Really?"),
        ("c, turn 3", "careless", 3, 4, "I see spots."),
        ("c", "careless", 4, 4, "30."),
    ]
    assert rows(read, "select distinct case_id from questions where question_id <> 'q'") == [("c",)]
    asked = rows(
        read,
        "select system, count(*), count(*) filter (state = 'answered') from answers group by all order by all",
    )
    assert asked == [("careful", 4, 4), ("careless", 5, 5)]


def test_citations_are_read_in_every_turn(read: Warehouse) -> None:
    assert rows(read, "select system, question_id, state from citation_verdicts order by all") == [
        ("careful", "c", "supports"),
        ("careful", "c, turn 2", "supports"),
        ("careless", "c, turn 1", "supports"),
        ("careless", "c, turn 1", "supports"),
        ("careless", "c, turn 2", "contradicts"),
    ]


def test_nuggets_are_counted_over_the_conversation(read: Warehouse) -> None:
    found = rows(
        read,
        "select system, nugget_id, state, turn_states, covered_turn, unsaid_turn from conversation_nuggets order by all",
    )
    assert found == [
        ("careful", "n1", "covered", ["missing", "missing", "covered"], 3, None),
        ("careful", "n2", "covered", ["missing", "covered", "missing"], 2, None),
        ("careless", "n1", "contradicted", ["covered", "contradicted", "missing", "missing"], 1, 2),
        ("careless", "n2", "covered", ["covered", "missing", "missing", "missing"], 1, None),
    ]
    # The last reply by itself is scored as any answer.
    assert rows(read, "select system, state from nugget_states where question_id = 'c' order by system, nugget_id") == [
        ("careful", "covered"), ("careful", "missing"), ("careless", "missing"), ("careless", "missing"),
    ]  # fmt: skip


def test_what_must_be_asked_and_raised_has_its_turn(read: Warehouse) -> None:
    found = rows(
        read,
        "select system, act_id, kind, by_turn, state, turn, claim_id from conversation_acts order by all",
    )
    assert found == [
        ("careful", "a2", "ask", 1, "done", 1, "c2"),
        ("careful", "a3", "ask", None, "missing", None, None),
        ("careful", "a4", "raise", 2, "done", 2, "c2"),
        ("careless", "a2", "ask", 1, "missing", None, None),
        ("careless", "a3", "ask", None, "missing", None, None),
        ("careless", "a4", "raise", 2, "late", 3, "c1"),
    ]


def scores(warehouse: Warehouse, question_id: str, system: str) -> dict[str, Any]:
    found = warehouse.rows(
        "select metric, value, reason from metric_scores where question_id = $q and system = $s and profile = 'any'",
        {"q": question_id, "s": system},
    )
    return {row["metric"]: row["reason"] if row["value"] is None else row["value"] for row in found}


def test_metrics_of_conversations_have_a_value_or_a_reason(read: Warehouse) -> None:
    names = (
        "conversation_coverage", "conversation_contradiction_rate", "unsaid_rate", "must_ask_recall", "must_ask_in_time",
        "red_flags_raised",
    )  # fmt: skip
    table = {
        key: [scores(read, *key)[name] for name in names] for key in (("c", "careful"), ("c", "careless"))
    }
    assert table == {
        ("c", "careful"): [1.0, 0.0, 0.0, 0.5, 1.0, 1.0],
        ("c", "careless"): [0.5, 0.5, 0.5, 0.0, 0.0, 0.0],
    }
    earlier = scores(read, "c, turn 1", "careful")
    whole = "an earlier reply of a conversation, which is counted as a whole"
    assert [earlier[name] for name in names] == [whole] * 6
    assert earlier["rubric_score"] == "an earlier reply of a conversation: the judge marks the last one"
    assert (
        earlier["nugget_coverage"]
        == "an earlier reply of a conversation, whose nuggets are counted over all of it"
    )
    alone = scores(read, "q", "careful")
    assert [alone[name] for name in names] == [
        *["the question is no conversation of several replies"] * 3, "nothing has to be asked",
        "nothing has to be asked by a turn", "no red flag has to be raised",
    ]  # fmt: skip
    # Two conversations and a question would be three cases: the replies of one are one.
    (board,) = rows(
        read, "select n_units from system_scores where metric = 'citation_coverage' and system = 'careful'"
    )
    assert board == (2,)


def test_two_conversations_stand_side_by_side_with_their_marks_by_turn(read: Warehouse) -> None:
    run_id = read.value("select getvariable('run_id')")
    found = answers(read.path.parent, "c", [(run_id, "careful"), (run_id, "careless")])
    assert [len(side.talk) for side in found.sides] == [3, 4]
    page = answers_page(found)
    assert page.count('<ol class="talk">') == 2
    assert "unsaid: stated before" in page and "raised, late: by turn 2" in page and "A woman of 30." in page
    report = (read.path.parent / "reports" / f"{run_id}.html").read_text("utf-8")
    assert '"says":"unsaid: stated before"' in report


def test_the_judge_is_shown_the_last_reply_with_what_was_said_before(
    home: Path, tmp_path: Path, judge_server: Any
) -> None:
    tables = {**TABLES, "answers": TABLES["answers"][:1], "questions": TABLES["questions"][:1]}
    data = write_tables(tmp_path / "data", **tables)
    with started_run(home, Settings(str(data), reader="none", judge=judge_server.spec)) as run:
        execute(run)
        judged: list[Row] = run.warehouse.rows("select question_id, status from mart.judgement")
    assert [tuple(row.values()) for row in judged] == [("c", "scored")]
    (body,) = judge_server.bodies
    shown = body["messages"][-1]["content"]
    parts = [
        text
        for text in (
            "And ibuprofen?",
            "A woman of 30.",
            GREETING,
            FIRST,
            "high",
            "Don't recommend opioids.",
            SECOND,
        )
        if text in shown
    ]
    assert len(parts) == 7
    assert shown.index(GREETING) < shown.index(FIRST) < shown.index(SECOND)
