-- Which system is better on what matters, and is the difference more than chance?
-- The last run's declared family: paired differences with their intervals, Holm-adjusted p, wins – ties – losses.
select
    comparisons.metric,
    comparisons.system_a,
    comparisons.system_b,
    comparisons.difference,
    comparisons.low,
    comparisons.high,
    comparisons.p_adjusted,
    comparisons.wins || ' – ' || comparisons.ties || ' – ' || comparisons.losses as "won – tied – lost",
    case
        when comparisons.difference is null then 'not compared'
        when comparisons.p_adjusted <= 0.05 then 'more than chance'
        when comparisons.questions_needed > comparisons.n_questions
            then
                'could be chance; about ' || (comparisons.questions_needed - comparisons.n_questions)
                || ' more questions would tell'
        else 'could be chance'
    end as verdict,
    comparisons.reason as mind
from comparisons
semi join latest_run using (run_id)
where comparisons.family = 'primary' and comparisons.stratum = 'all'
order by comparisons.metric, abs(comparisons.difference) desc nulls last, comparisons.system_a, comparisons.system_b;
