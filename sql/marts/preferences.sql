-- Which of two answers to one question is preferred, by a primary metric, by the listwise judge or by a person.
-- By a metric of the primary family, no other: the comparison's sign beyond its tie margin, question by question.
-- One row per run, question, pair of systems in the order of their names, and who prefers.
create or replace view preferences as
with compared as (
    select * from mart.comparison where stratum = 'all' and family = 'primary'
),

by_metric as (
    select
        compared.run_id,
        first.question_id,
        compared.system_a,
        compared.system_b,
        'metric' as preferred_by,
        compared.metric as who,
        case
            when abs(first.value - second.value) <= compared.tie_margin + 1e-9 then 'tie'
            when (first.value > second.value) <> metrics.lower_is_better then 'win'
            else 'loss'
        end as outcome,
        first.value - second.value as difference
    from compared
    join metrics using (metric)
    join mart.score as first
        on first.run_id = compared.run_id and first.profile = compared.profile
        and first.metric = compared.metric and first.system = compared.system_a
    join mart.score as second
        on second.run_id = compared.run_id and second.profile = compared.profile
        and second.metric = compared.metric and second.system = compared.system_b
        and second.question_id = first.question_id
    where first.value is not null and second.value is not null
)

select preferred.*, coalesce(judge_notes.judge_note, comparing_standing.judge_note) as judge_note
from (from by_metric union all by name from mart.preference) as preferred
left join judge_notes
    on judge_notes.run_id = preferred.run_id and preferred.preferred_by = 'metric' and judge_notes.metric = preferred.who
left join comparing_standing
    on comparing_standing.run_id = preferred.run_id and preferred.preferred_by = 'listwise';
