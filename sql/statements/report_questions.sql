-- The questions that the report of a large run lists: those with the most contradicted nuggets; $run_id is the run.
select questions.question_id
from questions
left join nugget_states using (run_id, question_id)
where questions.run_id = $run_id
group by questions.question_id
order by count(*) filter (where nugget_states.state = 'contradicted') desc, questions.question_id
limit $most
