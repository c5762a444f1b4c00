-- mart.question for the current run.
-- One row per question.
create or replace view new_question as
with counts as (
    select nugget_set_key, count(*) as n_nuggets from current_nugget group by nugget_set_key
),

unmade as (
    select item_key as nugget_set_key, reason from set_aside where stage = 'nuggets' and fingerprint = pinned('nuggets')
    union all
    select outcome.item_key, outcome.reason from outcome
    where outcome.run_id = getvariable('run_id') and outcome.stage = 'nuggets' and outcome.state = 'failed'
),

-- One question under several ids is one case: what is said of it twice is no second piece of evidence. Where its
-- reference, its nuggets or what stands beside it differ, it may ask two things.
cases as (
    select
        question_id,
        coalesce(
            -- Replies of one conversation are one case.
            case_id, conversation.conversation_id, min(case_id) over same_question,
            if(count(*) over same_question > 1, min(question_id) over same_question, null)
        ) as case_id
    from current_question
    left join (
        select distinct on (question_id) question_id, conversation_id
        from run_answer
        where run_id = getvariable('run_id') and n_turns > 1
    ) as conversation using (question_id)
    window same_question as (
        partition by
            plain_text(question), messages, guidance, profile, metric_profile, plain_text(reference_answer),
            if(reference_answer is null, nugget_set_key, null)
    )
)

select
    current_run.run_id,
    question.question_id,
    question.question,
    question.reference_answer,
    question.guidance,
    question.risk_level,
    question.profile,
    question.messages,
    question.category,
    cases.case_id,
    coalesce(counts.n_nuggets, 0) as n_nuggets,
    nugget_set.origin as nugget_origin,
    question.nugget_version,
    question.nuggets_edited_by,
    case
        when counts.n_nuggets > 0 then null
        when earlier.question_id is not null
            then 'an earlier reply of a conversation, whose nuggets are counted over all of it'
        when question.nugget_set_key is null
            then 'the question has no nuggets and no reference answer to make them from'
        when nugget_set.origin = 'edited' then 'a person took every nugget out'
        when nugget_set.nugget_set_key is not null then 'no nugget could be made from the reference answer'
        else coalesce(unmade.reason, 'the nuggets were not made; see outcomes')
    end as nuggets_reason
from current_run
cross join current_question as question
join cases using (question_id)
left join counts using (nugget_set_key)
left join nugget_set using (nugget_set_key)
left join unmade using (nugget_set_key)
left join earlier_turn as earlier on earlier.question_id = question.question_id;
