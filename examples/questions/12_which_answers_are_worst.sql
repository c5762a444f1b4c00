-- Which answers should be read first? Those that turn most nuggets around, then those that cover least.
select
    answer_scores.system,
    answer_scores.question_id,
    count(*) filter (nugget_states.state = 'contradicted') as contradicted,
    count(*) filter (nugget_states.state = 'missing') as missing,
    count(nugget_states.nugget_id) as nuggets,
    round(any_value(answer_scores.nugget_coverage), 3) as nugget_coverage
from answer_scores
left join nugget_states using (run_id, question_id, system)
semi join latest_run as latest on latest.run_id = answer_scores.run_id
group by all
order by contradicted desc, nugget_coverage nulls last, answer_scores.system, answer_scores.question_id
limit 20;
