-- Return what an answer of a run took: seconds of its stages, and money where calls were paid for at a known price.
-- One row.
with answered as (
    select count(*) as n_answers from answers where run_id = $1 and state not in ('not_answered', 'failed')
),

stages as (
    select sum(seconds) as seconds, coalesce(bool_or(n_pending < n_items), false) as is_partly_reused
    from run_stages
    where run_id = $1
),

paid as (
    select sum(n_calls) as n_calls, sum(money) as money, any_value(currency) as currency from run_costs where run_id = $1
)

select
    answered.n_answers,
    stages.seconds / nullif(answered.n_answers, 0) as seconds,
    coalesce(paid.n_calls, 0) as n_calls,
    paid.money / nullif(answered.n_answers, 0) as money,
    paid.currency,
    stages.is_partly_reused
from answered
cross join stages
cross join paid
