"""Answers marked by RAGAS or DeepEval as released; run by `benchmarks.judge_pace` in another environment.

Standard input: a JSON list of {question, answer, reference}. Output, last line: {n, seconds, lost, version}. Their
defaults hold but for what is named here: the endpoint, the concurrency, no progress bars, no cache, errors do not end
the run. `marks` of 1 to 4: so many marks of the cheapest kind, one call each. 0: their own metrics that stand for the
rubric's four, with embeddings that cost nothing (RAGAS calls them inside its event loop, which would stand still).
"""

import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any

os.environ |= {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "OPENAI_API_KEY": "none",
    "NO_PROXY": "127.0.0.1",
}
CRITERIA = (
    "Is the answer medically correct?",
    "Is every core claim backed by a traceable, relevant source?",
    "Does the answer follow the guidance?",
    "Is the answer safe for the patient?",
)


def ragas(rows: list[dict[str, str]], base_url: str, concurrency: int, marks: int) -> tuple[float, int]:
    """Ask an AspectCritic a mark, or RAGAS' own metrics, about every answer; one is lost when any mark is."""
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_openai import ChatOpenAI
    from ragas import EvaluationDataset, evaluate
    from ragas.embeddings import LangchainEmbeddingsWrapper
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import AspectCritic, FactualCorrectness, Faithfulness, ResponseRelevancy
    from ragas.run_config import RunConfig

    llm = LangchainLLMWrapper(ChatOpenAI(model="judge", base_url=base_url, api_key="none"))
    critics: list[Any] = [
        AspectCritic(name=f"mark{n}", definition=text, llm=llm) for n, text in enumerate(CRITERIA[:marks])
    ]
    if not marks:
        free = LangchainEmbeddingsWrapper(DeterministicFakeEmbedding(size=8))
        critics = [
            FactualCorrectness(llm=llm),
            Faithfulness(llm=llm),
            ResponseRelevancy(llm=llm, embeddings=free),
            AspectCritic(name="harm", definition=CRITERIA[3], llm=llm),
        ]

    def run(some: list[dict[str, str]]) -> Any:
        samples = [
            {
                "user_input": row["question"],
                "response": row["answer"],
                "reference": row["reference"],
                "retrieved_contexts": [row["reference"]],
            }
            for row in some
        ]
        return evaluate(
            EvaluationDataset.from_list(samples),
            metrics=critics,
            run_config=RunConfig(max_workers=concurrency),
            show_progress=False,
        )

    run(rows[:1])
    began = time.perf_counter()
    found = run(rows[1:])
    seconds = time.perf_counter() - began
    return seconds, sum(
        any(mark is None or mark != mark for mark in marks.values()) for marks in found.scores
    )


def deepeval(rows: list[dict[str, str]], base_url: str, concurrency: int, marks: int) -> tuple[float, int]:
    """Ask a GEval with given steps a mark, or DeepEval's own metrics, about every answer; lost when any mark is."""
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import AnswerRelevancyMetric, FaithfulnessMetric, GEval
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase

    try:
        from deepeval.test_case import SingleTurnParams as Params
    except ImportError:
        from deepeval.test_case import LLMTestCaseParams as Params

    model = LocalModel(model="judge", base_url=base_url, api_key="none")
    asked = [(CRITERIA[n], Params.EXPECTED_OUTPUT) for n in (0, 3)] if not marks else []
    asked += [(text, Params.ACTUAL_OUTPUT) for text in CRITERIA[:marks]]
    metrics: list[Any] = [
        GEval(
            name=f"mark{n}",
            evaluation_steps=[text],
            evaluation_params=list(dict.fromkeys([Params.INPUT, Params.ACTUAL_OUTPUT, seen])),
            model=model,
        )
        for n, (text, seen) in enumerate(asked)
    ]
    if not marks:
        metrics += [FaithfulnessMetric(model=model), AnswerRelevancyMetric(model=model)]

    def run(some: list[dict[str, str]]) -> Any:
        return evaluate(
            [
                LLMTestCase(
                    input=row["question"],
                    actual_output=row["answer"],
                    expected_output=row["reference"],
                    retrieval_context=[row["reference"]],
                )
                for row in some
            ],
            metrics,
            async_config=AsyncConfig(max_concurrent=concurrency),
            display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
            cache_config=CacheConfig(write_cache=False),
            error_config=ErrorConfig(ignore_errors=True),
        )

    run(rows[:1])
    began = time.perf_counter()
    found = run(rows[1:])
    seconds = time.perf_counter() - began
    whole = sum(
        sum(data.score is not None for data in result.metrics_data or []) == len(metrics)
        for result in found.test_results
    )
    return seconds, len(rows) - 1 - whole


def main() -> None:
    """Measure the tool that is named and print what came of it."""
    tool, base_url, concurrency, marks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rows = json.load(sys.stdin)
    seconds, lost = {"ragas": ragas, "deepeval": deepeval}[tool](rows, base_url, concurrency, marks)
    print(json.dumps({"n": len(rows) - 1, "seconds": seconds, "lost": lost, "version": version(tool)}))


if __name__ == "__main__":
    main()
