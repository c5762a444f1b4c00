-- How did each system's means move from run to run of the same data set? NULL before the first.
select
    runs.dataset,
    system_scores.system,
    system_scores.metric,
    runs.started_at,
    coalesce(runs.name, runs.run_id) as run,
    round(system_scores.value, 3) as value,
    round(
        system_scores.value - lag(system_scores.value) over (
            partition by runs.dataset, system_scores.system, system_scores.profile, system_scores.metric
            order by runs.started_at
        ), 3
    ) as change
from system_scores
join runs using (run_id)
where
    runs.state = 'finished'
    and system_scores.value is not null
    and system_scores.metric in ('nugget_coverage', 'factual_correctness', 'citation_precision', 'rubric_score')
order by runs.dataset, system_scores.system, system_scores.metric, runs.started_at;
