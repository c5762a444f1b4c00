-- Who refuses, or says nothing? Answers by what they are, a row a system and state.
with counted as (
    select system, state, count(*) as n_answers
    from answers
    semi join latest_run using (run_id)
    group by all
)

select
    *,
    round(n_answers / sum(n_answers) over (partition by system), 3) as share
from counted
order by system, n_answers desc, state;
