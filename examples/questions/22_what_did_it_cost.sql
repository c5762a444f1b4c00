-- What did the models cost, run by run? Calls, tokens, seconds and money; embedded models cost none and are not here.
select
    coalesce(runs.name, runs.run_id) as run,
    run_costs.model,
    sum(run_costs.n_calls) as n_calls,
    sum(run_costs.prompt_tokens + run_costs.completion_tokens) as tokens,
    round(sum(run_costs.seconds), 1) as seconds,
    round(sum(run_costs.money), 4) as money,
    any_value(run_costs.currency) as currency
from run_costs
join runs using (run_id)
where run_costs.n_calls > 0
group by all
order by max(runs.started_at) desc, run_costs.model;
