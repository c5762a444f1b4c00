-- Return one metric of a run, (questions, systems), NaN where nothing was scored.
with questions as (select unnest($questions) as question_id, generate_subscripts($questions, 1) as q),
systems as (select unnest($systems) as system, generate_subscripts($systems, 1) as s)
select q - 1 as question, s - 1 as system, value from mart.score
join questions using (question_id) join systems using (system)
where run_id = $run_id and profile = $profile and metric = $metric and value is not null
