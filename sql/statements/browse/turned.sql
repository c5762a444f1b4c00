-- Return how many nuggets each system of two runs contradicts in the later one and not in the earlier one.
-- One row per system of both.
with state as (
    select state.run_id, state.question_id, state.system, nugget.text_key, state.state = 'contradicted' as wrong
    from mart.nugget_state as state
    join mart.nugget as nugget using (run_id, question_id, nugget_id)
)

select now.system, count(*) filter (now.wrong and not old.wrong) as n_newly_contradicted
from state as now
join state as old using (question_id, system, text_key)
where now.run_id = $run_b and old.run_id = $run_a
group by now.system
order by n_newly_contradicted desc, now.system;
