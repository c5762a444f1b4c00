-- The systems of a run side by side, the newest run first and the best by its declared metric, with the ranks that the
-- paired tests allow. What was left out is of that metric; of every other one system_scores tells it.
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
        any_value(run_profile) as run_profile,
        max(value) filter (metric = sort_by) as sort_value
    from wide
    group by run_id, system
),

-- Of every two systems, the sign of what was shown: of a primary metric by Holm's rule, of another by Bonferroni's over
-- its own pairs.
tested as (
    select
        *,
        coalesce(p_adjusted, p_value * count(*) over (partition by run_id, profile, metric)) as p
    from mart.comparison
    where stratum = 'all'
),

shown as (
    select
        mine.run_id,
        mine.system,
        if(metrics.lower_is_better, -1, 1)
        * if(tested.system_a = mine.system, 1, -1) * sign(tested.difference) as direction
    from sorted as mine
    join metrics on metrics.metric = mine.sorted_by
    join tested
        on
            tested.run_id = mine.run_id
            and tested.metric = mine.sorted_by
            and tested.profile in ('any', mine.run_profile)
            and mine.system in (tested.system_a, tested.system_b)
    where tested.p <= 0.05
),

field as (select run_id, count(sort_value) as n_systems from sorted group by run_id),

-- A rank is ruled out by the systems that are shown to be better, or worse (Mogstad et al. 2024); what has no score has
-- none.
ranked as (
    select
        mine.run_id,
        mine.system,
        any_value(mine.sorted_by) as sorted_by,
        any_value(mine.sort_value) as sort_value,
        if(any_value(mine.sort_value) is null, null, 1 + count(*) filter (shown.direction < 0)) as rank_low,
        if(
            any_value(mine.sort_value) is null,
            null,
            any_value(field.n_systems) - count(*) filter (shown.direction > 0)
        ) as rank_high
    from sorted as mine
    join field using (run_id)
    left join shown on shown.run_id = mine.run_id and shown.system = mine.system
    group by mine.run_id, mine.system
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
    max(wide.n_abstained) filter (wide.metric = wide.sort_by) as n_abstained,
    max(wide.n_failed) filter (wide.metric = wide.sort_by) as n_failed,
    max(wide.n_not_applicable) filter (wide.metric = wide.sort_by) as n_not_applicable,
    {% for metric in metrics if "leaderboard" in metric.shown %}
    max(wide.value) filter (wide.metric = '{{ metric.name }}') as "{{ metric.name }}",
    max(wide.low) filter (wide.metric = '{{ metric.name }}') as {{ metric.name }}_interval_low,
    max(wide.high) filter (wide.metric = '{{ metric.name }}') as {{ metric.name }}_interval_high,
    coalesce(
        max(wide.reason) filter (wide.metric = '{{ metric.name }}'),
        if(count(*) filter (wide.metric = '{{ metric.name }}') = 0, 'the run was made before this metric', null)
    ) as {{ metric.name }}_reason,
    {% endfor %}
    any_value(judge_standing.judge_note) as judge_note
from wide
join ranked using (run_id, system)
left join metrics on metrics.metric = ranked.sorted_by
left join judge_standing using (run_id)
join run as runs using (run_id)
group by wide.run_id, wide.system
order by
    any_value(runs.started_at) desc,
    wide.run_id desc,
    any_value(ranked.sort_value * if(metrics.lower_is_better, -1, 1)) desc nulls last,
    wide.system;
