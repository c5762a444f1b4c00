-- How far a run's rubric scores can be relied on: whether its judges hold a licence, and what each says of itself.
-- One row per run that was judged.
create or replace view judge_standing as
with licences as (
    select fingerprint as judge_key, bool_and(licensed) as licensed
    from mart.judge_licence
    group by fingerprint
),

-- A panel is licensed when each of its judges is.
judges as (
    select
        run_judge.run_id,
        string_agg(distinct run_judge.caveat, '; ') as judge_caveat,
        -- Marks from evidence are formulas over rows that can be looked at; an examination may still refuse them.
        bool_and(coalesce(licences.licensed, run_judge.judge = 'evidence')) as judge_licensed
    from run_judge
    left join licences using (judge_key)
    group by run_judge.run_id
)

select
    run_id,
    judge_licensed,
    judge_caveat,
    nullif(concat_ws('; ', case when not judge_licensed then 'unlicensed judge' end, judge_caveat), '') as judge_note
from judges;
