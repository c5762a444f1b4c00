-- What was asked of models outside of any run, and what it took: by `answer`, by `doctor`, and by a `compare` that no
-- finished run came of. It is as of the last publication, and `prune --raw` drops these calls.
-- One row per day (UTC), stage, model and currency.
create or replace view other_costs as
with calls as (
    select *, (asked_at at time zone 'UTC')::date as day
    from model_call
    where run_id is null
)

select
    calls.day,
    calls.stage,
    calls.model_asked as model,
    count(*) as n_calls,
    count(*) filter (calls.status <> 'ok') as n_failed_calls,
    sum(calls.prompt_tokens)::bigint as prompt_tokens,
    sum(calls.completion_tokens)::bigint as completion_tokens,
    sum(calls.cached_tokens)::bigint as cached_tokens,
    sum(calls.latency_s) as seconds,
    sum(
        (
            coalesce(calls.prompt_tokens, 0) * asking_price.prompt_per_million
            + coalesce(calls.completion_tokens, 0) * asking_price.completion_per_million
        ) / 1e6
    ) as money,
    asking_price.currency
from calls
asof left join asking_price on asking_price.model = calls.model_asked and asking_price.told_at <= calls.asked_at
group by calls.day, calls.stage, calls.model_asked, asking_price.currency;
