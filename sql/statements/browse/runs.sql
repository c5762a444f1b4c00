-- Return the home's runs, the newest first, with the number of questions and systems that each was given.
with given as (
    select run_id, count(distinct question_id) as n_questions, count(distinct system) as n_systems
    from run_answer
    group by run_id
)

select
    run.run_id, run.name, run.dataset, run.state, run.profile, run.settings, run.started_at, run.note,
    coalesce(given.n_questions, 0) as n_questions,
    coalesce(given.n_systems, 0) as n_systems
from run
left join given using (run_id)
order by run.started_at desc, run.run_id desc;
