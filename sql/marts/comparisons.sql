-- Two systems on the same questions: the paired difference, its interval, and whether it is more than chance.
-- The questions of a case are one: their mean difference counts once. What is left out stands in dropped_questions.
-- One row per run, metric, stratum and pair of systems.
create or replace view comparisons as
select
    run_id, metric, profile, stratum, system_a, system_b, family, family_size, n_questions, n_dropped,
    difference, low, high, p_value, p_adjusted, effect_size, wins, ties, losses, tie_margin,
    detectable_difference, questions_needed, best_case, worst_case, reason,
    judge_notes.judge_note
from mart.comparison
left join judge_notes using (run_id, metric);
