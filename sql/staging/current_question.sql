-- The current run's questions with their texts.
-- One row per question.
create or replace view current_question as
select
    run_question.question_id,
    run_question.nugget_set_key,
    run_question.nugget_version,
    run_question.nuggets_edited_by,
    coalesce(run_question.profile, current_run.profile) as metric_profile,
    question.*
from current_run
join run_question using (run_id)
join question using (question_key);
