-- Every question put to every system of the current run, answered or not: silence has a row too.
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
    answer.text
from current_run
cross join current_question as question
cross join systems
left join current_answer as answer using (question_id, system);
