-- What lies behind the agreement on systems: each system's mean by people and by the metric that stands in for them.
-- One row per run, human metric, metric and system.
create or replace view agreement_points as
select agreement_point.*, judge_notes.judge_note
from mart.agreement_point
left join judge_notes using (run_id, metric);
