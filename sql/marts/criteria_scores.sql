-- HealthBench's score by tag: the mean over answers of `criteria_answer_scores`, clipped to 0 to 1, with its 95 % interval
-- over questions (cases where questions share one); `note` says what to know of the interval. Answers with a missing verdict
-- under the tag are left out.
-- One row per run, system and tag.
create or replace view criteria_scores as
with means as (
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
    from criteria_answer_scores
    group by run_id, system, tag
)

select
    means.run_id,
    means.system,
    means.tag,
    means.value,
    interval.low,
    interval.high,
    means.n_answers,
    means.n_left_out,
    means.n_criteria,
    means.n_met,
    interval.note
from means
left join mart.criteria_interval as interval using (run_id, system, tag)
order by means.run_id, means.system, means.tag;
