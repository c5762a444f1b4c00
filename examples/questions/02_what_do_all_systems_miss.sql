-- Which vital facts does every system leave out? These are gaps of the field, or nuggets to look at again.
select
    questions.question,
    nugget_states.nugget,
    count(*) as n_systems
from nugget_states
join questions using (run_id, question_id)
semi join latest_run using (run_id)
where nugget_states.importance = 'vital'
group by nugget_states.run_id, nugget_states.question_id, nugget_states.nugget_id, questions.question, nugget_states.nugget
having bool_and(nugget_states.state = 'missing')
order by questions.question, nugget_states.nugget;
