"""MLflow: traces, alone or in the frame of results that `mlflow.genai.evaluate` returns."""

from collections.abc import Iterator
from typing import Any

from medassay.models.intake.adapters.adapter import Record, listed
from medassay.models.intake.adapters.log_records import LogForm, held, parsed
from medassay.models.intake.headings import renamed


def _prepare(record: Record) -> Record:
    """Take inputs and outputs of the root span, what retrievers returned, and what assessments expect."""
    trace = parsed(record.get("trace")) or record
    info, spans = trace["info"], [one for one in listed(held(trace, "data.spans")) if isinstance(one, dict)]
    root = next(span for span in spans if not span.get("parent_span_id"))
    retrieved = [
        passage
        for span in spans
        if _attribute(span, "spanType") == "RETRIEVER"
        for passage in listed(_attribute(span, "spanOutputs"))
    ]
    assessed = [one for one in listed(info.get("assessments")) if isinstance(one, dict)]
    expected = {
        str(one.get("assessment_name")): parsed(
            held(one, "expectation.value") or held(one, "expectation.serialized_value")
        )
        for one in assessed
        if "expectation" in one
    }
    metadata = info.get("trace_metadata") or {}
    return {
        "asked": _attribute(root, "spanInputs"), "said": _attribute(root, "spanOutputs"), "contexts": retrieved,
        "expected": renamed(expected, None)[0].get("reference_answer"), "id": info.get("client_request_id"),
        "system": metadata.get("mlflow.modelId"), "assessments": assessed,
        "error": held(root, "status.message") if "ERROR" in str(held(root, "status.code")) else None,
    }  # fmt: skip


def _scores(prepared: Record) -> Iterator[Record]:
    """Yield what people said of the answer; what code and judges said is left out."""
    for one in prepared["assessments"]:
        value = held(one, "feedback.value")
        if held(one, "source.source_type") != "HUMAN" or value is None:
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        yield {
            "annotator": held(one, "source.source_id") or "a person", "metric": one.get("assessment_name"),
            "score" if number else "label": value if number else str(value).lower(),
        }  # fmt: skip


def _attribute(span: Record, name: str) -> Any:
    return parsed((span.get("attributes") or {}).get(f"mlflow.{name}"))


ADAPTERS = tuple(
    LogForm(
        "MLflow", marks, ("asked",), ("said",), ("expected",), ("contexts",), ("id",), ("system",), ("error",),
        counts_repeats=True, prepare=_prepare, scores=_scores,
    ).adapter()
    for marks in (("info.trace_id", "data.spans"), ("trace_id", "trace"))
)  # fmt: skip
