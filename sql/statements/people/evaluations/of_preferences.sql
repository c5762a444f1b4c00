-- Yield how often one judge's evaluation is preferred: the mean over annotators, then answers, then questions.
with said as (
    select
        *,
        case preferred when 'a' then 1.0 when 'tie' then 0.5 else 0.0 end as for_a
    from evaluation_preference
    where $run_id in (run_a, run_b)
),
cases as (
    select run_a, run_b, judge_a, judge_b, field, question_id, system, avg(for_a) as for_a
    from said group by all
),
questions as (
    select run_a, run_b, judge_a, judge_b, field, question_id, avg(for_a order by system) as for_a,
        count(*) as n_cases
    from cases group by all
),
people as (
    select run_a, run_b, field, annotator, avg(for_a) as for_a,
        avg(if(side_of_a = 'left', for_a, 1 - for_a)) as for_left
    from said group by all
),
between as (
    select run_a, run_b, field, stddev_samp(for_a) as spread, avg(for_left) as for_left
    from people group by all
)
select
    judge_a, judge_b, field, list(for_a order by question_id) as questions, sum(n_cases)::integer as n_cases,
    any_value(spread) as spread, any_value(for_left) as for_left
from questions join between using (run_a, run_b, field)
group by run_a, run_b, judge_a, judge_b, field
order by judge_a, judge_b, field
