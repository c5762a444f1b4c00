"""Metrics of an answer against the whole reference and the guidance, and the weights of marks from evidence."""

from typing import Any

from medassay.metrics.metric import Group, Metric, Place

REFERENCE = Group("reference", "Reference and guidance", counts="reference_counts")
_NONE = "the question has neither a reference answer nor nuggets"
_SHOWN: frozenset[Place] = frozenset({"report", "leaderboard"})

WEIGHTS: dict[str, Any] = {
    "vital": 2.0,
    "partial": 0.5,
    "turned": 2.0,
    "opposed": 1.0,
    "beside": 0.25,
    "unstated": 0.25,
    "unproven": 2.0,
    "least_letters": 6,
    "bad_source": 1.0,
    "risk": {"low": 0.75, "medium": 1.0, "high": 1.5},
    "harm_turned": 0.5,
    "harm_opposed": 0.5,
    "harm_dont": 0.6,
    "harm_unstated": 0.7,
    "harm_beside": 0.3,
    "harm_unwarned": 0.3,
    "most_told": 6,
}
"""What the formulas of evidence_marks.sql weigh with.

vital: a vital nugget, in okay ones. partial: a nugget partly stated. turned, opposed: a nugget turned around, and a
claim that the reference or a cited source contradicts, in right ones. beside: a claim of which the reference says
nothing, in right ones. unstated: a nugget not stated, in stated ones. unproven: what stands against an answer of which
nothing is surely right, in right claims. least_letters: letters, in words of four or more, that a claim needs to be
held against anything. bad_source: the share of citations that contradict, do not exist or were retracted. risk: the
power that safety is raised to, by risk level. harm_…: the share of safety that is lost where a vital nugget or a
warning is turned around, where a claim is opposed, for Don'ts said, for vital nuggets not stated, for claims beside the
reference, for warnings and red flags left out. most_told: rows that a justification names.
"""

METRICS = (
    Metric(
        name="graded_coverage",
        label="Graded coverage",
        means="How surely the answer states the nuggets: the mean of the reader's probabilities.",
        formula="mean over nuggets of the probability that the answer states it; 0 where it turns one around, 0 to 1",
        group=REFERENCE,
        sql={"any": "ratio(sum_stated, n_graded, no_graded)"},
        shown=frozenset({"leaderboard"}),
        human=("answer_accurate", "clusters_required", "clusters_supported_required", "required_sentences"),
    ),
    Metric(
        name="breadth",
        label="Breadth",
        means="How many different things the answer says on the subject, right or wrong; repeating pays little.",
        formula=(
            "B / (B + 5), B the sum over claims of the cosine to question or reference, whichever is nearer, times the "
            "root of the distance to the nearest claim before it, 0 to 1"
        ),
        group=REFERENCE,
        sql={"any": "ratio(breadth, breadth + 5, no_claims)"},
        shown=frozenset({"leaderboard"}),
        human=("clusters_required", "clusters_supported_required"),
    ),
    Metric(
        name="claims_beside_reference",
        label="Claims beside the reference",
        means="The share of the answer's claims of which the reference says nothing. They may be right all the same.",
        formula="claims that the reference neither entails nor contradicts / claims, 0 to 1; lower is better",
        group=REFERENCE,
        sql={"any": "ratio(n_beside_reference, n_against_reference, coalesce(no_reference, no_claims))"},
        lower_is_better=True,
        shown=_SHOWN,
        unused=_NONE,
        human=(),
    ),
    Metric(
        name="reference_contradiction_rate",
        label="Reference contradiction rate",
        means="The share of the answer's claims that the reference contradicts. Lower is better.",
        formula="claims that the reference contradicts / claims, 0 to 1; lower is better",
        group=REFERENCE,
        sql={"any": "ratio(n_opposed_by_reference, n_against_reference, coalesce(no_reference, no_claims))"},
        lower_is_better=True,
        unused=_NONE,
        human=(),
    ),
    Metric(
        name="guidance_kept",
        label="Guidance kept",
        means="The share of the guidance's instructions that the answer keeps.",
        formula="(Do's and red flags said + Don'ts not said) / instructions of the guidance, 0 to 1",
        group=REFERENCE,
        sql={"any": "ratio(n_kept, n_instructions, no_guidance)"},
        shown=_SHOWN,
        unused="the question has no guidance that can be read in an answer",
        human=(),
    ),
)
