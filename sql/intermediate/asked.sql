-- Every question put to every system of the current run, answered or not: silence has a row too.
-- An earlier reply of a conversation is no question to a system whose conversation has not got so far.
-- One row per question and system.
create or replace view asked as
with systems as (
    select system from current_answer
    union
    select system from run_unasked where run_id = getvariable('run_id')
)

select
    current_run.run_id,
    question.question_id,
    systems.system,
    question.nugget_set_key,
    answer.answer_key,
    answer.judge_input_key,
    answer.text_key,
    answer.text,
    answer.held_against_key,
    answer.asked is not null as is_reply
from current_run
cross join current_question as question
cross join systems
left join current_answer as answer using (question_id, system)
left join earlier_turn as earlier using (question_id)
where answer.answer_key is not null or earlier.question_id is null;
