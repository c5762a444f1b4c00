-- mart.cost for the current run, and for runs before it that were killed or failed: what they asked of models behind an
-- API was paid, too, and nobody was left to count it.
-- One row per run, stage and model; calls that an earlier run paid for are not here.
create or replace view new_cost as
with uncounted as (
    select run.run_id
    from run
    where run.run_id = getvariable('run_id')
    union all
    select run.run_id
    from run
    anti join mart.cost using (run_id)
    where run.state in ('abandoned', 'failed') and run.run_id <> getvariable('run_id')
)

select
    model_call.run_id,
    model_call.stage,
    model_call.model_asked as model,
    count(*) as n_calls,
    count(*) filter (model_call.status <> 'ok') as n_failed_calls,
    sum(model_call.prompt_tokens)::bigint as prompt_tokens,
    sum(model_call.completion_tokens)::bigint as completion_tokens,
    sum(model_call.cached_tokens)::bigint as cached_tokens,
    sum(model_call.latency_s) as seconds,
    -- A call without usage costs what nobody can say; the sum is NULL only where no price is known at all.
    sum(
        (
            coalesce(model_call.prompt_tokens, 0) * run_price.prompt_per_million
            + coalesce(model_call.completion_tokens, 0) * run_price.completion_per_million
        ) / 1e6
    ) as money,
    any_value(run_price.currency) as currency
from model_call
semi join uncounted on uncounted.run_id = model_call.run_id
left join run_price on run_price.run_id = model_call.run_id and run_price.model = model_call.model_asked
group by model_call.run_id, model_call.stage, model_call.model_asked;
