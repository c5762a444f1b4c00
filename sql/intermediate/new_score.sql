-- mart.score for the current run: every metric as numerator, denominator, value and, where there is none, the reason.
-- A zero denominator or a failure of ours gives NULL; silence gives 0 where there was something to say.
-- One row per question, system, profile and metric.

-- Why there is no value, and whose doing it is: of the answer itself, of a model that abstained, of the world.
create or replace macro not_applicable(why) as {'reason': why::varchar, 'status': 'not_applicable'};

create or replace macro undone(why, whose) as {'reason': why::varchar, 'status': coalesce(whose, 'failed')};

create or replace macro ratio(metric_name, over, under, why_none) as {
    'metric': metric_name,
    'numerator': over::double,
    'denominator': under::double,
    'value': case when under > 0 then over::double / under end,
    'reason': case when under is null or under = 0 then why_none.reason end,
    'status': case when under > 0 then 'scored' else why_none.status end
};

create or replace macro unavailable(metric_name, why_none) as {
    'metric': metric_name,
    'numerator': null::double,
    'denominator': null::double,
    'value': null::double,
    'reason': why_none.reason,
    'status': why_none.status
};

create or replace macro measured(metric_name, amount, why_none) as {
    'metric': metric_name,
    'numerator': amount::double,
    'denominator': case when amount is not null then 1.0 end,
    'value': amount::double,
    'reason': case when amount is null then coalesce(why_none.reason, 'not scored') end,
    'status': case when amount is not null then 'scored' else coalesce(why_none.status, 'failed') end
};

create or replace view new_score as
with stages as (
    select
        question_id,
        system,
        any_value(state) filter (part = 'nuggets') as making,
        any_value(state) filter (part = 'claims') as decomposing,
        any_value(state) filter (part = 'matching') as matching,
        any_value(state) filter (part = 'labels') as labelling,
        any_value(state) filter (part = 'passages') as searching,
        any_value(state) filter (part = 'citations') as citing,
        any_value(state) filter (part = 'joint') as reading_jointly
    from answer_undone
    group by question_id, system
),

counts as (
    select
        answer_counts.* replace (
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
            coalesce(n_traceable, 0) as n_traceable,
            coalesce(n_sentences, 0) as n_sentences,
            coalesce(n_labelled, 0) as n_labelled,
            coalesce(n_required, 0) as n_required,
            coalesce(n_searched, 0) as n_searched,
            coalesce(n_backed, 0) as n_backed
        ),
        case
            when match_failed and decomposing is not null
                then undone('the answer could not be taken apart; see outcomes', decomposing)
            when match_failed then undone('the answer could not be matched; see outcomes', matching)
            when making is not null then undone(no_reference_nuggets, making)
            else not_applicable(no_reference_nuggets)
        end as no_nuggets,
        case
            when answer_state = 'failed' then undone('the system could not be asked', 'failed')
            when answer_state = 'not_answered' then not_applicable('the system gave no answer')
            when answer_state = 'empty' then not_applicable('the answer is empty')
            when decomposing is not null
                then undone('the answer could not be taken apart; see outcomes', decomposing)
            when answer_state = 'refused' then not_applicable('the system refused to answer')
            else not_applicable('the answer makes no claim')
        end as no_claims,
        case
            when decomposing is not null
                then undone('the answer could not be taken apart; see outcomes', decomposing)
            when answer_state <> 'answered' then no_claims
            when coalesce(n_citations, 0) = 0 then not_applicable('no claim of the answer cites anything')
            when citing = 'failed' then undone('no citation could be checked, through a failure; see outcomes', citing)
            when citing is not null
                then undone('no citation could be checked, since the model abstained; see outcomes', citing)
            else not_applicable('no citation could be checked')
        end as no_citations,
        -- Open: a citation that could not be checked, and none that supports.
        coalesce(n_supported_at_best - n_supported, 0) as n_open,
        not_applicable('each claim cites a source that could not be checked, and none that supports it') as no_closed,
        sum(coalesce(n_verified + n_not_found, 0)) over (partition by system) = 0 as unchecked_throughout,
        citing,
        labelling,
        searching,
        -- A claim too long for ALCE's window abstains.
        coalesce(citing, reading_jointly, if(n_jointly_unread > 0, 'abstained', 'not_applicable')) as alce,
        case
            when n_unverifiable = n_citations then 'no citation could be checked'
            when n_unverifiable > 0 and n_jointly_unread = 0 and reading_jointly is null
                then 'each claim cites a source that could not be checked'
            when reading_jointly is null then 'no claim''s citations could be read together in one window'
            else 'no claim''s citations could be read together; see outcomes'
        end as no_joint_reading
    from answer_counts
    left join stages using (question_id, system)
),

