-- What the reference as a whole says of the claims of each answer of the current run, how surely the answer states its
-- nuggets, and what it keeps of the guidance.
-- One row per question and system.
create or replace view reference_counts as
with claims as (
    select
        question_id,
        system,
        count(*) as n_read,
        count(*) filter (state = 'neutral') as n_beside,
        count(*) filter (state = 'contradicts') as n_opposed,
        count(*) filter (state is null) as n_unread,
        any_value(reason) filter (state is null) as reason
    from mart.reference_verdict
    where run_id = getvariable('run_id')
    group by question_id, system
),

nuggets as (
    select
        question_id,
        system,
        count(*) as n_nuggets,
        -- What a language model assigned has no probability.
        count(*) filter (decided_by = 'signals') as n_graded,
        -- In a fixed order, so that the last digit is the same whatever way the rows came.
        sum(case state when 'contradicted' then 0 else probability_of(coalesce(score, 0)) end order by nugget_id)
            filter (decided_by = 'signals') as sum_stated
    from mart.nugget_state
    where run_id = getvariable('run_id')
    group by question_id, system
),

guidance as (
    select
        question_id,
        system,
        count(*) as n_instructions,
        count(*) filter ((state = 'said') = (kind <> 'dont')) as n_kept
    from mart.guidance_state
    where run_id = getvariable('run_id')
    group by question_id, system
),

undone as (
    select
        question_id,
        system,
        any_value(state) filter (part = 'reference') as reading,
        any_value(state) filter (part = 'guidance') as of_guidance
    from answer_undone
    group by question_id, system
),

matcher as (
    select coalesce(max(spec ->> 'matcher'), 'cosine') = 'reader' as is_reader
    from fingerprint
    where fingerprint = pinned('match')
)

select
    answer.question_id,
    answer.system,
    if(claims.n_unread > 0, null, claims.n_read) as n_against_reference,
    claims.n_beside as n_beside_reference,
    claims.n_opposed as n_opposed_by_reference,
    case
        when run_question.reference_key is null
            then not_applicable('the question has neither a reference answer nor nuggets')
        when claims.n_unread > 0 and undone.reading is null then not_applicable(claims.reason)
        when claims.n_unread > 0 then undone('not every claim was read against the reference; see outcomes', undone.reading)
    end as no_reference,
    if(matcher.is_reader and nuggets.n_graded = nuggets.n_nuggets, nuggets.n_graded, null) as n_graded,
    if(matcher.is_reader and nuggets.n_graded = nuggets.n_nuggets, nuggets.sum_stated, null) as sum_stated,
    breadth.breadth,
    case
        when nuggets.n_nuggets is null then not_applicable('the answer was not held against nuggets')
        when not matcher.is_reader then not_applicable('needs a reader''s probabilities, and nuggets were matched by cosine')
        else not_applicable('a language model assigned nuggets, which gives no probability')
    end as no_graded,
    guidance.n_instructions,
    guidance.n_kept,
    case
        when run_question.guidance_set_key is null
            then not_applicable('the question has no guidance that can be read in an answer')
        when answer.state in ('not_answered', 'failed') then not_applicable('the system gave no answer')
        when undone.of_guidance is not null
            then undone('the guidance could not be read in the answer; see outcomes', undone.of_guidance)
        else not_applicable('needs a reader, and none was asked for (--reader none)')
    end as no_guidance
from mart.answer as answer
left join run_question using (run_id, question_id)
cross join matcher
left join claims using (question_id, system)
left join nuggets using (question_id, system)
left join guidance using (question_id, system)
left join breadth using (question_id, system)
left join undone using (question_id, system)
where answer.run_id = getvariable('run_id');
