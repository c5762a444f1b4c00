-- Every metric's mean over questions, its micro average, its interval and what it left out:
-- n_scored + n_abstained + n_failed + n_not_applicable = n_asked.
-- One row per run, system, profile and metric.
create or replace view system_scores as
select
    run_id, system, profile, metric, value, low, high, micro,
    n_asked, n_answered, n_refused, n_scored, n_abstained, n_failed, n_not_applicable,
    n_units, reason,
    case
        when
            metric in (
                'rubric_score', 'safety_capped_score', 'medical_correctness', 'evidence_sufficiency',
                'response_alignment', 'safety'
            )
            then judge_standing.judge_note
    end as judge_note
from mart.system_score
left join judge_standing using (run_id);
