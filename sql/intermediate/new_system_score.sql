-- mart.system_score for the current run, before its intervals: means over questions, and what they left out:
-- n_scored + n_abstained + n_failed + n_not_applicable = n_asked.
-- One row per system, profile and metric.
create or replace view new_system_score as
with scores as (from mart.score where run_id = getvariable('run_id')),

counts as (
    select
        answer.system,
        count(*) as n_asked,
        count(*) filter (answer.state in ('answered', 'empty')) as n_answered,
        count(*) filter (answer.state = 'refused') as n_refused
    from mart.answer as answer
    where answer.run_id = getvariable('run_id')
    group by answer.system
),

means as (
    select
        run_id,
        system,
        profile,
        metric,
        -- In a fixed order, so that the last digit is the same on any number of threads. A single answer may be below 0,
        -- by its criteria; a mean is not.
        clipped(avg(value order by question_id)) as value,
        case
            when sum(denominator) filter (value is not null) > 0
                then
                    clipped(
                        sum(numerator order by question_id) filter (value is not null)
                        / sum(denominator order by question_id) filter (value is not null)
                    )
        end as micro,
        count(value) as n_scored,
        count(*) filter (status = 'abstained') as n_abstained,
        count(*) filter (status = 'failed') as n_failed,
        count(*) filter (status = 'not_applicable') as n_not_applicable
    from scores
    group by run_id, system, profile, metric
),

reasons as (
    select
        system,
        profile,
        metric,
        reason,
        count(*) as n
    from scores
    where value is null and reason is not null
    group by system, profile, metric, reason
),

-- Each reason once, the one of most questions first; how many questions it is of where there are several.
told as (
    select
        system,
        profile,
        metric,
        case
            when count(*) = 1 then any_value(reason)
            else string_agg(reason || ' (' || n || ')', '; ' order by n desc, reason)
        end as reason
    from reasons
    group by system, profile, metric
)

select
    means.run_id,
    means.system,
    means.profile,
    means.metric,
    means.value,
    means.micro,
    counts.n_asked,
    counts.n_answered,
    counts.n_refused,
    means.n_scored,
    means.n_abstained,
    means.n_failed,
    means.n_not_applicable,
    case when means.value is null then told.reason end as reason
from means
join counts using (system)
left join told using (system, profile, metric);
