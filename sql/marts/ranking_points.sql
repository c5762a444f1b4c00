-- What the listwise judge's points for an answer come to: the mean over the orders that it scored. The mean of these over
-- questions is the system's.
-- One row per run, question, judge and system.
create or replace view ranking_points as
select
    run_id,
    question_id,
    ranking.judge,
    system,
    avg(points) as mean_points,
    count(points) as n_orders,
    case
        when count(points) = 0 then arg_min(reason, order_no)
        when count(points) < count(*)
            then concat(
                count(points), ' of ', count(*), ' orders were scored, so that places are not balanced: ',
                arg_min(reason, order_no) filter (where points is null)
            )
    end as reason,
    any_value(comparing_standing.judge_note) as judge_note
from mart.ranking
left join comparing_standing using (run_id)
group by run_id, question_id, ranking.judge, system
order by run_id, question_id, ranking.judge, system;
