-- The points of each answer of the current run: those of the criteria that it meets, and those that it could have.
-- One row per question and system.
create or replace view criteria_counts as
with counted as (
    select
        question_id,
        system,
        count(*) as n_criteria,
        count(met) as n_judged,
        coalesce(sum(points) filter (met), 0) as points_met,
        coalesce(sum(points) filter (points > 0), 0) as points_possible,
        first(reason order by position) filter (met is null) as reason,
        case
            when bool_or(status = 'failed') then 'failed'
            when bool_or(status = 'abstained') then 'abstained'
            else 'not_applicable'
        end as status
    from mart.criterion
    where run_id = getvariable('run_id')
    group by question_id, system
)

select
    answer.question_id,
    answer.system,
    counted.points_met,
    -- NULL where a verdict is missing: what the answer would have got is not known.
    if(counted.n_judged = counted.n_criteria, counted.points_possible, null) as points_possible,
    case
        when counted.n_criteria is null then not_applicable('the question has no criteria')
        when counted.n_judged = 0 and counted.status = 'not_applicable' then not_applicable(counted.reason)
        when counted.n_judged < counted.n_criteria
            then undone(
                format(
                    '{} of {} criteria have no verdict: {}',
                    counted.n_criteria - counted.n_judged, counted.n_criteria, counted.reason
                ),
                counted.status
            )
        else not_applicable('no criterion of the question has points over 0')
    end as no_criteria
from mart.answer as answer
left join counted using (question_id, system)
where answer.run_id = getvariable('run_id');
