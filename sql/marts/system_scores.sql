-- Every metric's mean over questions, its micro average, its interval and what it left out:
-- n_scored + n_abstained + n_failed + n_not_applicable = n_asked.
-- One row per run, system, profile and metric.
create or replace view system_scores as
select
    run_id, system, profile, metric, value, low, high, micro,
    n_asked, n_answered, n_refused, n_scored, n_abstained, n_failed, n_not_applicable,
    n_units, reason, judge_notes.judge_note
from mart.system_score
left join judge_notes using (run_id, metric);
