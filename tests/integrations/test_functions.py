"""The functions of docs/integrations.md, each run by its tool as it stands there; skipped where the tool is not installed."""

import datetime
import re
import uuid
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from medassay.integrations.scoring import score_answer

ASKED, GOLD, NO_WORD = "Does aspirin prevent strokes?", "Aspirin lowers the risk of stroke.", "…"
SAID = {"right": GOLD, "wrong": "The weather is fine today."}
DOCS = Path(__file__).parents[2] / "docs" / "integrations.md"
pytestmark = [pytest.mark.usefixtures("needs_the_embedder"), pytest.mark.filterwarnings("ignore")]


def function_of(tool: str, name: str = "nuggets", **names: Any) -> Any:
    """Return the function that the docs give for a tool, with the names that its package has."""
    (code,) = re.findall(rf"```python\n(# {tool}: .*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    scope = {"score_answer": partial(score_answer, reader="none", offline=True), **names}
    exec(code, scope)
    return scope[name]


def test_langsmith_evaluates_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    langsmith = pytest.importorskip("langsmith", reason="langsmith is not installed")
    from langsmith.schemas import Example

    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    examples = [
        Example(
            id=uuid.uuid4(),
            inputs={"question": ASKED, "said": said},
            outputs={"reference_answer": GOLD},
            created_at=datetime.datetime.now(datetime.UTC),
        )
        for said in SAID.values()
    ]
    rows = langsmith.evaluate(
        lambda inputs: {"answer": inputs["said"]},
        data=examples,
        evaluators=[function_of("LangSmith")],
        upload_results=False,
        client=langsmith.Client(api_key="none", api_url="http://127.0.0.1:9", info={}),
    )
    found = [one for row in rows for one in row["evaluation_results"]["results"]]
    assert sorted((one.key, one.score) for one in found) == [
        ("nugget_coverage", 0.0),
        ("nugget_coverage", 1.0),
    ]


def test_langfuse_runs_an_experiment() -> None:
    langfuse = pytest.importorskip("langfuse", reason="langfuse is not installed")
    client = langfuse.Langfuse(
        public_key="p", secret_key="s", base_url="http://127.0.0.1:9", tracing_enabled=False
    )
    result = client.run_experiment(
        name="clinic",
        data=[
            {"input": ASKED, "expected_output": gold, "metadata": {"said": GOLD}} for gold in (GOLD, NO_WORD)
        ],
        task=lambda *, item, **_: item["metadata"]["said"],
        evaluators=[function_of("Langfuse", Evaluation=langfuse.Evaluation)],
    )
    scores = [[(one.name, one.value) for one in item.evaluations] for item in result.item_results]
    assert scores == [[("nugget_coverage", 1.0)], []]


def test_ragas_scores_with_a_numeric_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")
    pytest.importorskip("ragas", reason="ragas is not installed")
    from ragas.metrics import MetricResult, numeric_metric

    metric = function_of("RAGAS", MetricResult=MetricResult, numeric_metric=numeric_metric)
    for name, value in (("right", 1.0), ("wrong", 0.0)):
        assert metric.score(user_input=ASKED, response=SAID[name], reference=GOLD).value == value
    assert metric.score(user_input=ASKED, response=GOLD, reference=NO_WORD).value is None


def test_phoenix_evaluates_a_frame() -> None:
    evals = pytest.importorskip("phoenix.evals", reason="arize-phoenix-evals is not installed")
    import pandas as pd

    rows = [{"input": ASKED, "output": said, "reference": GOLD} for said in SAID.values()]
    rows.append({"input": ASKED, "output": GOLD, "reference": NO_WORD})
    evaluator = function_of("Phoenix", create_evaluator=evals.create_evaluator, Score=evals.Score)
    frame = evals.evaluate_dataframe(dataframe=pd.DataFrame(rows), evaluators=[evaluator])
    assert [one.get("score") for one in frame["nugget_coverage_score"]] == [1.0, 0.0, None]


def test_lm_eval_runs_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    import json

    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Scripted(LM):  # type: ignore[misc]
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            return [request.args[0] for request in requests]

        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    docs = [{"question": ASKED, "gold": GOLD, "said": said} for said in SAID.values()]
    docs.append({"question": ASKED, "gold": NO_WORD, "said": GOLD})
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    task = {
        "task": "clinic",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(tmp_path / "docs.jsonl")}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{said}}",
        "doc_to_target": "{{gold}}",
        "process_results": function_of("lm-evaluation-harness", "process_results"),
        "metric_list": [{"metric": "nugget_coverage", "aggregation": "mean", "higher_is_better": True}],
    }
    found = lm_eval.simple_evaluate(
        model=Scripted(), tasks=[task], task_manager=TaskManager(include_defaults=False), bootstrap_iters=0
    )
    assert found["results"]["clinic"]["nugget_coverage,none"] == 0.5
