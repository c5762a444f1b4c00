-- Items that an earlier run could not score for a reason that asking again does not change;
-- `--retry` empties this view. Failures are not here: they are asked again.
-- One row per stage, fingerprint and item.
create or replace view set_aside as
select distinct on (outcome.stage, outcome.fingerprint, outcome.item_key)
    outcome.stage,
    outcome.fingerprint,
    outcome.item_key,
    outcome.state,
    outcome.reason,
    outcome.attempts
from outcome
join run using (run_id)
where
    outcome.state in ('abstained', 'not_found')
    and (
        outcome.run_id = getvariable('run_id')
        or not exists (from current_run where coalesce((settings ->> 'retry')::boolean, false))
    )
order by run.started_at desc;
