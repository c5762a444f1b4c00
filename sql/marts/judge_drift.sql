-- A judge's marks on the answers of a frozen run, asked for anew by `medassay compare --anchor`; points of 100.
-- One row per run, judge and sub-metric.
create or replace view judge_drift as
select judge_drift.*, judge_standing.judge_note
from mart.judge_drift
left join judge_standing using (run_id);