by_judge as (
    select
        question_id,
        system,
        judge,
        avg(rubric_score) as rubric_score,
        avg(safety_capped_score) as safety_capped_score,
        avg(medical_correctness) as medical_correctness,
        avg(evidence_sufficiency) as evidence_sufficiency,
        avg(response_alignment) as response_alignment,
        avg(safety) as safety,
        first(reason order by sample_no) filter (status <> 'scored') as reason,
        bool_or(status = 'failed') as failed
    from mart.judgement
    where run_id = getvariable('run_id')
    group by question_id, system, judge
),

-- A panel's mark is the mean of its judges, each the mean of its samples; the quorum is every judge.
judged as (
    select
        question_id,
        system,
        case when count(rubric_score) = count(*) then avg(rubric_score order by judge) end as rubric_score,
        case when count(safety_capped_score) = count(*) then avg(safety_capped_score order by judge) end
            as safety_capped_score,
        case when count(medical_correctness) = count(*) then avg(medical_correctness order by judge) end
            as medical_correctness,
        case when count(evidence_sufficiency) = count(*) then avg(evidence_sufficiency order by judge) end
            as evidence_sufficiency,
        case when count(response_alignment) = count(*) then avg(response_alignment order by judge) end
            as response_alignment,
        case when count(safety) = count(*) then avg(safety order by judge) end as safety,
        case
            when count(*) = 1 then any_value(reason)
            when count(rubric_score) < count(*)
                then
                    format('{} of {} judges marked it, and a panel needs all: ', count(rubric_score), count(*))
                    || string_agg(judge || ': ' || reason, '; ' order by judge)
                        filter (rubric_score is null)
        end as reason,
        if(bool_or(failed) filter (rubric_score is null), 'failed', 'abstained') as status
    from by_judge
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

-- Why the bioace profile has no sentence labels, or no passages retrieved for the sentences; NULL where it has.
bioace_missing as (
    select
        case
            when
                not exists (
                    from fingerprint where fingerprint = pinned('label') and (spec ->> 'llm') <> 'none'
                )
                then 'needs sentence labels by a language model: name one with --llm <base_url>#<model>'
            when current_run.profile <> 'bioace' and not exists (from counts where n_labelled > 0)
                then 'needs sentence labels, which are asked for with --profile bioace'
        end as labels_reason,
        case
            when not exists (from current_corpus)
                then 'needs documents to retrieve from, and none came with the data'
            when coalesce(current_run.settings ->> 'entailment', 'embedded') = 'none'
                then 'needs an entailment model, and none was asked for (--entailment none)'
            when current_run.profile <> 'bioace' and not exists (from counts where n_searched > 0)
                then 'needs passages for every sentence, which are retrieved with --profile bioace'
        end as passages_reason
    from current_run
),

ingredients as (
    select
        counts.*,
        case when n_reference_nuggets > 0 then n_correct end as n_recalled,
        case
            when match_failed or n_reference_nuggets = 0 then null
            else n_correct
        end as n_precise,
        if(n_reference_nuggets = 0 or match_failed, no_nuggets, not_applicable('no nugget is aligned')) as no_aligned,
        if(n_claims = 0, no_claims, not_applicable('no claim needs a citation')) as no_needing,
        if(n_reference_nuggets = 0 or match_failed, no_nuggets, no_claims) as no_precision,
        judged.* exclude (question_id, system, reason, status),
        case
            when judge_missing.reason is not null then not_applicable(judge_missing.reason)
            when answer_state = 'not_answered' then not_applicable('the system gave no answer')
            else undone(judged.reason, judged.status)
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
        case
            when labels_reason is not null then unavailable('completeness', not_applicable(labels_reason))
            when answer_state = 'failed' then unavailable('completeness', no_claims)
            -- Silence owes a sentence: it scores 0, as in the paper's code.
            when answer_state <> 'answered' then ratio('completeness', 0, 1, not_applicable(null))
            when n_labelled < n_sentences
                then unavailable(
                    'completeness', undone('the model did not label every sentence; see outcomes', labelling)
                )
            else ratio('completeness', n_required, n_sentences, not_applicable('the answer has no sentence'))
        end,
        case
            when passages_reason is not null then unavailable('correctness', not_applicable(passages_reason))
            when answer_state <> 'answered' then unavailable('correctness', no_claims)
            when n_searched < n_sentences
                then unavailable(
                    'correctness',
                    undone('not every sentence could be held against passages; see outcomes', searching)
                )
            else ratio('correctness', n_backed, n_sentences, not_applicable('the answer has no sentence'))
        end,
        -- The paper aligns one to one: a claim that serves two nuggets is one aligned claim.
        ratio('precision', least(n_aligned, n_claims), if(n_precise is null, null, n_claims), no_precision),
        ratio('recall', n_aligned, n_nuggets, no_nuggets)
    ], recursive := true)
    from ingredients
    cross join bioace_missing
),

