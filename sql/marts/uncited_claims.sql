-- Claims without a citation that names a source: a bare marker is none, while a source that nobody has a record of
-- (`not_found`, likely made up) is one. Definitions and restatements of the question need none, and are marked.
-- One row per run, question, system and claim.
create or replace view uncited_claims as
select
    claim.run_id, claim.question_id, claim.system, claim.claim_id, claim.claim, claim.state,
    claim.needs_citation, claim.needs_reason
from claims as claim
anti join (from mart.citation where source_id is not null) using (run_id, question_id, system, claim_id)
where claim.kind = 'claim';
