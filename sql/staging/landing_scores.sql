-- Human scores whose answer takes the other role elsewhere: the role that stands first holds.
-- One row per landed score that is left out.
create or replace view landing_mixed_roles as
with scored as (
    select *, value ->> 'role' as role, [value ->> 'question_id', value ->> 'system'] as answer
    from landing_keyed
    where kind = 'human_score'
),

numbered as (
    select
        *,
        first_value(role) over same_answer as first_role,
        first_value(place) over same_answer as first_place
    from scored
    window same_answer as (partition by answer order by row_no)
)

select
    row_no,
    run_id,
    kind,
    row_key,
    file,
    line,
    'an answer is both tune and test' as rule,
    within || array_to_string(answer, '/') || ' is ' || first_role || ' at ' || first_place || ' and ' || role || ' here' as observed,
    'give every score of an answer one role: what fitted something cannot test it' as advice,
    value::varchar as value
from numbered
where role in ('tune', 'test') and first_role in ('tune', 'test') and role <> first_role;

-- Human scores and rationales of answers that the run does not have.
-- One row per landed row that is left out.
create or replace view landing_unanswered_scores as
select
    landed.row_no,
    landed.run_id,
    landed.kind,
    landed.row_key,
    landed.file,
    landed.line,
    'there is no such answer' as rule,
    landed.within || 'question_id ' || (landed.value ->> 'question_id') || ', system ' || (landed.value ->> 'system') as observed,
    'add the answer to answers.*, or correct the ids; if the answer is in quarantine, mend it first' as advice,
    landed.value::varchar as value
from landing_keyed as landed
anti join run_answer
    on
        run_answer.run_id = getvariable('run_id')
        and run_answer.question_id = (landed.value ->> 'question_id')
        and run_answer.system = (landed.value ->> 'system')
where
    landed.kind in ('human_score', 'rationale')
    and (landed.value ->> 'question_id') is not null
    and (landed.value ->> 'system') is not null;
