-- Which context has to be held against which claim of the answer, and against which nugget of its question.
-- One row per answer, context, and claim or nugget.
create or replace view context_pair as
with given as (
    select
        run_answer.question_id,
        run_answer.system,
        run_answer.answer_key,
        run_question.nugget_set_key,
        context.position as context_position,
        context.text_key as premise_key
    from run_answer
    join run_question using (run_id, question_id)
    join context using (context_set_key)
    where run_answer.run_id = getvariable('run_id')
)

select
    given.question_id, given.system, given.answer_key, given.context_position, 'claim' as kind,
    'c' || (claim.position + 1) as item_id, given.premise_key, claim.text_key as hypothesis_key
from given
join current_claim as claim using (answer_key)
where claim.kind = 'claim'
union all by name
select
    given.question_id, given.system, given.answer_key, given.context_position, 'nugget' as kind,
    'n' || (nugget.position + 1) as item_id, given.premise_key, nugget.text_key as hypothesis_key
from given
join current_nugget as nugget using (nugget_set_key);
