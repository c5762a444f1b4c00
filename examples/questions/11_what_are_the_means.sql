-- What are the systems' means on what matters, and how sure are they? 95 % intervals, and over how many questions.
select
    system_scores.metric,
    system_scores.system,
    round(system_scores.value, 3) as value,
    round(system_scores.low, 3) as low,
    round(system_scores.high, 3) as high,
    system_scores.n_scored,
    system_scores.reason
from system_scores
join latest_run using (run_id)
where
    system_scores.profile in ('any', latest_run.profile)
    and system_scores.metric in ('nugget_coverage', 'contradiction_rate', 'citation_precision', 'rubric_score')
order by system_scores.metric, system_scores.value desc nulls last, system_scores.system;
