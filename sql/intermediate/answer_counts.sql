-- What the scores are made of: counts of nuggets, claims and citations by state, from the frozen rows.
-- One row per question and system of the current run.
create or replace view answer_counts as
with answers as (from mart.answer where run_id = getvariable('run_id')),

nuggets as (
    select
        state.question_id,
        state.system,
        count(*) as n_nuggets,
        count(*) filter (state.state = 'covered') as n_covered,
        count(*) filter (state.state = 'partial') as n_partial,
        count(*) filter (state.state = 'contradicted') as n_contradicted,
        count(*) filter (state.state in ('covered', 'contradicted')) as n_aligned,
        -- Distinct, since a claim is one match whichever of two readers laid nuggets at it.
        count(distinct state.one_to_one) filter (state.state = 'covered') as n_correct,
        count(*) filter (nugget.importance = 'vital') as n_vital,
        count(*) filter (nugget.importance = 'vital' and state.state = 'covered') as n_vital_covered,
        count(*) filter (nugget.importance = 'vital' and state.state = 'partial') as n_vital_partial
    from mart.nugget_state as state
    join mart.nugget as nugget using (run_id, question_id, nugget_id)
    -- An answer that could not be taken apart has no claims: that it covers nothing is our failure, not its own.
    anti join (from answer_undone where part = 'claims') as undone
        on undone.question_id = state.question_id and undone.system = state.system
    where state.run_id = getvariable('run_id')
    group by state.question_id, state.system
),

citations as (
    select
        question_id,
        system,
        count(*) as n_citations,
        count(*) filter (state = 'supports') as n_supports,
        count(*) filter (state in ('supports', 'partial', 'contradicts', 'neutral')) as n_verified,
        count(*) filter (state = 'contradicts') as n_cited_contradicts,
        count(*) filter (state = 'not_found') as n_not_found,
        count(*) filter (state = 'untraceable') as n_untraceable,
        count(*) filter (state = 'unverifiable') as n_unverifiable,
        count(contributes) as n_tested,
        count(*) filter (contributes) as n_contributing,
        count(*) filter (set_entails and entailment is not null and contributes is not null) as n_of_entailed,
        count(*) filter (set_entails and entailment is not null and not contributes) as n_superfluous
    from mart.citation
    where run_id = getvariable('run_id')
    group by question_id, system
),

claim_support as (
    select
        claim.question_id,
        claim.system,
        claim.needs_citation,
        coalesce(bool_or(citation.state = 'supports'), false) as supported,
        coalesce(bool_or(citation.state in ('supports', 'unverifiable')), false) as supported_at_best,
        coalesce(bool_or(citation.source_id is not null), false) as traceable,
        -- ALCE's recall: what could be read entails it, or what could not be read leaves it open.
        case
            when bool_or(citation.set_entails) then true
            when bool_or(citation.state = 'unverifiable') or any_value(claim.joint_reason) is not null then null
            else false
        end as jointly_entailed,
        any_value(claim.joint_reason) as joint_reason
    from mart.claim as claim
    left join mart.citation as citation using (run_id, question_id, system, claim_id)
    where claim.run_id = getvariable('run_id') and claim.kind = 'claim'
    group by claim.question_id, claim.system, claim.claim_id, claim.needs_citation
),

claims as (
    select
        question_id,
        system,
        count(*) as n_claims,
        count(*) filter (needs_citation) as n_needing,
        count(*) filter (needs_citation and supported) as n_supported,
        count(*) filter (needs_citation and supported_at_best) as n_supported_at_best,
        count(*) filter (traceable) as n_traceable,
        count(*) filter (needs_citation and not traceable) as n_uncited,
        count(jointly_entailed) as n_jointly_tested,
        count(*) filter (jointly_entailed) as n_jointly_entailed,
        count(joint_reason) as n_jointly_unread
    from claim_support
    group by question_id, system
),

sentences as (
    select
        question_id,
        system,
        count(*) as n_sentences,
        count(label) as n_labelled,
        count(*) filter (label = 'required') as n_required,
        count(supported) as n_searched,
        count(*) filter (supported) as n_backed
    from mart.sentence
    where run_id = getvariable('run_id')
    group by question_id, system
)

select
    answers.run_id,
    answers.question_id,
    answers.system,
    answers.state as answer_state,
    question.n_nuggets as n_reference_nuggets,
    coalesce(
        question.nuggets_reason, 'the question has no nuggets and no reference answer to make them from'
    ) as no_reference_nuggets,
    -- Answered, with nuggets to be held against, and yet without states: our failure, not the system's.
    question.n_nuggets > 0 and nuggets.n_nuggets is null as match_failed,
    columns(nuggets.* exclude (question_id, system)),
    columns(citations.* exclude (question_id, system)),
    columns(claims.* exclude (question_id, system)),
    columns(sentences.* exclude (question_id, system))
from answers
join mart.question as question using (run_id, question_id)
left join nuggets using (question_id, system)
left join citations using (question_id, system)
left join claims using (question_id, system)
left join sentences using (question_id, system);
