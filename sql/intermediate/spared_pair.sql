-- Windows of an answer that need not be read against a nugget, since the cascade's encoder is sure that another window states
-- it, sure of nothing in this one, and does not take this one for the contrary. None where it has not read before.
-- One row per answer, nugget set, window and nugget.
create or replace view spared_pair as
with cascade as (
    select
        spec ->> 'encoder_verdicts' as encoder,
        (spec -> 'settled_at' ->> 'entailment')::double as entailed_at,
        (spec -> 'settled_at' ->> 'contradiction')::double as contradicted_at,
        (spec -> 'settled_at' ->> 'neutral')::double as neutral_at
    from fingerprint
    where fingerprint = pinned('entail') and (spec ->> 'encoder_verdicts') is not null
),

first_read as (
    select
        pair.answer_key,
        pair.nugget_set_key,
        pair.premise_key,
        pair.hypothesis_key,
        score.entailment >= cascade.entailed_at as states_it,
        states_it or score.contradiction >= cascade.contradicted_at or score.neutral >= cascade.neutral_at as is_settled,
        score.contradiction > greatest(score.entailment, score.neutral) as leans_against
    from shortlist_items
    join shortlist_pair as pair using (answer_key, nugget_set_key)
    cross join cascade
    join pair_score as score
        on
            score.premise_key = pair.premise_key
            and score.hypothesis_key = pair.hypothesis_key
            and score.fingerprint = cascade.encoder
    where pair.fingerprint = pinned('shortlist')
)

select answer_key, nugget_set_key, premise_key, hypothesis_key
from first_read
qualify
    bool_or(states_it) over (partition by answer_key, nugget_set_key, hypothesis_key)
    and not is_settled
    and not leans_against;
