-- How many of the gold pairs, alike but for one deliberate error, a judge ordered right when it was last examined, by its
-- marks or side by side: a later examination takes the place of the one before, also beside runs that are older than it.
-- One row per run that it judged and sub-metric; a judge without a run has its rows too, without a run_id.
create or replace view judge_licences as
with judges as (
    select run_id, judge_key from run_judge
    union all
    select run_id, judge_key from run_comparing_judge
)

select judges.run_id, licence.*
from mart.judge_licence as licence
left join judges on judges.judge_key = licence.fingerprint;