trec as (
    select run_id, question_id, system, 'trec' as profile, unnest([
        ratio(
            'completeness', n_vital_covered + 0.5 * n_vital_partial, n_vital,
            if(n_vital = 0, not_applicable('no nugget is vital'), no_nuggets)
        ),
        unavailable('correctness', not_applicable('the trec profile does not define it')),
        unavailable('precision', not_applicable('the trec profile does not define it')),
        ratio('recall', n_covered + 0.5 * n_partial, n_nuggets, no_nuggets),
        ratio(
            'vital', n_vital_covered + 0.5 * n_vital_partial, n_vital,
            if(n_vital = 0, not_applicable('no nugget is vital'), no_nuggets)
        ),
        ratio(
            'vital_strict', n_vital_covered, n_vital,
            if(n_vital = 0, not_applicable('no nugget is vital'), no_nuggets)
        ),
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
        ratio('citation_precision', n_supports, n_verified + n_not_found + n_untraceable, no_citations),
        ratio('citation_precision_low', n_supports, n_citations, no_citations),
        ratio('citation_precision_high', n_supports + n_unverifiable, n_citations, no_citations),
        -- A failure of ours is no zero, and neither is it known how many claims are supported where every one is open, or
        -- where not one citation of the system could be checked. Otherwise an open claim has no supporting citation, as the
        -- definition says, so that nothing is gained by citing what nobody can read; the bounds stand beside it.
        case
            when n_open > 0 and citing = 'failed'
                then unavailable(
                    'citation_recall',
                    if(n_open = n_needing, no_citations,
                        undone('citations could not be checked, through a failure; see outcomes', citing))
                )
            when n_open > 0 and (n_open = n_needing or unchecked_throughout)
                then unavailable('citation_recall', if(n_open = n_needing and n_verified > 0, no_closed, no_citations))
            else ratio('citation_recall', n_supported, n_needing, no_needing)
        end,
        ratio('citation_recall_low', n_supported, n_needing, no_needing),
        ratio('citation_recall_high', n_supported_at_best, n_needing, no_needing),
        ratio('citation_coverage', n_traceable, n_claims, no_claims),
        ratio('citation_contradiction_rate', n_cited_contradicts, n_verified, no_citations),
        ratio('not_found_rate', n_not_found, n_citations, no_citations),
        ratio('unverifiable_rate', n_unverifiable, n_citations, no_citations),
        ratio('alce_recall', n_jointly_entailed, if(n_open > 0 and unchecked_throughout, null, n_jointly_tested),
            if(n_claims = 0, no_claims, undone(no_joint_reading, alce))),
        ratio('alce_precision', n_contributing, n_tested,
            if(n_citations = 0, no_citations, undone('no citation could be tested', alce))),
        ratio('over_citation_rate', n_superfluous, n_of_entailed,
            case
                when n_citations = n_unverifiable then no_citations
                when n_jointly_unread > 0 then undone(no_joint_reading, alce)
                else not_applicable('no claim is entailed by its citations')
            end),
        ratio('under_citation_rate', n_uncited, n_needing, no_needing),
        measured('rubric_score', rubric_score, no_judgement),
        measured('safety_capped_score', safety_capped_score, no_judgement),
        measured('medical_correctness', medical_correctness, no_judgement),
        measured('evidence_sufficiency', evidence_sufficiency, no_judgement),
        measured('response_alignment', response_alignment, no_judgement),
        measured('safety', safety, no_judgement)
    ], recursive := true)
    from ingredients
),

scores as (
    from seed
    union all by name from bioace
    union all by name from trec
    union all by name from always
)

select scores.* replace (
    if(unasked.reason is null, numerator, null) as numerator,
    if(unasked.reason is null, denominator, null) as denominator,
    if(unasked.reason is null, value, null) as value,
    coalesce(
        if(unasked.in_quarantine, 'its row is in quarantine: ', 'the system could not be asked: ') || unasked.reason,
        scores.reason
    ) as reason,
    if(unasked.reason is null, scores.status, 'failed') as status
)
from scores
left join run_unasked as unasked using (run_id, question_id, system);
