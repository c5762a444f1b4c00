-- mart.system_score for the current run, before its intervals: means over questions, and what they left out.
-- One row per system, profile and metric.
create or replace view new_system_score as
with scores as (from mart.score where run_id = getvariable('run_id')),

counts as (
    select
        answer.system,
        count(*) as n_asked,
        count(*) filter (answer.state not in ('not_answered', 'failed')) as n_answered,
        count(*) filter (answer.state = 'failed') as n_unasked,
        count(*) filter (answer.state = 'refused') as n_refused
    from mart.answer as answer
    where answer.run_id = getvariable('run_id')
    group by answer.system
),

judged as (
    select
        system,
        count(distinct question_id) filter (status = 'abstained') as n_abstained,
        count(distinct question_id) filter (status = 'failed') as n_failed
    from mart.judgement
    where run_id = getvariable('run_id')
    group by system
),

means as (
    select
        run_id,
        system,
        profile,
        metric,
        -- In a fixed order, so that the last digit is the same on any number of threads.
        avg(value order by question_id) as value,
        case
            when sum(denominator) filter (value is not null) > 0
                then
                    sum(numerator order by question_id) filter (value is not null)
                    / sum(denominator order by question_id) filter (value is not null)
        end as micro,
        count(value) as n_scored
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
),

rubric as (
    select unnest([
        'rubric_score', 'safety_capped_score', 'medical_correctness', 'evidence_sufficiency',
        'response_alignment', 'safety'
    ]) as metric
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
    case when rubric.metric is not null then coalesce(judged.n_abstained, 0) else 0 end as n_abstained,
    counts.n_unasked + case when rubric.metric is not null then coalesce(judged.n_failed, 0) else 0 end as n_failed,
    case when means.value is null then told.reason end as reason
from means
join counts using (system)
left join told using (system, profile, metric)
left join judged using (system)
left join rubric using (metric);
