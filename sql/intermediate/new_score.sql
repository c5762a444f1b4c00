-- mart.score for the current run: every metric as numerator, denominator, value and, where there is none, the reason.
-- A zero denominator or a failure of ours gives NULL; silence gives 0 where there was something to say.
-- One row per question, system, profile and metric.
create or replace macro ratio(metric_name, over, under, why_none) as {
    'metric': metric_name,
    'numerator': over::double,
    'denominator': under::double,
    'value': case when under > 0 then over::double / under end,
    'reason': case when under is null or under = 0 then why_none end
};

create or replace macro unavailable(metric_name, why_none) as {
    'metric': metric_name,
    'numerator': null::double,
    'denominator': null::double,
    'value': null::double,
    'reason': why_none
};

create or replace macro measured(metric_name, amount, why_none) as {
    'metric': metric_name,
    'numerator': amount::double,
    'denominator': case when amount is not null then 1.0 end,
    'value': amount::double,
    'reason': case when amount is null then coalesce(why_none, 'not scored') end
};

create or replace view new_score as
with counts as (
    select
        * replace (
            case when match_failed then null else coalesce(n_nuggets, 0) end as n_nuggets,
            coalesce(n_citations, 0) as n_citations,
            coalesce(n_verified, 0) as n_verified,
            coalesce(n_supports, 0) as n_supports,
            coalesce(n_cited_contradicts, 0) as n_cited_contradicts,
            coalesce(n_not_found, 0) as n_not_found,
            coalesce(n_untraceable, 0) as n_untraceable,
            coalesce(n_unverifiable, 0) as n_unverifiable,
            coalesce(n_claims, 0) as n_claims,
            coalesce(n_needing, 0) as n_needing,
            coalesce(n_supported, 0) as n_supported,
            coalesce(n_supported_at_best, 0) as n_supported_at_best,
            coalesce(n_traceable, 0) as n_traceable
        ),
        case
            when match_failed then 'the answer could not be matched; see outcomes'
            else no_reference_nuggets
        end as no_nuggets,
        case
            when match_failed then 'the answer could not be matched; see outcomes'
            when n_reference_nuggets = 0 then no_reference_nuggets
            else 'no nugget is aligned'
        end as no_aligned,
        case answer_state
            when 'not_answered' then 'the system gave no answer'
            when 'empty' then 'the answer is empty'
            when 'refused' then 'the system refused to answer'
            else 'the answer makes no claim'
        end as no_claims
    from answer_counts
),

judged as (
    select
        question_id,
        system,
        count(*) filter (status = 'scored') as n_samples,
        avg(rubric_score) as rubric_score,
        avg(safety_capped_score) as safety_capped_score,
        avg(medical_correctness) as medical_correctness,
        avg(evidence_sufficiency) as evidence_sufficiency,
        avg(response_alignment) as response_alignment,
        avg(safety) as safety,
        any_value(reason) filter (status <> 'scored') as reason
    from mart.judgement
    where run_id = getvariable('run_id')
    group by question_id, system
),

judge_missing as (
    select
        case
            when count(*) = 0 then 'no judge was configured'
            when max(spec ->> 'judge') = 'none' then max(spec ->> 'reason')
        end as reason
    from fingerprint
    where fingerprint = pinned('judge')
),

ingredients as (
    select
        counts.*,
        case when n_reference_nuggets > 0 then n_correct end as n_recalled,
        case
            when match_failed or n_reference_nuggets = 0 then null
            else n_correct
        end as n_precise,
        case
            when n_reference_nuggets = 0 then no_reference_nuggets
            when match_failed then 'the answer could not be matched; see outcomes'
            else no_claims
        end as no_precision,
        judged.* exclude (question_id, system, reason),
        case
            when judge_missing.reason is not null then judge_missing.reason
            when answer_state = 'not_answered' then 'the system gave no answer'
            else judged.reason
        end as no_judgement
    from counts
    cross join judge_missing
    left join judged using (question_id, system)
),

seed as (
    select run_id, question_id, system, 'seed' as profile, unnest([
        ratio('completeness', n_aligned, n_nuggets, no_nuggets),
        ratio('correctness', n_correct, n_aligned, no_aligned),
        ratio('precision', n_precise, if(n_precise is null, null, n_claims), no_precision),
        ratio('recall', n_correct, n_nuggets, no_nuggets)
    ], recursive := true)
    from ingredients
),

