-- mart.criterion for the current run: the judge's verdict on every criterion of every answer, or why there is none.
-- One row per question, system and criterion.
create or replace view new_criterion as
with judging as (
    select spec ->> 'judge' as judge, spec ->> 'reason' as reason
    from fingerprint
    where fingerprint = pinned('criteria')
),

told as (
    select item_key, state, reason from outcome where run_id = getvariable('run_id') and stage = 'criteria'
)

select
    answer.run_id,
    answer.question_id,
    answer.system,
    'k' || (criterion.position + 1) as criterion_id,
    criterion.position,
    criterion.text_key,
    criterion.points,
    criterion.tags,
    verdict.met,
    verdict.evidence,
    verdict.span_start,
    verdict.span_end,
    judging.judge,
    verdict.model_answered,
    case
        when verdict.met is not null then verdict.note
        when judging.reason is not null then judging.reason
        when asked.answer_key is null then 'the system gave no answer'
        else coalesce(told.reason, 'the judge was not asked')
    end as reason,
    case
        when verdict.met is not null then 'scored'
        when judging.reason is not null or asked.answer_key is null then 'not_applicable'
        else coalesce(told.state, 'failed')
    end as status
from mart.answer as answer
join run_question using (run_id, question_id)
join criterion using (criteria_set_key)
left join judging on true
left join run_answer as asked
    on asked.run_id = answer.run_id and asked.question_id = answer.question_id and asked.system = answer.system
left join criterion_verdict as verdict
    on
        verdict.answer_key = asked.answer_key
        and verdict.text_key = criterion.text_key
        and verdict.fingerprint = pinned('criteria')
left join told on told.item_key = asked.answer_key || criterion.text_key
where answer.run_id = getvariable('run_id');
