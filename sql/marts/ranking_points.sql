-- What the listwise judge's points for an answer come to: the mean over the orders that it scored. The mean of these over
-- questions is the system's.
-- One row per run, question, judge and system.
create or replace view ranking_points as
select
    run_id,
    question_id,
    judge,
    system,
    avg(points) as mean_points,
    count(points) as n_orders,
    case when count(points) = 0 then arg_min(reason, order_no) end as reason
from mart.ranking
group by run_id, question_id, judge, system
order by run_id, question_id, judge, system;
