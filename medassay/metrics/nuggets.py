"""Metrics that hold an answer against the nuggets: the facts that a good answer states."""

from medassay.metrics.metric import EVERYWHERE, OVERALL, Group, Metric

NUGGETS = Group("nuggets", "Facts of the reference")
AUTONUGGETIZER = "Pradeep et al. 2024, AutoNuggetizer (TREC RAG)"
PROFILES_OF = f"bioace: BioACE; trec: {AUTONUGGETIZER}"

METRICS = (
    Metric(
        name="nugget_coverage",
        label="Nugget coverage",
        means="The share of the facts a good answer holds (nuggets) that the answer states rightly.",
        formula="covered nuggets / nuggets, 0 to 1",
        group=NUGGETS,
        sql={"any": "ratio(n_covered, n_nuggets, no_nuggets)"},
        shown=EVERYWHERE,
        human=("answer_accurate", "clusters_required", "clusters_supported_required", OVERALL),
    ),
    Metric(
        name="factual_correctness",
        label="Factual correctness",
        means="Of the nuggets the answer speaks of, the share it gets right; the others it turns around.",
        formula="covered / (covered + contradicted) nuggets, 0 to 1",
        group=NUGGETS,
        sql={"any": "ratio(n_covered, n_aligned, no_aligned)"},
        shown=EVERYWHERE,
        human=("answer_accurate", "knowledge_correctness"),
    ),
    Metric(
        name="contradiction_rate",
        label="Contradiction rate",
        means=(
            "The share of nuggets that the answer contradicts: direction, dose, number, population or "
            "negation. Lower is better."
        ),
        formula="contradicted nuggets / nuggets, 0 to 1; lower is better",
        group=NUGGETS,
        sql={"any": "ratio(n_contradicted, n_nuggets, no_nuggets)"},
        lower_is_better=True,
        shown=EVERYWHERE,
    ),
    Metric(
        name="completeness",
        label="Completeness",
        means=(
            "Seed: the share of reference nuggets the answer speaks of, rightly or wrongly; bioace: the "
            "share of its sentences that a language model calls required; trec: the share of vital "
            "nuggets covered, partly counts half."
        ),
        formula="share of the reference nuggets that the answer addresses, as the profile defines it",
        group=NUGGETS,
        sql={
            "seed": "ratio(n_aligned, n_nuggets, no_nuggets)",
            "bioace": """
            case
                when labels_reason is not null then unavailable(not_applicable(labels_reason))
                when answer_state = 'failed' then unavailable(no_claims)
                -- Silence owes a sentence: it scores 0, as in the paper's code.
                when answer_state <> 'answered' then ratio(0, 1, not_applicable(null))
                when n_labelled < n_sentences
                    then unavailable(undone('the model did not label every sentence; see outcomes', labelling))
                else ratio(n_required, n_sentences, not_applicable('the answer has no sentence'))
            end
            """,
            "trec": "ratio(n_vital_covered + 0.5 * n_vital_partial, n_vital, no_vital)",
        },
        paper=PROFILES_OF,
        shown=frozenset({"leaderboard", "plot"}),
        human=(),
        human_under={"bioace": ("required_sentences",)},
    ),
    Metric(
        name="correctness",
        label="Correctness",
        means=(
            "Seed: right one-to-one matches between claims and nuggets, out of the nuggets the answer "
            "speaks of; bioace: the share of its sentences that a retrieved document entails."
        ),
        formula="share of what is addressed that is right, as the profile defines it",
        group=NUGGETS,
        sql={
            "seed": "ratio(n_correct, n_aligned, no_aligned)",
            "bioace": """
            case
                when passages_reason is not null then unavailable(not_applicable(passages_reason))
                when answer_state <> 'answered' then unavailable(no_claims)
                when n_searched < n_sentences
                    then unavailable(
                        undone('not every sentence could be held against passages; see outcomes', searching)
                    )
                else ratio(n_backed, n_sentences, not_applicable('the answer has no sentence'))
            end
            """,
            "trec": "unavailable(not_applicable('the trec profile does not define it'))",
        },
        paper=PROFILES_OF,
        shown=frozenset({"leaderboard"}),
        human=(),
    ),
    Metric(
        name="precision",
        label="Precision",
        means=(
            "Seed: the share of the answer's claims that match a nugget rightly, one to one; bioace: "
            "nuggets it speaks of, out of its claims."
        ),
        formula="share of the answer's claims that match, as the profile defines it",
        group=NUGGETS,
        sql={
            "seed": "ratio(n_precise, if(n_precise is null, null, n_claims), no_precision)",
            "bioace": """
            -- The paper aligns one to one: a claim that serves two nuggets is one aligned claim.
            ratio(least(n_aligned, n_claims), if(n_precise is null, null, n_claims), no_precision)
            """,
            "trec": "unavailable(not_applicable('the trec profile does not define it'))",
        },
        paper=PROFILES_OF,
        shown=frozenset({"leaderboard", "plot"}),
        human=("required_sentences",),
    ),
    Metric(
        name="recall",
        label="Recall",
        means=(
            "Seed: the share of reference nuggets matched rightly by a claim of their own, one to one; "
            "bioace: the share it speaks of; trec: the share of all nuggets covered, partly counts half."
        ),
        formula="share of the reference nuggets that are matched, as the profile defines it",
        group=NUGGETS,
        sql={
            "seed": "ratio(n_correct, n_nuggets, no_nuggets)",
            "bioace": "ratio(n_aligned, n_nuggets, no_nuggets)",
            "trec": "ratio(n_covered + 0.5 * n_partial, n_nuggets, no_nuggets)",
        },
        paper=PROFILES_OF,
        shown=frozenset({"leaderboard"}),
        human=(),
    ),
    Metric(
        name="f1",
        label="F1",
        means="The harmonic mean of precision and recall.",
        formula="harmonic mean of the seed profile's precision and recall, 0 to 1",
        group=NUGGETS,
        sql={
            "any": """
            -- The harmonic mean of precision and recall is twice the matches over both denominators.
            ratio(2 * n_precise, if(n_precise is null or n_claims = 0, null, n_claims + n_nuggets), no_precision)
            """,
        },
        human=(),
    ),
    Metric(
        name="nugget_recall_1to1",
        label="Recall, one to one",
        means="Right one-to-one matches out of all reference nuggets, whatever the profile.",
        formula="nuggets matched by a claim of their own / nuggets, 0 to 1",
        group=NUGGETS,
        sql={"any": "ratio(n_correct, n_nuggets, no_nuggets)"},
        human=("clusters_required", "clusters_supported_required"),
    ),
    Metric(
        name="vital",
        label="Vital",
        means="The share of vital nuggets covered; a partly covered one counts half.",
        formula="(covered + half of partial) / vital nuggets, 0 to 1",
        group=NUGGETS,
        sql={"trec": "ratio(n_vital_covered + 0.5 * n_vital_partial, n_vital, no_vital)"},
        paper=AUTONUGGETIZER,
    ),
    Metric(
        name="vital_strict",
        label="Vital, strict",
        means="The share of vital nuggets covered; a partly covered one counts nothing.",
        formula="covered / vital nuggets, 0 to 1",
        group=NUGGETS,
        sql={"trec": "ratio(n_vital_covered, n_vital, no_vital)"},
        paper=AUTONUGGETIZER,
    ),
    Metric(
        name="all",
        label="All",
        means="The share of all nuggets covered, vital or okay; a partly covered one counts half.",
        formula="(covered + half of partial) / nuggets, 0 to 1",
        group=NUGGETS,
        sql={"trec": "ratio(n_covered + 0.5 * n_partial, n_nuggets, no_nuggets)"},
        paper=AUTONUGGETIZER,
    ),
    Metric(
        name="all_strict",
        label="All, strict",
        means="The share of all nuggets covered, vital or okay; a partly covered one counts nothing.",
        formula="covered / nuggets, 0 to 1",
        group=NUGGETS,
        sql={"trec": "ratio(n_covered, n_nuggets, no_nuggets)"},
        paper=AUTONUGGETIZER,
    ),
    Metric(
        name="weighted",
        label="Weighted",
        means="The share of nuggets covered, where an okay nugget weighs half a vital one.",
        formula="covered and half of partial, okay nuggets counting half, 0 to 1",
        group=NUGGETS,
        sql={
            "trec": """
            ratio(
                n_vital_covered + 0.5 * n_vital_partial
                + 0.5 * (n_covered - n_vital_covered + 0.5 * (n_partial - n_vital_partial)),
                n_vital + 0.5 * (n_nuggets - n_vital),
                no_nuggets
            )
            """,
        },
        paper=AUTONUGGETIZER,
    ),
)
