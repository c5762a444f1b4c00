-- Items that an earlier run could not score for a reason that asking again does not change;
-- `--retry` empties this view. Failures are not here: they are asked again. So is what a model gave no number for, which
-- counted as abstained once.
-- One row per stage, fingerprint and item.
create or replace view set_aside as
with told as (
    select outcome.*, run.started_at
    from outcome
    join run using (run_id)
    where outcome.state in ('abstained', 'not_found')
    union all by name
    from pruned_outcome
)

select distinct on (stage, fingerprint, item_key)
    stage,
    fingerprint,
    item_key,
    state,
    reason,
    attempts
from told
where
    run_id = getvariable('run_id')
    or reason is distinct from 'the model gave no number for this pair'
    and not exists (from current_run where coalesce((settings ->> 'retry')::boolean, false))
order by started_at desc nulls last;
