-- mart.question for the current run.
-- One row per question.
create or replace view new_question as
with counts as (
    select nugget_set_key, count(*) as n_nuggets from current_nugget group by nugget_set_key
)

select
    current_run.run_id,
    question.question_id,
    question.question,
    question.reference_answer,
    question.guidance,
    question.risk_level,
    question.category,
    question.case_id,
    coalesce(counts.n_nuggets, 0) as n_nuggets,
    nugget_set.origin as nugget_origin
from current_run
cross join current_question as question
left join counts using (nugget_set_key)
left join nugget_set using (nugget_set_key);
