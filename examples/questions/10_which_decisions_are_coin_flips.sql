-- Which decisions could as well have gone the other way? Nuggets about as near to several claims, and citations whose
-- entailment or contradiction lies within 0.05 of its cut-off. A person's look is best spent here.
with latest as (from latest_run),

near as (
    select
        verdict.*,
        abs(verdict.entailment - (latest.settings ->> 'supports_at')::double) as from_support,
        abs(verdict.contradiction - (latest.settings ->> 'contradicts_at')::double) as from_contradiction,
        least(from_support, from_contradiction) as distance
    from citation_verdicts as verdict
    join latest using (run_id)
)

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
    question_id,
    system,
    claim,
    state,
    if(from_support = distance, entailment, contradiction),
    distance
from near
where distance <= 0.05
order by what, margin nulls last, question_id, system, text;
