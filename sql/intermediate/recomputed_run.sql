-- The last finished run of the same data under the same choices: the one that the current run computes again, with
-- today's sources, formulas and versions. What a run is called, what it may cost and how it is shown are no choices
-- that make a number.
-- One row, or none.
create or replace view recomputed_run as
with told as (
    select
        run_id,
        dataset,
        seed,
        state,
        started_at,
        json_merge_patch(
            settings,
            '{
                "data": null, "run_name": null, "retry": null, "offline": null, "on": null, "parts": null, "storage": null, "sort_by": null,
                "max_failed": null, "max_calls": null, "max_tokens": null, "max_money": null, "prices": null
            }'
        ) as choices
    from run
)

select earlier.run_id
from told as mine
join told as earlier using (dataset, seed, choices)
where
    mine.run_id = getvariable('run_id')
    and earlier.run_id <> mine.run_id
    and earlier.state = 'finished'
    and earlier.started_at < mine.started_at
order by earlier.started_at desc
limit 1;