bioace as (
    select run_id, question_id, system, 'bioace' as profile, unnest([
        unavailable('completeness', 'needs sentence labels by an LLM judge, and none was configured'),
        unavailable('correctness', 'needs a retrieval corpus and an LLM judge, and none was configured'),
        ratio('precision', n_aligned, if(n_precise is null, null, n_claims), no_precision),
        ratio('recall', n_aligned, n_nuggets, no_nuggets)
    ], recursive := true)
    from ingredients
),

trec as (
    select run_id, question_id, system, 'trec' as profile, unnest([
        ratio(
            'completeness', n_vital_covered + 0.5 * n_vital_partial, n_vital,
            if(n_vital = 0, 'no nugget is vital', no_nuggets)
        ),
        unavailable('correctness', 'the trec profile does not define it'),
        unavailable('precision', 'the trec profile does not define it'),
        ratio('recall', n_covered + 0.5 * n_partial, n_nuggets, no_nuggets),
        ratio(
            'vital', n_vital_covered + 0.5 * n_vital_partial, n_vital,
            if(n_vital = 0, 'no nugget is vital', no_nuggets)
        ),
        ratio('vital_strict', n_vital_covered, n_vital, if(n_vital = 0, 'no nugget is vital', no_nuggets)),
        ratio('all', n_covered + 0.5 * n_partial, n_nuggets, no_nuggets),
        ratio('all_strict', n_covered, n_nuggets, no_nuggets),
        ratio(
            'weighted',
            n_vital_covered + 0.5 * n_vital_partial
            + 0.5 * (n_covered - n_vital_covered + 0.5 * (n_partial - n_vital_partial)),
            n_vital + 0.5 * (n_nuggets - n_vital),
            no_nuggets
        )
    ], recursive := true)
    from ingredients
),

always as (
    select run_id, question_id, system, 'any' as profile, unnest([
        ratio('nugget_coverage', n_covered, n_nuggets, no_nuggets),
        ratio('nugget_recall_1to1', n_correct, n_nuggets, no_nuggets),
        ratio('contradiction_rate', n_contradicted, n_nuggets, no_nuggets),
        ratio('factual_correctness', n_covered, n_aligned, no_aligned),
        -- The harmonic mean of precision and recall is twice the matches over both denominators.
        ratio('f1', 2 * n_precise, if(n_precise is null or n_claims = 0, null, n_claims + n_nuggets), no_precision),
        ratio('citation_precision', n_supports, n_verified + n_not_found + n_untraceable,
            if(n_citations = 0, 'the answer cites nothing', 'no citation could be checked')),
        ratio('citation_precision_low', n_supports, n_citations, 'the answer cites nothing'),
        ratio('citation_precision_high', n_supports + n_unverifiable, n_citations, 'the answer cites nothing'),
        ratio('citation_recall', n_supported, n_needing, if(n_claims = 0, no_claims, 'no claim needs a citation')),
        ratio('citation_recall_low', n_supported, n_needing, if(n_claims = 0, no_claims, 'no claim needs a citation')),
        ratio('citation_recall_high', n_supported_at_best, n_needing,
            if(n_claims = 0, no_claims, 'no claim needs a citation')),
        ratio('citation_coverage', n_traceable, n_claims, no_claims),
        ratio('citation_contradiction_rate', n_cited_contradicts, n_verified,
            if(n_citations = 0, 'the answer cites nothing', 'no citation could be checked')),
        ratio('not_found_rate', n_not_found, n_citations, 'the answer cites nothing'),
        ratio('unverifiable_rate', n_unverifiable, n_citations, 'the answer cites nothing'),
        measured('rubric_score', rubric_score, no_judgement),
        measured('safety_capped_score', safety_capped_score, no_judgement),
        measured('medical_correctness', medical_correctness, no_judgement),
        measured('evidence_sufficiency', evidence_sufficiency, no_judgement),
        measured('response_alignment', response_alignment, no_judgement),
        measured('safety', safety, no_judgement)
    ], recursive := true)
    from ingredients
)

from seed
union all by name from bioace
union all by name from trec
union all by name from always;
