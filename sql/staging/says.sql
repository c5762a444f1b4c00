-- What a passage, or a source as a whole, says of a claim: the most probable of the three, where it reaches its
-- cut-off; NULL where there are no numbers: NaN passes every cut-off, being larger than all numbers here.
-- models/nli/settings.py holds the same rule for the readings that are planned one after another.
create or replace macro says(entailment, neutral, contradiction, supports_at, contradicts_at) as (
    case
        when entailment is null then null
        when not (isfinite(entailment) and isfinite(neutral) and isfinite(contradiction)) then null
        when contradiction >= contradicts_at and contradiction > entailment and contradiction >= neutral
            then 'contradicts'
        when entailment >= supports_at and entailment >= contradiction and entailment >= neutral then 'supports'
        else 'neutral'
    end
);
