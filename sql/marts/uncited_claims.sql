-- Claims that need a citation and have none that leads anywhere.
-- One row per run, question, system and claim.
create or replace view uncited_claims as
select claim.run_id, claim.question_id, claim.system, claim.claim_id, claim.claim, claim.state
from claims as claim
anti join (from mart.citation where source_id is not null) using (run_id, question_id, system, claim_id)
where claim.kind = 'claim' and claim.needs_citation;
