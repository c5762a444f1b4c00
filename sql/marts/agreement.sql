-- How far the automatic scores agree with people, beside what people reach among themselves.
-- One row per run, metric, profile, human metric, level, measure and stratum.
create or replace view agreement as
select agreement.*, judge_notes.judge_note
from mart.agreement
left join judge_notes using (run_id, metric);
