-- What the contexts say of every claim of an answer and of every nugget of its question, and whose fault it is where
-- something is missing: `from nowhere` (no context mentions the claim), `no context holds it` (retrieval's), `a context
-- holds it, the answer does not say it` (generation's).
-- One row per run, question, system, and claim or nugget.
create or replace view context_verdicts as
select
    verdict.run_id, verdict.question_id, verdict.system, verdict.kind, verdict.item_id,
    coalesce(claims.claim, nuggets.nugget) as text,
    verdict.state, verdict.context_no, verdict.entailment, verdict.contradiction, verdict.fault, verdict.reason
from mart.context_verdict as verdict
left join claims
    on
        verdict.kind = 'claim'
        and claims.run_id = verdict.run_id
        and claims.question_id = verdict.question_id
        and claims.system = verdict.system
        and claims.claim_id = verdict.item_id
left join nuggets
    on
        verdict.kind = 'nugget'
        and nuggets.run_id = verdict.run_id
        and nuggets.question_id = verdict.question_id
        and nuggets.nugget_id = verdict.item_id;
