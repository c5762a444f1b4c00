"""`--llm`: nuggets made and assigned by a model on loopback, each call paid once, the signals kept beside it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.tasks.pipeline import execute
from medassay.tasks.publish import publish_snapshot
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.summary import summarise
from tests.rows import write_tables

pytestmark = pytest.mark.usefixtures("needs_the_embedder")

REFERENCE = "Rest helps a sprained ankle. Ice lowers the swelling. A cast is rarely needed."
MADE = [
    "Rest helps a sprained ankle",
    "Ice reduces swelling",
    "Ice reduces swelling.",
    "A cast is rarely needed",
]
QUESTION = {"question_id": "q", "question": "What helps a sprained ankle?", "reference_answer": REFERENCE}
ANSWERS = [
    {"question_id": "q", "system": "one", "answer": "Rest helps a sprained ankle. Ice makes it worse."},
    {"question_id": "q", "system": "mute", "answer": " "},
]


class Model:
    """Replies by the schema that is asked for; `verdicts` by the words of a nugget."""

    def __init__(self, **verdicts: str) -> None:
        self.verdicts = verdicts

    def __call__(self, body: dict[str, Any]) -> str:
        shown = body["messages"][1]["content"]
        name = body["response_format"]["json_schema"]["name"]
        if name == "atomic_facts":
            asked = json.loads(shown)
            facts = [
                {"id": one["id"], "facts": [{"fact": one["sentence"], "quote": one["sentence"]}]}
                for one in asked
            ]
            return json.dumps({"sentences": facts})
        if name == "nuggets":
            return json.dumps({"nuggets": MADE})
        listed = re.findall(r"^\| (n\d+): (.*)$", shown, re.MULTILINE)
        if name == "grades":
            return json.dumps(
                {
                    "verdicts": [
                        {"id": i, "importance": "okay" if "cast" in text else "vital"} for i, text in listed
                    ]
                }
            )
        return json.dumps(
            {
                "verdicts": [
                    {"id": i, "verdict": verdict}
                    for i, text in listed
                    for word, verdict in self.verdicts.items()
                    if word in text
                ]
            }
        )


@pytest.fixture
def evaluated(home: Path, tmp_path: Path, judge_server: Any) -> Callable[..., RunRef]:
    """Return a function that evaluates a question and answers with the model, and returns the finished run."""

    def evaluate(question: dict[str, Any] = QUESTION, at: Path = home, **chosen: Any) -> RunRef:
        data = write_tables(tmp_path / "ankle", questions=[question], answers=ANSWERS)
        settings = {"llm": judge_server.spec, "judge": "none", "reader": "none", **chosen}
        with started_run(at, Settings(str(data), **settings)) as run:
            execute(run)
        return run

    return evaluate


def counted(judge_server: Any) -> dict[str, int]:
    names = [body["response_format"]["json_schema"]["name"] for body in judge_server.bodies]
    return {name: names.count(name) for name in sorted(set(names))}


SEEN = {"Rest": "support", "Ice": "contradict", "cast": "not_support"}


def test_nuggets_are_made_graded_deduplicated_and_assigned(
    evaluated: Callable[..., RunRef], judge_server: Any, tmp_path: Path
) -> None:
    judge_server.behaviour.text = Model(**SEEN)
    run = evaluated()
    assert run.warehouse.rows("select nugget, importance, origin, made_by, provenance from nuggets order by position") == [
        {
            "nugget": nugget, "importance": importance, "origin": "made", "made_by": "judge",
            "provenance": f"characters {start}–{end} of the reference answer",
        }
        for nugget, importance, start, end in (
            ("Rest helps a sprained ankle", "vital", 0, 28),
            ("Ice reduces swelling", "vital", 29, 53),
            ("A cast is rarely needed", "okay", 54, 78),
        )
    ]  # fmt: skip
    states = run.warehouse.rows(
        "select system, nugget_id, state, decided_by, signals_state, model_state, claim_ids, one_to_one"
        " from nugget_states order by all"
    )
    assert [tuple(row.values()) for row in states] == [
        ("mute", "n1", "missing", "model", "missing", "missing", [], None),
        ("mute", "n2", "missing", "model", "missing", "missing", [], None),
        ("mute", "n3", "missing", "model", "missing", "missing", [], None),
        ("one", "n1", "covered", "model", "covered", "covered", ["c1"], "c1"),
        ("one", "n2", "contradicted", "model", states[4]["signals_state"], "contradicted", ["c2"], None),
        ("one", "n3", "missing", "model", "missing", "missing", [], None),
    ]
    (differs,) = run.warehouse.rows("select nugget_id, model_state, reason from nugget_disagreements")
    assert (differs["nugget_id"], differs["model_state"]) == ("n2", "contradicted")
    assert differs["reason"].startswith("the model says contradicted; the signals say ")
    told = summarise(run, publish_snapshot(run), tmp_path / "report.html").notices
    said = "the model and the signals differ on 1 of 6 nuggets, for a person to decide:"
    assert f'{said} medassay query "from nugget_disagreements"' in told
    # A blank answer costs nothing.
    assert counted(judge_server) == {"assignment": 1, "atomic_facts": 1, "grades": 1, "nuggets": 1}


def test_what_a_cap_cut_off_comes_out_as_if_nothing_had_happened(
    evaluated: Callable[..., RunRef], judge_server: Any, homes: Callable[[str], Path]
) -> None:
    given = {**QUESTION, "nuggets": [{"text": text} for text in MADE[1:]]}
    judge_server.behaviour.text = Model(**SEEN)
    cut = evaluated(given, max_calls=0)
    undone = cut.warehouse.rows(
        "select reason from metric_scores where run_id = ? and metric = 'nugget_coverage' and system = 'one'",
        [cut.run_id],
    )
    assert undone == [{"reason": "the answer could not be taken apart; see outcomes"}]
    assert cut.warehouse.value("select count(distinct answer_key) from nugget_match") == 1
    evaluated(given, max_calls=1)
    went_on, fresh = evaluated(given), evaluated(given, at=homes("fresh"))
    for view in ("nugget_states", "claims", "metric_scores"):
        # Vectors differ by a millionth with the batch that a text is embedded in.
        near = (
            ""
            if view != "nugget_states"
            else "replace (round(score, 4) as score, round(margin, 4) as margin)"
        )
        kept = f"select * exclude (run_id) {near} from {view} where run_id = ? order by all"
        whole = fresh.warehouse.rows(kept, [fresh.run_id])
        assert went_on.warehouse.rows(kept, [went_on.run_id]) == whole, view


def test_a_verdict_that_is_missing_is_asked_for_again_and_then_left_to_the_signals(
    evaluated: Callable[..., RunRef], judge_server: Any
) -> None:
    judge_server.behaviour.text = Model(Rest="support")
    run = evaluated({**QUESTION, "nuggets": MADE[:2]})
    assert counted(judge_server)["assignment"] == 2
    assert "n1: the reply gives no verdict for this id" in judge_server.bodies[-1]["messages"][-1]["content"]
    assert run.warehouse.rows(
        "select nugget_id, decided_by from nugget_states where system = 'one' order by 1"
    ) == [
        {"nugget_id": "n1", "decided_by": "model"},
        {"nugget_id": "n2", "decided_by": "signals"},
    ]
    (outcome,) = run.warehouse.rows("select stage, state, reason from outcome")
    assert (outcome["stage"], outcome["state"]) == ("assign", "abstained")
    assert outcome["reason"].startswith("1 of 2 nuggets: ")


DOCUMENTS = [
    {"id": "d1", "title": "Ankles", "text": "Rest helps a sprained ankle."},
    {"id": "d2", "title": "Harbours", "text": "The ship left the harbour at dawn."},
]


def test_bioace_labels_sentences_and_holds_them_against_retrieved_documents(
    evaluated: Callable[..., RunRef], judge_server: Any, tmp_path: Path
) -> None:
    try:
        from medassay.models.nli import load_entailment

        load_entailment("embedded")
    except Exception as missing:
        pytest.skip(str(missing))
    write_tables(tmp_path / "ankle", documents=DOCUMENTS)
    nuggets_of = Model(**SEEN)

    def reply(body: dict[str, Any]) -> str:
        if body["response_format"]["json_schema"]["name"] != "sentence_labels":
            return nuggets_of(body)
        return json.dumps(
            {"verdicts": [{"id": "s1", "label": "required"}, {"id": "s2", "label": "inappropriate"}]}
        )

    judge_server.behaviour.text = reply
    run = evaluated(profile="bioace", reader="embedded")
    rows = run.warehouse.rows(
        "select sentence_id, sentence, label, supported, source_id, n_retrieved from sentences order by all"
    )
    assert rows[0] == {
        "sentence_id": "s1", "sentence": "Rest helps a sprained ankle.", "label": "required", "supported": True,
        "source_id": "document:d1", "n_retrieved": 1,
    }  # fmt: skip
    assert (rows[1]["sentence"], rows[1]["label"], rows[1]["supported"]) == (
        "Ice makes it worse.",
        "inappropriate",
        False,
    )
    by_profile = (
        "select completeness, correctness from answer_scores_by_profile"
        " where run_id = ? and profile = 'bioace' order by system"
    )
    bioace = [{"completeness": 0.0, "correctness": None}, {"completeness": 0.5, "correctness": 0.5}]
    assert run.warehouse.rows(by_profile, [run.run_id]) == bioace
    before = len(judge_server.bodies)
    again = evaluated(profile="seed", reader="embedded")
    assert len(judge_server.bodies) == before
    assert again.warehouse.rows(by_profile, [again.run_id])[1] == bioace[1]
