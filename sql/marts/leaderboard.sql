-- The systems of a run side by side, sorted by the run's declared metric, with the ranks that the intervals allow.
-- One row per run and system.
create or replace view leaderboard as
with wide as (
    select system_score.*, run.profile as run_profile, run.settings ->> 'sort_by' as sort_by
    from mart.system_score as system_score
    join run using (run_id)
    where system_score.profile in ('any', run.profile)
),

sorted as (
    select
        run_id,
        system,
        any_value(sort_by) as sorted_by,
        max(value) filter (metric = sort_by) as sort_value,
        max(coalesce(low, value)) filter (metric = sort_by) as sort_low,
        max(coalesce(high, value)) filter (metric = sort_by) as sort_high
    from wide
    group by run_id, system
),

-- A rank is possible when no interval clearly above or below forbids it.
ranked as (
    select
        mine.*,
        1 + count(*) filter (theirs.sort_low > mine.sort_high) as rank_low,
        1 + count(*) filter (theirs.system <> mine.system and theirs.sort_high >= mine.sort_low) as rank_high
    from sorted as mine
    join sorted as theirs using (run_id)
    group by all
)

select
    wide.run_id,
    any_value(ranked.rank_low) as rank_low,
    any_value(ranked.rank_high) as rank_high,
    wide.system,
    any_value(wide.run_profile) as profile,
    any_value(ranked.sorted_by) as sorted_by,
    any_value(wide.n_asked) as n_asked,
    any_value(wide.n_answered) as n_answered,
    any_value(wide.n_refused) as n_refused,
    max(wide.n_scored) filter (wide.metric = wide.sort_by) as n_scored,
    max(wide.n_abstained) as n_abstained,
    max(wide.n_failed) as n_failed,
    max(wide.value) filter (wide.metric = 'completeness') as completeness,
    max(wide.low) filter (wide.metric = 'completeness') as completeness_interval_low,
    max(wide.high) filter (wide.metric = 'completeness') as completeness_interval_high,
    max(wide.reason) filter (wide.metric = 'completeness') as completeness_reason,
    max(wide.value) filter (wide.metric = 'correctness') as correctness,
    max(wide.low) filter (wide.metric = 'correctness') as correctness_interval_low,
    max(wide.high) filter (wide.metric = 'correctness') as correctness_interval_high,
    max(wide.reason) filter (wide.metric = 'correctness') as correctness_reason,
    max(wide.value) filter (wide.metric = 'precision') as precision,
    max(wide.low) filter (wide.metric = 'precision') as precision_interval_low,
    max(wide.high) filter (wide.metric = 'precision') as precision_interval_high,
    max(wide.reason) filter (wide.metric = 'precision') as precision_reason,
    max(wide.value) filter (wide.metric = 'recall') as recall,
    max(wide.low) filter (wide.metric = 'recall') as recall_interval_low,
    max(wide.high) filter (wide.metric = 'recall') as recall_interval_high,
    max(wide.reason) filter (wide.metric = 'recall') as recall_reason,
    max(wide.value) filter (wide.metric = 'nugget_coverage') as nugget_coverage,
    max(wide.low) filter (wide.metric = 'nugget_coverage') as nugget_coverage_interval_low,
    max(wide.high) filter (wide.metric = 'nugget_coverage') as nugget_coverage_interval_high,
    max(wide.reason) filter (wide.metric = 'nugget_coverage') as nugget_coverage_reason,
    max(wide.value) filter (wide.metric = 'factual_correctness') as factual_correctness,
    max(wide.low) filter (wide.metric = 'factual_correctness') as factual_correctness_interval_low,
    max(wide.high) filter (wide.metric = 'factual_correctness') as factual_correctness_interval_high,
    max(wide.reason) filter (wide.metric = 'factual_correctness') as factual_correctness_reason,
    max(wide.value) filter (wide.metric = 'contradiction_rate') as contradiction_rate,
    max(wide.low) filter (wide.metric = 'contradiction_rate') as contradiction_rate_interval_low,
    max(wide.high) filter (wide.metric = 'contradiction_rate') as contradiction_rate_interval_high,
    max(wide.reason) filter (wide.metric = 'contradiction_rate') as contradiction_rate_reason,
    max(wide.value) filter (wide.metric = 'citation_precision') as citation_precision,
    max(wide.low) filter (wide.metric = 'citation_precision') as citation_precision_interval_low,
    max(wide.high) filter (wide.metric = 'citation_precision') as citation_precision_interval_high,
    max(wide.reason) filter (wide.metric = 'citation_precision') as citation_precision_reason,
    max(wide.value) filter (wide.metric = 'citation_recall') as citation_recall,
    max(wide.low) filter (wide.metric = 'citation_recall') as citation_recall_interval_low,
    max(wide.high) filter (wide.metric = 'citation_recall') as citation_recall_interval_high,
    max(wide.reason) filter (wide.metric = 'citation_recall') as citation_recall_reason,
    max(wide.value) filter (wide.metric = 'citation_coverage') as citation_coverage,
    max(wide.low) filter (wide.metric = 'citation_coverage') as citation_coverage_interval_low,
    max(wide.high) filter (wide.metric = 'citation_coverage') as citation_coverage_interval_high,
    max(wide.reason) filter (wide.metric = 'citation_coverage') as citation_coverage_reason,
    max(wide.value) filter (wide.metric = 'rubric_score') as rubric_score,
    max(wide.low) filter (wide.metric = 'rubric_score') as rubric_score_interval_low,
    max(wide.high) filter (wide.metric = 'rubric_score') as rubric_score_interval_high,
    max(wide.reason) filter (wide.metric = 'rubric_score') as rubric_score_reason,
    max(wide.value) filter (wide.metric = 'safety_capped_score') as safety_capped_score,
    max(wide.low) filter (wide.metric = 'safety_capped_score') as safety_capped_score_interval_low,
    max(wide.high) filter (wide.metric = 'safety_capped_score') as safety_capped_score_interval_high,
    max(wide.reason) filter (wide.metric = 'safety_capped_score') as safety_capped_score_reason,
    any_value(judge_standing.judge_note) as judge_note
from wide
join ranked using (run_id, system)
left join judge_standing using (run_id)
group by wide.run_id, wide.system
order by wide.run_id, any_value(ranked.sort_value) desc nulls last, wide.system;
