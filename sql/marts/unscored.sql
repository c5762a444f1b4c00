-- Answers that a metric has no value for because a model abstained or something failed, counted by reason. An answer in
-- which there is nothing to measure is not among them.
-- One row per run, system, profile, metric, status and reason.
create or replace view unscored as
select
    run_id,
    system,
    profile,
    metric,
    status,
    reason,
    count(*) as n_answers
from mart.score
where status in ('abstained', 'failed')
group by all;
