-- Are questions of high risk answered worse than others? Means by risk level; questions without one are "not said".
select
    answer_scores.system,
    coalesce(questions.risk_level, 'not said') as risk_level,
    round(avg(answer_scores.nugget_coverage), 3) as nugget_coverage,
    round(avg(answer_scores.contradiction_rate), 3) as contradiction_rate,
    count(*) as n_questions
from answer_scores
join questions using (run_id, question_id)
semi join latest_run as latest on latest.run_id = answer_scores.run_id
group by all
order by answer_scores.system, risk_level;
