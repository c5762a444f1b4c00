-- Return some metrics of a run by their places in (questions, metrics × systems); what was not scored has no row.
with questions as (select unnest($questions) as question_id, generate_subscripts($questions, 1) as q),
systems as (select unnest($systems) as system, generate_subscripts($systems, 1) as s),
metrics as (
    select unnest($profiles) as profile, unnest($metrics) as metric, generate_subscripts($metrics, 1) as m
)
select q - 1 as question, (m - 1) * len($systems) + s - 1 as place, value from mart.score
join questions using (question_id) join systems using (system) join metrics using (profile, metric)
where run_id = $run_id and value is not null
