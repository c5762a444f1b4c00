-- The judge's means beside what people would give, from the answers that people scored (`medassay calibrate`).
-- One row per run, metric and system; the row without a system is the mean over them, each counting the same.
create or replace view calibrations as
select calibration.*, judge_notes.judge_note
from mart.calibration
left join judge_notes using (run_id, metric);
