-- mart.claim for the current run; without nuggets a claim has no state.
-- One row per question, system and claim or non-claim.
create or replace view new_claim as
with matched as (from claim_match where fingerprint = pinned('match')),

joint as (
    select distinct
        evidence.answer_key,
        evidence.claim_position,
        evidence.evidence_key,
        reading.entailment,
        -- What went wrong with a part of the claim says nothing against what all sources say of the whole.
        coalesce(
            reading.reason, if(evidence.n_sources > 1 and reading.entailment is null, failed.reason, null)
        ) as reason
    from cited_evidence as evidence
    left join joint_reading as reading
        on
            reading.evidence_key = evidence.evidence_key
            and reading.fingerprint = pinned('joint')
            and reading.role = 'all'
    left join outcome as failed
        on
            failed.item_key = evidence.evidence_key
            and failed.stage = 'joint'
            and failed.run_id = getvariable('run_id')
    where
        failed.item_key is not null
        or evidence.evidence_key in (select evidence_key from joint_reading where fingerprint = pinned('joint'))
)

select
    asked.run_id,
    asked.question_id,
    asked.system,
    'c' || (claim.position + 1) as claim_id,
    claim.position,
    claim.text_key,
    claim.span_start,
    claim.span_end,
    claim.kind,
    claim.kind_reason,
    claim.needs_citation,
    claim.needs_reason,
    claim.split_reason,
    case when claim.kind = 'non_claim' then 'non_claim' else matched.state end as state,
    'n' || (matched.nugget_position + 1) as nugget_id,
    matched.score,
    list_transform(coalesce(matched.potentially_matched, []), lambda p: 'n' || (p + 1)) as potentially_matched,
    joint.entailment as joint_entailment,
    joint.reason as joint_reason,
    joint.evidence_key
from asked
join current_claim as claim using (answer_key)
left join joint on joint.answer_key = asked.answer_key and joint.claim_position = claim.position
left join matched
    on
        matched.answer_key = asked.answer_key
        and matched.nugget_set_key = asked.nugget_set_key
        and matched.position = claim.position;
