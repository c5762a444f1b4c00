-- Return the nuggets of a run that people labelled, where agreement is measured.
with labels as (
    from item_label
    where dataset = (select dataset from run where run_id = $run_id) and target = 'nugget'
)
select coalesce(question.case_id, labels.question_id) as question_id, labels.role, labels.annotators, labels.labels, state.state
from labels
left join (
    select nugget.question_id, nugget.nugget_id, trim(text.text) as item
    from mart.nugget as nugget
    join text using (text_key)
    where nugget.run_id = $run_id
    -- A label is of a text: where it is a question's nugget twice, the first stands for both.
    qualify row_number() over (
        partition by nugget.question_id, trim(text.text) order by nugget.position
    ) = 1
) as nugget
    on nugget.question_id = labels.question_id and nugget.item = trim(labels.item)
left join mart.nugget_state as state
    on state.run_id = $run_id and state.question_id = labels.question_id
    and state.system = labels.system and state.nugget_id = nugget.nugget_id
left join mart.question as question on question.run_id = $run_id and question.question_id = labels.question_id
order by labels.question_id, labels.system, labels.item
