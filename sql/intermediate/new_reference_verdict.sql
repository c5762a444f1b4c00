-- mart.reference_verdict for the current run: what the reference says of each claim of an answer, by the run's cut-offs.
-- One row per question, system and claim.
create or replace view new_reference_verdict as
select
    current_run.run_id,
    pair.question_id,
    pair.system,
    pair.claim_id,
    says(
        score.entailment, score.neutral, score.contradiction,
        (current_run.settings ->> 'supports_at')::double, (current_run.settings ->> 'contradicts_at')::double
    ) as state,
    score.entailment,
    score.neutral,
    score.contradiction,
    case
        when score.entailment is not null then null
        when (current_run.settings ->> 'reader') = 'none'
            then 'needs a reader, and none was asked for (--reader none)'
        else coalesce(aside.reason, 'the claim could not be read against the reference; see outcomes')
    end as reason
from reference_pair as pair
cross join current_run
left join pair_score as score
    on
        score.premise_key = pair.premise_key
        and score.hypothesis_key = pair.hypothesis_key
        and score.fingerprint = pinned('entail')
        and isfinite(score.entailment + score.neutral + score.contradiction)
left join (from set_aside where stage = 'entail' and fingerprint = pinned('entail')) as aside
    on aside.item_key = pair.premise_key || pair.hypothesis_key;
