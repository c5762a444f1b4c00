-- Items that some run could not score for a reason that asking again does not change, and that none has scored since.
-- Failures are not here: they are asked again. So is what a model gave no number for, which counted as abstained once.
-- Sources that nobody knows are here by the run's own word alone: every run looks up what is known of each by then.
-- One row per stage, fingerprint and item: what was said last.
create or replace view told_aside as
with told as (
    select outcome.*, run.started_at
    from outcome
    join run using (run_id)
    where outcome.state in ('abstained', 'not_found')
    union all by name
    from pruned_outcome
)

select distinct on (told.stage, told.fingerprint, told.item_key)
    told.stage,
    told.fingerprint,
    told.item_key,
    told.run_id,
    told.state,
    told.reason,
    told.attempts
from told
left join mended_item as mended
    on
        mended.stage = told.stage
        and mended.fingerprint = told.fingerprint
        and mended.item_key = told.item_key
where
    told.run_id = getvariable('run_id')
    or told.state = 'abstained'
    and told.reason is distinct from 'the model gave no number for this pair'
    and (mended.mended_at is null or mended.mended_at < told.started_at)
order by told.run_id is not distinct from getvariable('run_id') desc, told.started_at desc nulls last;

-- What the current run leaves aside: what was said to it, and what was said before. `--retry` asks for the latter again.
-- One row per stage, fingerprint and item.
create or replace view set_aside as
select * exclude (run_id)
from told_aside
where
    run_id = getvariable('run_id')
    or not exists (from current_run where coalesce((settings ->> 'retry')::boolean, false));
