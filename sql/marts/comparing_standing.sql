-- How far the points of the judge that compares side by side can be relied on: whether it holds a licence for that.
-- One row per run in which answers were compared.
create or replace view comparing_standing as
with licences as (
    select fingerprint as judge_key, bool_and(licensed) as licensed
    from mart.judge_licence
    group by fingerprint
)

select
    run_comparing_judge.run_id,
    run_comparing_judge.judge,
    coalesce(licences.licensed, false) as judge_licensed,
    licences.licensed is not null as examined,
    case when licences.licensed is not true then 'unlicensed judge' end as judge_note
from run_comparing_judge
left join licences using (judge_key);
