-- Return the verdicts on the pairs that were chosen for these answers, by their texts.
with chosen as (
    select distinct premise_key, hypothesis_key
    from shortlist_pair
    where fingerprint = pinned('shortlist') and answer_key in (select unnest($answers))
)

select premise.text as premise, hypothesis.text as hypothesis, pair_score.*
from chosen
join pair_score using (premise_key, hypothesis_key)
join text as premise on premise.text_key = chosen.premise_key
join text as hypothesis on hypothesis.text_key = chosen.hypothesis_key
where pair_score.fingerprint = pinned('entail')
