-- Measure the verdicts of a run against people's marks of the same criteria of the same answers.
with labels as (
    from item_label
    where dataset = (select dataset from run where run_id = $run_id) and target = 'criterion'
),

verdicts as (
    select criterion.question_id, criterion.system, trim(text.text) as item, any_value(met) as met
    from mart.criterion as criterion
    join text using (text_key)
    where criterion.run_id = $run_id
    group by all
)

select coalesce(question.case_id, labels.question_id) as question_id, labels.role, labels.annotators, labels.labels, verdicts.met::varchar as state
from labels
left join verdicts
    on verdicts.question_id = labels.question_id and verdicts.system = labels.system
    and verdicts.item = trim(labels.item)
left join mart.question as question on question.run_id = $run_id and question.question_id = labels.question_id
order by labels.question_id, labels.system, labels.item
