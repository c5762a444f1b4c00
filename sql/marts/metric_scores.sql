-- Every metric of every answer as what was counted over what there was: sums of both over answers make the micro averages.
-- The same values as in answer_scores_by_profile, a row each.
-- One row per run, question, system, profile and metric.
create or replace view metric_scores as
select run_id, question_id, system, profile, metric, numerator, denominator, value, status, reason
from mart.score;
