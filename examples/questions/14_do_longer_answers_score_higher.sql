-- Does length buy coverage? Correlation of an answer's characters with what it covers, and characters in the mean.
select
    answers.system,
    round(corr(answers.n_characters, answer_scores.nugget_coverage), 3) as correlation,
    round(avg(answers.n_characters)) as mean_characters,
    round(avg(answers.n_claims), 1) as mean_claims,
    count(answer_scores.nugget_coverage) as n_answers
from answers
join answer_scores using (run_id, question_id, system)
semi join latest_run as latest on latest.run_id = answers.run_id
group by all
order by correlation desc nulls last, answers.system;
