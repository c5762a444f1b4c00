"""Metrics for DeepEval: `evaluate(test_cases, [Citations(threshold=0.8), Nuggets()])`."""

import asyncio
from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from medassay.integrations.scoring import Kind, score_answer


class MedAssayMetric(BaseMetric):
    """A score of 0 to 1, read from a test case's input, outputs, retrieval context and metadata.

    What cannot be judged is an error of the metric, so that DeepEval leaves it out of means; give `evaluate` an
    `ErrorConfig(ignore_errors=True)`.
    """

    kind: Kind
    lower_is_better = False
    error: str | None = None

    def __init__(self, threshold: float = 0.5, **choices: Any) -> None:
        self.threshold, self.choices = threshold, choices
        self.include_reason = True

    def measure(self, test_case: LLMTestCase, *args: Any, **more: Any) -> float:
        """Score a test case.

        Raises:
            ValueError: where it could not be judged, saying why.
        """
        given = getattr(test_case, "metadata", None) or getattr(test_case, "additional_metadata", None) or {}
        question = {
            "question": test_case.input,
            "reference_answer": test_case.expected_output,
            "nuggets": given.get("nuggets"),
        }
        answer = {
            "answer": test_case.actual_output,
            "contexts": test_case.retrieval_context,
            "references": given.get("references"),
        }
        self.error = None
        found = score_answer(self.kind, question, answer, **self.choices)
        self.score, self.reason = found.value, found.explanation or found.reason
        self.score_breakdown = {found.metric: found.value}
        if found.value is None:
            self.success, self.error = False, found.reason or "it could not be judged"
            raise ValueError(self.error)
        self.success = (
            found.value <= self.threshold if self.lower_is_better else found.value >= self.threshold
        )
        return found.value

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **more: Any) -> float:
        """Score a test case in a thread."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Return whether the score is on the right side of the threshold."""
        return self.error is None and bool(self.success)

    @property
    def __name__(self) -> str:
        """The metric's name in DeepEval's tables."""
        return f"MedAssay {self.kind}"


class Citations(MedAssayMetric):
    """The share of citations whose source supports the claim that they stand by."""

    kind: Kind = "citations"


class Nuggets(MedAssayMetric):
    """The share of the facts of a good answer that the answer covers."""

    kind: Kind = "nuggets"


class Contradictions(MedAssayMetric):
    """The share of nuggets, else of citations, that are contradicted; at most the threshold (0) passes."""

    kind: Kind = "contradictions"
    lower_is_better = True

    def __init__(self, threshold: float = 0.0, **choices: Any) -> None:
        super().__init__(threshold, **choices)


class Rubric(MedAssayMetric):
    """A judge's mark: `Rubric(judge="https://llm.example/v1#model")`."""

    kind: Kind = "rubric"
