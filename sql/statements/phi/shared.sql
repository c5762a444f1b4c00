-- What people and models wrote in a run's published results: where it stands, the guard's name for such a text, the text.
with held as (
    unpivot (
        select question_id, question, reference_answer, guidance, risk_level from questions where run_id = $run_id
    )
    on question, reference_answer, guidance, risk_level into name field value text
)

select concat_ws(', ', 'question ' || question_id, field) as place, field, text from held
union all
select concat('question ', question_id, ', nugget ', nugget_id), 'nugget', nugget from nuggets where run_id = $run_id
union all
select distinct concat('question ', question_id, ', criterion ', criterion_id), 'criterion', criterion
from criteria
where run_id = $run_id
union all
select concat('answer of ', system, ' to ', question_id), 'answer', answer from answers where run_id = $run_id
union all
select concat('answer of ', system, ' to ', question_id, ', context ', context_no), '0/content', context
from contexts
where run_id = $run_id
union all
select distinct concat('source ', source_id), '0/content', passage from citation_verdicts where run_id = $run_id
union all
select concat('mark of ', judge, ' for ', system, ' on ', question_id), 'answer', justification
from judgements
where run_id = $run_id
union all
select concat('quarantine, ', file, ' line ', line), 'answer', unnest([observed, "value"])
from quarantine
where run_id = $run_id
union all
select concat('score of ', annotator, ' for ', system, ' on ', question_id), 'answer', label
from human_scores
where dataset = (select dataset from runs where run_id = $run_id);
