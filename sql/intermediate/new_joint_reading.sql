-- mart.joint_reading for the current run: what the sources of a claim say together, without each one, and of its parts.
-- One row per question, system, claim and reading.
create or replace view new_joint_reading as
select
    claim.run_id,
    claim.question_id,
    claim.system,
    claim.claim_id,
    reading.role,
    nullif(reading.source_id, '') as source_id,
    reading.part_no,
    reading.premise_key,
    reading.hypothesis_key,
    reading.entailment,
    if(reading.entailment is null, null, pair.neutral) as neutral,
    if(reading.entailment is null, null, pair.contradiction) as contradiction,
    reading.entails,
    reading.contradicts,
    reading.reason
from mart.claim as claim
join joint_reading as reading
    on reading.evidence_key = claim.evidence_key and reading.fingerprint = pinned('joint')
left join pair_score as pair
    on
        pair.premise_key = reading.premise_key
        and pair.hypothesis_key = reading.hypothesis_key
        and pair.fingerprint = pinned('entail')
where claim.run_id = getvariable('run_id');
