-- Return what changed in each finished run since the one before it of its data set, first passes apart, a row a run
-- that has one:
-- nuggets contradicted now and not before, by system, or the other way round, and answers with another text.
with paired as (
    select
        run_id,
        lag(run_id) over (partition by dataset order by started_at, run_id) as before_id
    from run
    where state = 'finished' and not coalesce((settings ->> 'first_pass')::boolean, false)
),

nugget as (
    select state.run_id, state.question_id, state.system, nugget.text_key, state.state = 'contradicted' as wrong
    from mart.nugget_state as state
    join mart.nugget as nugget using (run_id, question_id, nugget_id)
),

turned_by_system as (
    select
        paired.run_id,
        now.system,
        count(*) filter (now.wrong and not old.wrong) as n_newly_contradicted,
        count(*) filter (old.wrong and not now.wrong) as n_no_longer_contradicted
    from paired
    join nugget as now on now.run_id = paired.run_id
    join nugget as old
        on
            old.run_id = paired.before_id
            and old.question_id = now.question_id
            and old.system = now.system
            and old.text_key = now.text_key
    group by paired.run_id, now.system
),

turned as (
    select
        run_id,
        list({'system': system, 'n': n_newly_contradicted} order by n_newly_contradicted desc, system)
            filter (n_newly_contradicted > 0) as newly_contradicted,
        sum(n_no_longer_contradicted)::bigint as n_no_longer_contradicted
    from turned_by_system
    group by run_id
),

answered as (
    select paired.run_id, count(*) filter (now.answer_key <> old.answer_key) as n_answers_changed
    from paired
    join run_answer as now on now.run_id = paired.run_id
    join run_answer as old
        on old.run_id = paired.before_id and old.question_id = now.question_id and old.system = now.system
    group by paired.run_id
)

select
    paired.run_id,
    paired.before_id,
    coalesce(turned.newly_contradicted, []) as newly_contradicted,
    coalesce(turned.n_no_longer_contradicted, 0) as n_no_longer_contradicted,
    coalesce(answered.n_answers_changed, 0) as n_answers_changed
from paired
left join turned using (run_id)
left join answered using (run_id)
where paired.before_id is not null;
