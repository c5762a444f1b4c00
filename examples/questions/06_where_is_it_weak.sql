-- On which kind of question is each system weakest? Means by category, the weakest first; few questions say little.
select
    answer_scores.system,
    coalesce(questions.category, 'no category') as category,
    count(*) as n_questions,
    round(avg(answer_scores.nugget_coverage), 3) as nugget_coverage,
    round(avg(answer_scores.contradiction_rate), 3) as contradiction_rate,
    round(avg(answer_scores.citation_precision), 3) as citation_precision
from answer_scores
join questions using (run_id, question_id)
semi join latest_run as latest on latest.run_id = answer_scores.run_id
group by all
order by nugget_coverage nulls last, system, category;
