-- Return the means of some metrics under each run's own profile, a row a run, system and metric.
select system_score.run_id, system_score.system, system_score.metric, system_score.value
from mart.system_score as system_score
join run using (run_id)
where
    system_score.profile in ('any', run.profile)
    and system_score.metric in (select unnest($metrics::varchar[]))
    and run.state = 'finished'
order by all;
