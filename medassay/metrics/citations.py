"""Metrics of citations: whether sources support the claims that they stand by, and whether claims have sources."""

from medassay.metrics.metric import EVERYWHERE, Group, Metric

CITATIONS = Group("citations", "Citations")
ALCE = "Gao et al. 2023, Enabling Large Language Models to Generate Text with Citations (ALCE), section 3"

METRICS = (
    Metric(
        name="citation_precision",
        label="Citation precision",
        means=(
            "Of the citations that could be checked, the share whose source supports the claim they stand by."
        ),
        formula=(
            "citations that support their claim / citations that could be judged (not found and "
            "untraceable ones count), 0 to 1"
        ),
        group=CITATIONS,
        sql={"any": "ratio(n_supports, n_verified + n_not_found + n_untraceable, no_citations)"},
        shown=EVERYWHERE,
        human=("reference_correctness",),
    ),
    Metric(
        name="citation_precision_low",
        label="Citation precision, at worst",
        means=(
            "Citation precision over all citations, every one that could not be checked counted as not "
            "supporting."
        ),
        formula=(
            "supporting citations / all citations: every unverifiable one counted as not supporting, 0 to 1"
        ),
        group=CITATIONS,
        sql={"any": "ratio(n_supports, n_citations, no_citations)"},
    ),
    Metric(
        name="citation_precision_high",
        label="Citation precision, at best",
        means=(
            "Citation precision over all citations, every one that could not be checked counted as "
            "supporting."
        ),
        formula="every unverifiable citation counted as supporting / all citations, 0 to 1",
        group=CITATIONS,
        sql={"any": "ratio(n_supports + n_unverifiable, n_citations, no_citations)"},
    ),
    Metric(
        name="citation_recall",
        label="Citation recall",
        means="Of the claims that need a citation, the share with one whose source supports them.",
        formula=(
            "claims with a supporting citation / claims that need one, 0 to 1; one whose citations could "
            "not be checked has none, and the bounds stand beside it; NULL where a failure of ours kept "
            "one from being checked, or where nothing could be"
        ),
        group=CITATIONS,
        sql={
            "any": """
            -- NULL after a failure of ours, where every claim is open, and where no citation of the system could be
            -- checked. Otherwise an open claim has no supporting citation, so that nothing is gained by citing what
            -- nobody can read; the bounds stand beside it.
            case
                when n_open > 0 and citing = 'failed'
                    then unavailable(
                        if(n_open = n_needing, no_citations,
                            undone('citations could not be checked, through a failure; see outcomes', citing))
                    )
                when n_open > 0 and (n_open = n_needing or unchecked_throughout)
                    then unavailable(if(n_open = n_needing and n_verified > 0, no_closed, no_citations))
                else ratio(n_supported, n_needing, no_needing)
            end
            """,
        },
        shown=EVERYWHERE | {"sufficiency"},
        human=(),
    ),
    Metric(
        name="citation_recall_low",
        label="Citation recall, at worst",
        means="Citation recall with every citation that could not be checked counted as not supporting.",
        formula="citation recall with every unverifiable citation counted as not supporting, 0 to 1",
        group=CITATIONS,
        sql={"any": "ratio(n_supported, n_needing, no_needing)"},
    ),
    Metric(
        name="citation_recall_high",
        label="Citation recall, at best",
        means="Citation recall with every citation that could not be checked counted as supporting.",
        formula="citation recall with every unverifiable citation counted as supporting, 0 to 1",
        group=CITATIONS,
        sql={"any": "ratio(n_supported_at_best, n_needing, no_needing)"},
    ),
    Metric(
        name="citation_coverage",
        label="Citation coverage",
        means="The share of claims with at least one citation that leads to a source.",
        formula=(
            "claims with at least one citation that names a source / claims, 0 to 1; a source that nobody "
            "has a record of counts as named (see not_found_rate), a bare marker does not"
        ),
        group=CITATIONS,
        sql={"any": "ratio(n_traceable, n_claims, no_claims)"},
        shown=frozenset({"leaderboard", "plot"}),
    ),
    Metric(
        name="citation_contradiction_rate",
        label="Contradicting citations",
        means=(
            "Of the citations that could be checked, the share whose source contradicts the claim. Lower "
            "is better."
        ),
        formula="contradicting citations / citations whose text was read, 0 to 1; lower is better",
        group=CITATIONS,
        sql={"any": "ratio(n_cited_contradicts, n_verified, no_citations)"},
        lower_is_better=True,
    ),
    Metric(
        name="not_found_rate",
        label="Citations not found",
        means=(
            "The share of citations for which a source that answers has no such record: likely made up. "
            "Lower is better."
        ),
        formula="citations that no source knows / citations, 0 to 1; lower is better",
        group=CITATIONS,
        sql={"any": "ratio(n_not_found, n_citations, no_citations)"},
        lower_is_better=True,
    ),
    Metric(
        name="untraceable_rate",
        label="Untraceable citations",
        means="The share of citations that lead to no source: a bare marker, or a mark that looks like a citation and "
        "was not understood. Lower is better.",
        formula="citations that lead to no source / citations, 0 to 1; lower is better",
        group=CITATIONS,
        sql={"any": "ratio(n_untraceable, n_citations, no_citations)"},
        lower_is_better=True,
    ),
    Metric(
        name="unverifiable_rate",
        label="Unverifiable citations",
        means="The share of citations whose text could not be had, so that nothing can be said of them.",
        formula="citations that could not be checked / citations, 0 to 1",
        group=CITATIONS,
        sql={"any": "ratio(n_unverifiable, n_citations, no_citations)"},
        lower_is_better=True,
    ),
    Metric(
        name="alce_recall",
        label="ALCE recall",
        means=(
            "ALCE's definition, our encoder, claim level: the share of claims that their cited passages, "
            "taken together, entail."
        ),
        formula=(
            "ALCE's definition, our encoder, claim level: claims that the best sentences of all they "
            "cite, in one window, entail / claims where that could be tested, 0 to 1"
        ),
        group=CITATIONS,
        sql={
            "any": """
            ratio(
                n_jointly_entailed,
                if(n_open > 0 and unchecked_throughout, null, n_jointly_tested),
                if(n_claims = 0, no_claims, undone(no_joint_reading, alce))
            )
            """,
        },
        paper=ALCE,
        shown=frozenset({"sufficiency"}),
    ),
    Metric(
        name="alce_precision",
        label="ALCE precision",
        means=(
            "ALCE's definition, our encoder, claim level: the share of citations that are not superfluous "
            "to the entailment."
        ),
        formula=(
            "ALCE's definition, our encoder, claim level: citations that the joint entailment needs, or "
            "that entail alone / citations that could be tested, 0 to 1"
        ),
        group=CITATIONS,
        sql={
            "any": """
            ratio(
                n_contributing,
                n_tested,
                if(n_citations = 0, no_citations, undone('no citation could be tested', alce))
            )
            """,
        },
        paper=ALCE,
        shown=frozenset({"sufficiency"}),
    ),
    Metric(
        name="over_citation_rate",
        label="Over-citation",
        means=(
            "Of the citations of claims that their sources entail together, the share that adds nothing. "
            "Lower is better."
        ),
        formula=(
            "citations that add nothing to what the others entail / readable citations of jointly "
            "entailed claims, 0 to 1; lower is better"
        ),
        group=CITATIONS,
        sql={
            "any": """
            ratio(
                n_superfluous,
                n_of_entailed,
                case
                    when n_citations = n_unverifiable then no_citations
                    when n_jointly_unread > 0 then undone(no_joint_reading, alce)
                    else not_applicable('no claim is entailed by its citations')
                end
            )
            """,
        },
        lower_is_better=True,
        shown=frozenset({"sufficiency"}),
    ),
    Metric(
        name="under_citation_rate",
        label="Under-citation",
        means=(
            "Of the claims that need a citation, the share with none that leads to a source. Lower is better."
        ),
        formula=(
            "claims that need a citation and have none that names a source / claims that need one, 0 to "
            "1; a source that nobody has a record of counts as named; lower is better"
        ),
        group=CITATIONS,
        sql={"any": "ratio(n_uncited, n_needing, no_needing)"},
        lower_is_better=True,
        shown=frozenset({"sufficiency"}),
    ),
)
