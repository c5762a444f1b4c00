"""Scorers in other tools' harnesses: each is run by its tool on two answers, and skipped where the tool is not installed."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.integrations.scoring import score_answer
from medassay.models.intake.peer_exports import inspect_score_rows

STROKES = "Does aspirin prevent strokes?"
NUGGET = "Aspirin lowers the risk of stroke."
OTHER = "The weather is fine today."
UNCITED = "the answer cites nothing"


@pytest.fixture(scope="module", autouse=True)
def loaded_models(needs_the_embedder: None) -> None:
    """Load what scoring needs before a harness counts the seconds that a scorer takes."""
    score_answer(
        "nuggets", {"question": STROKES, "reference_answer": NUGGET}, {"answer": NUGGET}, reader="none"
    )


def test_a_score_has_what_it_was_counted_from() -> None:
    question = {"question": STROKES, "nuggets": [NUGGET, OTHER]}
    found = score_answer("nuggets", question, {"answer": NUGGET}, reader="none")
    assert (found.metric, found.value, found.reason) == ("nugget_coverage", 0.5, None)
    assert [(row["state"], row["nugget"]) for row in found.details] == [
        ("covered", NUGGET),
        ("missing", OTHER),
    ]
    assert found.explanation.splitlines()[0].startswith(f"covered · {NUGGET} · vital")


def test_of_a_conversation_the_last_reply_is_scored() -> None:
    turns = [
        {"role": "user", "content": STROKES},
        {"role": "assistant", "content": OTHER},
        {"role": "user", "content": "So?"},
    ]
    found = score_answer(
        "nuggets",
        {"question": STROKES, "nuggets": [NUGGET]},
        {"answer": NUGGET, "turns": turns},
        reader="none",
    )
    assert (found.metric, found.value) == ("nugget_coverage", 1.0)


def test_what_cannot_be_scored_has_a_reason() -> None:
    question = {"question": STROKES, "nuggets": [NUGGET]}
    for kind, answer, why in (
        ("citations", {"answer": NUGGET}, "cites"),
        ("rubric", {"answer": NUGGET}, "no judge was named"),
        ("nuggets", {"answer": None, "failed": "a timeout"}, "a timeout"),
    ):
        found = score_answer(kind, question, answer, reader="none")  # type: ignore[arg-type]
        assert found.value is None
        assert why in (found.reason or "")


def test_promptfoo_calls_an_assertion_with_the_variables() -> None:
    from medassay.integrations.promptfoo import get_assert, nuggets

    context = {"vars": {"question": STROKES, "expected": NUGGET}, "config": {"reader": "none"}, "prompt": "?"}
    right = nuggets(NUGGET, context)
    assert (right["pass"], right["score"], right["namedScores"]) == (True, 1.0, {"nugget_coverage": 1.0})
    assert nuggets(OTHER, context)["pass"] is False
    both = get_assert(NUGGET, context)
    assert (both["pass"], both["score"], len(both["componentResults"])) == (True, 1.0, 1)
    assert "citation_precision not judged" in both["reason"]


@pytest.mark.filterwarnings("ignore")
def test_inspect_scores_a_task_and_leaves_what_is_unscored_out_of_the_mean(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from medassay.integrations.inspect_scorers import citations, nuggets

    def answer(input: Any, *_: Any) -> ModelOutput:
        said = ModelOutput.from_content("mockllm/model", NUGGET if "aspirin" in input[-1].text else OTHER)
        return said.model_copy(update={"usage": ModelUsage()})

    samples = [
        Sample(id=name, input=f"Does {name} prevent strokes?", target=NUGGET) for name in ("aspirin", "sun")
    ]
    task = Task(MemoryDataset(samples), scorer=[nuggets(reader="none"), citations(reader="none")])
    model = get_model("mockllm/model", custom_outputs=answer)
    (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert {s.id: s.scores["medassay/nuggets" if "medassay/nuggets" in s.scores else "nuggets"].value for s in log.samples} == {
        "aspirin": 1.0,
        "sun": 0.0,
    }  # fmt: skip
    by_name = {score.name.rpartition("/")[2]: score for score in log.results.scores}
    assert (by_name["nuggets"].metrics["mean"].value, by_name["nuggets"].scored_samples) == (0.5, 2)
    assert (by_name["citations"].scored_samples, by_name["citations"].unscored_samples) == (0, 2)


@pytest.mark.filterwarnings("ignore")
def test_inspect_takes_exported_scores_by_sample_and_epoch(tmp_path: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    from inspect_ai.log import read_eval_log
    from inspect_ai.scorer import precomputed_scores

    log = Path(__file__).parents[1] / "intake" / "logs" / "inspect-0.3.285.eval"
    questions = {"b12": 1.0, "b12, repeat 2": 0.5, "aspirin": None}
    scores = [
        {
            "question_id": name,
            "system": "mockllm/model",
            "nugget_coverage": value,
            "nugget_coverage_reason": "no nugget",
        }
        for name, value in questions.items()
    ]
    rows = inspect_score_rows([], scores, "nugget_coverage", "mockllm/model")
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    scorer = precomputed_scores(str(tmp_path / "scores.jsonl"))
    found = inspect_ai.score(read_eval_log(str(log)), scorer, action="append", display="none")
    by_sample = {
        (sample.id, sample.epoch): sample.scores["precomputed_scores"]
        for sample in found.samples
        if "precomputed_scores" in (sample.scores or {})
    }
    assert by_sample["b12", 1].value == 1.0
    assert by_sample["b12", 2].value == 0.5
    assert (str(by_sample["aspirin", 1].value), by_sample["aspirin", 1].explanation) == ("nan", "no nugget")
    (named,) = [one for one in found.results.scores if one.name == "precomputed_scores"]
    assert named.metrics["accuracy"].value == 0.75


@pytest.mark.filterwarnings("ignore")
def test_deepeval_evaluates_test_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("deepeval", reason="deepeval is not installed")
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.test_case import LLMTestCase

    from medassay.integrations.deepeval_metrics import Citations, Nuggets

    cases = [
        LLMTestCase(input=STROKES, actual_output=said, expected_output=NUGGET) for said in (NUGGET, OTHER)
    ]
    result = evaluate(
        cases,
        [Nuggets(reader="none"), Citations(reader="none")],
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    found = [
        {one.name: (one.score, one.success) for one in test.metrics_data} for test in result.test_results
    ]
    assert [
        one.error for test in result.test_results for one in test.metrics_data if "nuggets" in one.name
    ] == [None] * 2
    assert sorted(one["MedAssay nuggets"] for one in found) == [(0.0, False), (1.0, True)]
    assert all(one["MedAssay citations"][0] is None for one in found)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_evaluates_a_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    from medassay.integrations.mlflow_scorers import make_scorer

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    data = [
        {"inputs": {"question": STROKES}, "outputs": said, "expectations": {"expected_response": NUGGET}}
        for said in (NUGGET, OTHER)
    ]
    scorers = [make_scorer(kind, reader="none") for kind in ("nuggets", "citations")]
    result = mlflow.genai.evaluate(data=data, scorers=scorers)
    assert result.metrics["nuggets/mean"] == 0.5
    assert sorted(result.tables["eval_results"]["nuggets/value"]) == [0.0, 1.0]
    assert "citations/mean" not in result.metrics or json.dumps(result.metrics["citations/mean"]) == "NaN"
