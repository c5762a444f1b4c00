"""Which of our metrics stand for a human one, and the row that holds the two against each other."""

from typing import Any

from medassay.models.statistics.estimate import Estimate
from medassay.sql.warehouse import Row
from medassay.tasks.people.human_scores import OVERALL

PROFILES = ("any", "seed", "bioace", "trec")
AUTOMATIC = (
    "nugget_coverage", "factual_correctness", "completeness", "correctness", "precision", "recall",
    "nugget_recall_1to1", "f1", "citation_precision", "citation_recall", "rubric_score", "medical_correctness",
    "evidence_sufficiency", "response_alignment", "safety",
)  # fmt: skip
# Which of our metrics stand for a human one, by what they mean. MedAESQA's were settled after a look at its
# development part, so that what is measured there is no confirmation.
STANDS_IN = {
    # A verdict on the whole answer: does it say what the expert says, and is what it says of it right?
    "answer_accurate": ("nugget_coverage", "factual_correctness", "medical_correctness"),
    "knowledge_correctness": ("factual_correctness", "medical_correctness"),
    # Of what it says, how much was required? Our precision is the same share over claims.
    "required_sentences": ("precision",),
    # Of what can be said, how much does it say? A sentence falls into one cluster, as a claim takes one nugget.
    "clusters_required": ("nugget_recall_1to1", "nugget_coverage"),
    "clusters_supported_required": ("nugget_recall_1to1", "nugget_coverage"),
    "relevancy": ("response_alignment",),
    "reference_correctness": ("citation_precision",),
    OVERALL: ("nugget_coverage", "rubric_score"),
    **{name: (name,) for name in AUTOMATIC},
}
HUMANS = "humans"
# What only one profile means so: sentences that are required, of all sentences.
STANDS_IN_UNDER = {("required_sentences", "bioace", "completeness")}


def stands_in(human: str, profile: str, metric: str) -> bool:
    """Say whether a metric under a profile means what people scored."""
    return metric in STANDS_IN.get(human, ()) or (human, profile, metric) in STANDS_IN_UNDER


def agreement_row(
    human: str, metric: str, level: str, measure: str, found: Estimate, *, profile: str = "any", **more: Any
) -> Row:
    """Build a row of the mart; `more` overrides."""
    return {
        "human_metric": human,
        "profile": profile,
        "metric": metric,
        "level": level,
        "measure": measure,
        "stratum": "all",
        "stands_in": metric == HUMANS or stands_in(human, profile, metric),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "reason": found.reason,
        **more,
    }
