-- Where did the last run's time go? Stages by seconds, with what each had to do.
select
    stage,
    round(seconds, 1) as seconds,
    n_items,
    n_done,
    n_abstained,
    n_failed
from run_stages
semi join latest_run using (run_id)
where n_items > 0
order by seconds desc nulls last, stage;
