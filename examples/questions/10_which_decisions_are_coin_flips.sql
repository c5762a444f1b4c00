-- Which decisions could as well have gone the other way? Nuggets about as near to several claims, and citations whose
-- entailment lies within 0.05 of the cut-off. A person's look is best spent here.
with latest as (from latest_run order by started_at desc limit 1)

select
    'nugget' as what,
    question_id,
    system,
    nugget as text,
    state as decided,
    score,
    margin
from nugget_states
semi join latest using (run_id)
where ambiguous
union all
select
    'citation',
    verdict.question_id,
    verdict.system,
    verdict.claim,
    verdict.state,
    verdict.entailment,
    abs(verdict.entailment - (latest.settings ->> 'supports_at')::double)
from citation_verdicts as verdict
join latest using (run_id)
where abs(verdict.entailment - (latest.settings ->> 'supports_at')::double) <= 0.05
order by what, margin nulls last, question_id, system, text;
