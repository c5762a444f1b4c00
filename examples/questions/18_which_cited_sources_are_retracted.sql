-- Is anything built on a retracted or doubted source? Each citation of one, with the claim that rests on it.
select
    system,
    question_id,
    citation,
    case when retracted = 'yes' then 'retracted' else 'expression of concern' end as warning,
    state,
    claim
from citation_verdicts
semi join latest_run using (run_id)
where retracted = 'yes' or concern = 'yes'
order by warning desc, system, question_id, claim_id, ordinal;
