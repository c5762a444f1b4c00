-- HealthBench's score by tag: of each answer the points of the tagged criteria that it meets over those that it could have,
-- then the mean over answers, clipped to 0 to 1. Answers with a missing verdict under the tag are left out.
-- One row per run, system and tag.
create or replace view criteria_scores as
with tagged as (
    select run_id, question_id, system, unnest(list_distinct(tags)) as tag, points, met
    from mart.criterion
),

scored as (
    select
        run_id,
        question_id,
        system,
        tag,
        count(*) as n_criteria,
        count(*) filter (met) as n_met,
        if(
            count(met) = count(*) and sum(points) filter (points > 0) > 0,
            coalesce(sum(points) filter (met), 0) / sum(points) filter (points > 0),
            null
        ) as score
    from tagged
    group by run_id, question_id, system, tag
)

select
    run_id,
    system,
    tag,
    -- Not greatest(), which would make 0 of no score.
    if(avg(score) < 0, 0, avg(score order by question_id)) as value,
    count(score) as n_answers,
    count(*) - count(score) as n_left_out,
    sum(n_criteria)::bigint as n_criteria,
    sum(n_met)::bigint as n_met
from scored
group by run_id, system, tag
order by run_id, system, tag;
