-- How often each of two systems is preferred, by people, the listwise judge and every primary metric side by side.
-- One row per run, pair of systems and who prefers.
create or replace view preference_counts as
select
    run_id,
    system_a,
    system_b,
    preferred_by,
    who,
    count(*) as n_questions,
    count(*) filter (where outcome = 'win') as wins,
    count(*) filter (where outcome = 'tie') as ties,
    count(*) filter (where outcome = 'loss') as losses,
    judge_note
from preferences
group by all
order by run_id, system_a, system_b, preferred_by, who;
