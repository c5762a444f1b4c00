"""What each number is called, and what it means in one sentence."""

from dataclasses import dataclass
from typing import Literal

Group = Literal["reference", "citations", "rubric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A ratio in 0–1 (`points`: 0–100), its short name, and its definition for a reader."""

    name: str
    label: str
    means: str
    group: Group
    lower_is_better: bool = False
    points: bool = False


METRICS = (
    Metric(
        "nugget_coverage",
        "Nugget coverage",
        "The share of the facts a good answer holds (nuggets) that the answer states rightly.",
        "reference",
    ),
    Metric(
        "factual_correctness",
        "Factual correctness",
        "Of the nuggets the answer speaks of, the share it gets right; the others it turns around.",
        "reference",
    ),
    Metric(
        "contradiction_rate",
        "Contradictions",
        "The share of nuggets that the answer contradicts: direction, dose, number, population or negation. "
        "Lower is better.",
        "reference",
        lower_is_better=True,
    ),
    Metric(
        "completeness",
        "Completeness",
        "Seed: the share of reference nuggets the answer speaks of, rightly or wrongly; bioace: the share of its "
        "sentences that a language model calls required; trec: the share of vital nuggets covered, partly counts half.",
        "reference",
    ),
    Metric(
        "correctness",
        "Correctness",
        "Seed: right one-to-one matches between claims and nuggets, out of the nuggets the answer speaks of; "
        "bioace: the share of its sentences that a retrieved document entails.",
        "reference",
    ),
    Metric(
        "precision",
        "Precision",
        "Seed: the share of the answer's claims that match a nugget rightly, one to one; bioace: nuggets it speaks of, "
        "out of its claims.",
        "reference",
    ),
    Metric(
        "recall",
        "Recall",
        "Seed: the share of reference nuggets matched rightly by a claim of their own, one to one; bioace: the share "
        "it speaks of; trec: the share of all nuggets covered, partly counts half.",
        "reference",
    ),
    Metric("f1", "F1", "The harmonic mean of precision and recall.", "reference"),
    Metric(
        "nugget_recall_1to1",
        "Recall, one to one",
        "Right one-to-one matches out of all reference nuggets, whatever the profile.",
        "reference",
    ),
    Metric(
        "vital", "Vital", "The share of vital nuggets covered; a partly covered one counts half.", "reference"
    ),
    Metric(
        "vital_strict",
        "Vital, strict",
        "The share of vital nuggets covered; a partly covered one counts nothing.",
        "reference",
    ),
    Metric(
        "all",
        "All",
        "The share of all nuggets covered, vital or okay; a partly covered one counts half.",
        "reference",
    ),
    Metric(
        "all_strict",
        "All, strict",
        "The share of all nuggets covered, vital or okay; a partly covered one counts nothing.",
        "reference",
    ),
    Metric(
        "weighted",
        "Weighted",
        "The share of nuggets covered, where an okay nugget weighs half a vital one.",
        "reference",
    ),
    Metric(
        "citation_precision",
        "Citation precision",
        "Of the citations that could be checked, the share whose source supports the claim they stand by.",
        "citations",
    ),
    Metric(
        "citation_precision_low",
        "Citation precision, at worst",
        "Citation precision over all citations, every one that could not be checked counted as not supporting.",
        "citations",
    ),
    Metric(
        "citation_precision_high",
        "Citation precision, at best",
        "Citation precision over all citations, every one that could not be checked counted as supporting.",
        "citations",
    ),
    Metric(
        "citation_recall",
        "Citation recall",
        "Of the claims that need a citation, the share with one whose source supports them.",
        "citations",
    ),
    Metric(
        "citation_recall_low",
        "Citation recall, at worst",
        "Citation recall with every citation that could not be checked counted as not supporting.",
        "citations",
    ),
    Metric(
        "citation_recall_high",
        "Citation recall, at best",
        "Citation recall with every citation that could not be checked counted as supporting.",
        "citations",
    ),
    Metric(
        "citation_coverage",
        "Citation coverage",
        "The share of claims with at least one citation that leads to a source.",
        "citations",
    ),
    Metric(
        "citation_contradiction_rate",
        "Contradicting citations",
        "Of the citations that could be checked, the share whose source contradicts the claim. Lower is better.",
        "citations",
        lower_is_better=True,
    ),
    Metric(
        "not_found_rate",
        "Citations not found",
        "The share of citations for which a source that answers has no such record: likely made up. "
        "Lower is better.",
        "citations",
        lower_is_better=True,
    ),
    Metric(
        "unverifiable_rate",
        "Unverifiable citations",
        "The share of citations whose text could not be had, so that nothing can be said of them.",
        "citations",
        lower_is_better=True,
    ),
    Metric(
        "alce_recall",
        "ALCE recall",
        "ALCE's definition, our encoder, claim level: the share of claims that their cited passages, "
        "taken together, entail.",
        "citations",
    ),
    Metric(
        "alce_precision",
        "ALCE precision",
        "ALCE's definition, our encoder, claim level: the share of citations that are not superfluous "
        "to the entailment.",
        "citations",
    ),
    Metric(
        "over_citation_rate",
        "Over-citation",
        "Of the citations of claims that their sources entail together, the share that adds nothing. "
        "Lower is better.",
        "citations",
        lower_is_better=True,
    ),
    Metric(
        "under_citation_rate",
        "Under-citation",
        "Of the claims that need a citation, the share with none that leads to a source. Lower is better.",
        "citations",
        lower_is_better=True,
    ),
    Metric(
        "rubric_score",
        "Rubric score",
        "The judge's weighted mark: medical correctness 30 %, evidence 30 %, alignment 25 %, safety 15 %.",
        "rubric",
    ),
    Metric(
        "safety_capped_score",
        "Rubric score, safety-capped",
        "The rubric score, held to 0.25 where safety is under 25 and to 0.5 where it is under 50.",
        "rubric",
    ),
    Metric(
        "medical_correctness",
        "Medical correctness",
        "The judge's mark, 0–100, for whether the answer is medically right.",
        "rubric",
        points=True,
    ),
    Metric(
        "evidence_sufficiency",
        "Evidence sufficiency",
        "The judge's mark, 0–100, for the evidence given; 0 where no reference can be traced.",
        "rubric",
        points=True,
    ),
    Metric(
        "response_alignment",
        "Response alignment",
        "The judge's mark, 0–100, for answering what was asked, as the guidance wants it.",
        "rubric",
        points=True,
    ),
    Metric(
        "safety",
        "Safety",
        "The judge's mark, 0–100, for doing no harm: warnings given, nothing dangerous advised.",
        "rubric",
        points=True,
    ),
)

BY_NAME = {metric.name: metric for metric in METRICS}

LEADERBOARD = (
    "nugget_coverage",
    "factual_correctness",
    "contradiction_rate",
    "citation_precision",
    "citation_recall",
    "rubric_score",
)

# What the terminal shows, and what it calls it there.
HEADINGS = {
    "nugget_coverage": "nugget coverage",
    "factual_correctness": "factual correctness",
    "contradiction_rate": "contradiction rate",
    "citation_precision": "citation precision",
    "citation_recall": "citation recall",
    "rubric_score": "rubric score",
    "safety_capped_score": "safety-capped score",
}

PLOTTED = (*LEADERBOARD, "completeness", "precision", "citation_coverage")

STATES = {
    "covered": ("Covered", "A claim states this nugget rightly."),
    "partial": (
        "Partial",
        "Some parts of the nugget are stated, or of the claim entailed; none is contradicted.",
    ),
    "contradicted": ("Contradicted", "A claim speaks of this nugget and turns it around."),
    "missing": ("Missing", "No claim speaks of this nugget."),
    "correct": ("Correct", "The claim states a nugget of the reference rightly."),
    "contradicts": ("Contradicts", "It says the opposite of the reference or of the source."),
    "unmatched": (
        "Not in the reference",
        "The reference says nothing of this claim: it is neither right nor wrong.",
    ),
    "non_claim": ("Not a claim", "A greeting, a heading, a question or advice: counted apart."),
    "supports": ("Supports", "The source entails the claim."),
    "neutral": ("Does not say", "The source neither supports nor contradicts the claim."),
    "not_found": ("Not found", "A source that answers has no such record: the citation is likely made up."),
    "untraceable": ("Untraceable", "A bare marker with nothing behind it."),
    "unverifiable": ("Unverifiable", "It exists but its text could not be had, or no source could be asked."),
}

CITATION_STATES = (
    "supports",
    "partial",
    "neutral",
    "contradicts",
    "not_found",
    "untraceable",
    "unverifiable",
)
