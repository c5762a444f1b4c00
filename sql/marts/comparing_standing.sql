-- How far the points of the judge that compares side by side can be relied on: whether it holds a licence for that.
-- One row per run in which answers were compared.
create or replace view comparing_standing as
select
    ran.run_id,
    ran.judge,
    coalesce(bool_and(licence.licensed), false) as judge_licensed,
    count(licence.licensed) > 0 as examined,
    case when not judge_licensed then 'unlicensed judge' end as judge_note
from run_comparing_judge as ran
left join mart.judge_licence as licence on licence.fingerprint = ran.judge_key
group by ran.run_id, ran.judge;
