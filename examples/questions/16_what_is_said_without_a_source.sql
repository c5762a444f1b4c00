-- How much does each system assert without a citation? Claims that need one and have none, of all claims.
select
    claims.system,
    count(*) filter (uncited_claims.claim_id is not null and claims.needs_citation) as uncited,
    count(*) as n_claims,
    round(uncited / n_claims, 3) as share
from claims
left join uncited_claims using (run_id, question_id, system, claim_id)
semi join latest_run as latest on latest.run_id = claims.run_id
where claims.kind = 'claim'
group by all
order by share desc, claims.system;
