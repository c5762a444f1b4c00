-- Have calls that belonged to no run belong to one, at the prices of the time.
insert or ignore into run_price by name
select distinct on (model)
    $run_id as run_id, model, prompt_per_million, completion_per_million, currency
from asking_price
where currency is not null and told_at between $began_at and $ended_at
order by model, told_at desc
