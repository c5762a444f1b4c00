-- Questions of a run with an answer that no finished run evaluated under the same fingerprints.
-- One row per question, those with the longest answers first.
with asked as (
    select
        run_answer.run_id,
        run_answer.question_id,
        run_answer.answer_key,
        run_question.question_key,
        coalesce(run_answer.conversation_nugget_set_key, run_question.nugget_set_key) as nugget_set_key,
        run_question.guidance_set_key
    from run_answer
    join run_question using (run_id, question_id)
),

other_pins as (
    select run.run_id
    from run
    join run_stage as theirs using (run_id)
    join run_stage as ours on ours.run_id = $1 and ours.stage = theirs.stage
    where run.state = 'finished' and run.run_id <> $1
    group by run.run_id
    having bool_and(ours.fingerprint = theirs.fingerprint or ours.stage in ('judge', 'listwise', 'criteria'))
),

known as (from asked semi join other_pins using (run_id)),

own as (from asked where run_id = $1)

select own.question_id, sum(length(answer.text)::double) as size
from own
join current_answer as answer using (question_id, answer_key)
where not exists (
    from known
    where
        known.answer_key = own.answer_key
        and known.question_key = own.question_key
        and known.nugget_set_key is not distinct from own.nugget_set_key
        and known.guidance_set_key is not distinct from own.guidance_set_key
)
group by own.question_id
order by size desc, own.question_id
