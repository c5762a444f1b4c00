-- How far a run's judges agree with themselves and with each other, and what each changes.
-- One row per run and judge.
create or replace view judge_stability as
from mart.judge_stability;
