"""Scorers for MLflow: `mlflow.genai.evaluate(data, predict_fn=…, scorers=[citations, nuggets])`.

Read are `inputs`, `outputs`, `expected_response` and `expected_facts` of the expectations, and what retrievers
returned. `make_scorer("citations", reader="encoder")` gives keywords of `medassay.evaluate`.
"""

from collections.abc import Callable
from typing import Any

from mlflow.entities import Feedback, Trace
from mlflow.genai.scorers import scorer

from medassay.integrations.scoring import Kind, score_answer


def make_scorer(kind: Kind, **choices: Any) -> Any:
    """Return a scorer of one kind that takes keywords of `medassay.evaluate`, such as `reader` or `judge`."""

    def score(
        inputs: Any = None, outputs: Any = None, expectations: Any = None, trace: Trace | None = None
    ) -> Feedback:
        found = score_answer(kind, *_rows(inputs, outputs, expectations or {}, trace), **choices)
        metadata = {"metric": found.metric}
        if found.value is None:
            return Feedback(name=kind, error=found.reason or "it could not be judged", metadata=metadata)
        return Feedback(name=kind, value=found.value, rationale=found.explanation or None, metadata=metadata)

    decorate: Callable[..., Any] = scorer(name=kind)
    return decorate(score)


def _rows(
    inputs: Any, outputs: Any, expected: dict[str, Any], trace: Trace | None
) -> tuple[dict[str, Any], Any]:
    from medassay.models.intake.adapters.log_records import reference_of, said_in, text_of_question
    from medassay.models.intake.provider_forms import contexts_of, read_provider_form

    spans = trace.search_spans(span_type="RETRIEVER") if trace is not None else []
    passages = [passage for span in spans for passage in span.outputs or ()]
    texts = [passage if isinstance(passage, str | dict) else vars(passage) for passage in passages]
    question = {
        "question": text_of_question(inputs),
        "nuggets": expected.get("expected_facts"),
        "reference_answer": reference_of({n: v for n, v in expected.items() if isinstance(v, str)} or None),
    }
    answer = {"answer": said_in(outputs), "contexts": contexts_of({"contexts": texts}) or None}
    return question, read_provider_form(answer)


citations = make_scorer("citations")
nuggets = make_scorer("nuggets")
contradictions = make_scorer("contradictions")
