-- Counts of a whole run that its report tells although it lists some questions only; $run_id is the run.
-- One row per kind, system, state and reason.
select 'question' as kind, null as system, null as state, null as reason, count(*) as n
from questions
where run_id = $run_id
union all
select 'reference' as kind, null as system, null as state, null as reason, count(*) as n
from nuggets
where run_id = $run_id
union all
select 'answer' as kind, system, coalesce(state, 'answered') as state, null as reason, count(*) as n
from answers
where run_id = $run_id
group by all
union all
select 'claim' as kind, system, kind as state, null as reason, count(*) as n
from claims
where run_id = $run_id
group by all
union all
select 'uncited' as kind, system, null as state, null as reason, count(*) as n
from uncited_claims
where run_id = $run_id and needs_citation
group by all
union all
select 'nugget' as kind, system, state, null as reason, count(*) as n
from nugget_states
where run_id = $run_id
group by all
union all
select 'citation' as kind, system, state, case when state = 'unverifiable' then reason end as reason, count(*) as n
from citation_verdicts
where run_id = $run_id
group by all
union all
select 'retracted' as kind, null as system, source_id as state, null as reason, count(*) as n
from citation_verdicts
where run_id = $run_id and retracted = 'yes'
group by all
union all
select 'judgement' as kind, system, status as state, reason, count(*) as n
from judgements
where run_id = $run_id and status in ('abstained', 'failed')
group by all
union all
select 'outcome' as kind, null as system, stage || ': ' || replace(state, '_', ' ') as state, reason, count(*) as n
from outcomes
where run_id = $run_id
group by all
