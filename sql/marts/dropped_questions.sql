-- Questions that a comparison leaves out because they are not scored for both, with the best and the worst that they
-- could have added.
-- One row per run, metric, stratum, pair of systems and question.
create or replace view dropped_questions as
with comparison as (
    select
        comparison.*,
        metrics.largest as top,
        metrics.lower_is_better
    from mart.comparison as comparison
    join metrics using (metric)
    where n_dropped > 0
)

select
    comparison.run_id,
    comparison.metric,
    comparison.profile,
    comparison.stratum,
    comparison.system_a,
    comparison.system_b,
    question.question_id,
    question.case_id,
    a.value as value_a,
    b.value as value_b,
    a.reason as reason_a,
    b.reason as reason_b,
    coalesce(a.value, if(lower_is_better, 0, top)) - coalesce(b.value, if(lower_is_better, top, 0)) as best_case,
    coalesce(a.value, if(lower_is_better, top, 0)) - coalesce(b.value, if(lower_is_better, 0, top)) as worst_case,
    judge_notes.judge_note
from comparison
join mart.question as question
    on
        question.run_id = comparison.run_id
        and comparison.stratum in (
            'all', 'category: ' || question.category, 'risk_level: ' || question.risk_level
        )
left join mart.score as a
    on
        a.run_id = comparison.run_id
        and a.metric = comparison.metric
        and a.profile = comparison.profile
        and a.system = comparison.system_a
        and a.question_id = question.question_id
left join mart.score as b
    on
        b.run_id = comparison.run_id
        and b.metric = comparison.metric
        and b.profile = comparison.profile
        and b.system = comparison.system_b
        and b.question_id = question.question_id
left join judge_notes on judge_notes.run_id = comparison.run_id and judge_notes.metric = comparison.metric
where a.value is null or b.value is null;
