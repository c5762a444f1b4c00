-- Which questions tell systems apart, and which tell nothing because all do equally well? The most telling first.
select
    answer_scores.question_id,
    questions.question,
    min(answer_scores.nugget_coverage) as worst,
    max(answer_scores.nugget_coverage) as best,
    max(answer_scores.nugget_coverage) - min(answer_scores.nugget_coverage) as spread,
    arg_max(answer_scores.system, answer_scores.nugget_coverage) as best_system
from answer_scores
join questions using (run_id, question_id)
semi join latest_run as latest on latest.run_id = answer_scores.run_id
group by all
order by spread desc nulls last, answer_scores.question_id;
