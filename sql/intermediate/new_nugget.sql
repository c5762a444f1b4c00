-- mart.nugget for the current run.
-- One row per question and nugget.
create or replace view new_nugget as
select
    current_run.run_id,
    question.question_id,
    'n' || (nugget.position + 1) as nugget_id,
    nugget.position,
    nugget.text_key,
    nugget.importance,
    nugget.origin,
    nugget.made_by,
    nugget.provenance
from current_run
cross join current_question as question
join current_nugget as nugget using (nugget_set_key);
