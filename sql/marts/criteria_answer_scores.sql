-- Each answer's score by tag: the points of the tagged criteria that it meets over those that it could have; below 0 where it
-- meets more negative ones, NULL where a verdict is missing or no criterion under the tag has points above 0.
-- One row per run, question, system and tag.
create or replace view criteria_answer_scores as
with tagged as (
    select run_id, question_id, system, unnest(list_distinct(tags)) as tag, points, met
    from mart.criterion
)

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
group by run_id, question_id, system, tag;
