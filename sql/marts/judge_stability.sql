-- How far a run's judges agree with themselves and with each other, and what each changes.
-- One row per run and judge.
create or replace view judge_stability as
select judge_stability.*, judge_standing.judge_note
from mart.judge_stability
left join judge_standing using (run_id);
