-- What the reference answer, or where there is none the nuggets together, says of each claim: it supports it, contradicts it,
-- or says nothing of it (`neutral`: the claim is beside the reference, which need not be wrong).
-- One row per run, question, system and claim.
create or replace view reference_verdicts as
select
    verdict.run_id, verdict.question_id, verdict.system, verdict.claim_id, claims.claim, verdict.state,
    verdict.entailment, verdict.neutral, verdict.contradiction, verdict.reason
from mart.reference_verdict as verdict
join claims using (run_id, question_id, system, claim_id);
