-- How many of the gold pairs, alike but for one deliberate error, a judge ordered right when it was last examined.
-- One row per run that it judged and sub-metric; a judge without a run has its rows too, without a run_id.
create or replace view judge_licences as
with judged as (
    select run_stage.run_id, fingerprint.spec ->> 'judge_key' as fingerprint
    from run_stage
    join fingerprint using (fingerprint)
    where run_stage.stage = 'judge'
)

select judged.run_id, licence.*
from mart.judge_licence as licence
left join judged using (fingerprint);
