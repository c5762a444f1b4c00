-- How many of an answer's chosen pairs there are, how many have a verdict and how many an abstention.
-- One row per distinct answer and nugget set.
create or replace view match_evidence as
select
    shortlist_items.item_key,
    shortlist_items.answer_key,
    shortlist_items.nugget_set_key,
    count(pair.premise_key) as n_pairs,
    count(pair_score.premise_key) as n_read,
    count(abstained.item_key) as n_abstained
from shortlist_items
left join (
    from shortlist_pair
    anti join spared_pair using (answer_key, nugget_set_key, premise_key, hypothesis_key)
    where fingerprint = pinned('shortlist')
) as pair using (answer_key, nugget_set_key)
left join pair_score
    on
        pair_score.premise_key = pair.premise_key
        and pair_score.hypothesis_key = pair.hypothesis_key
        and pair_score.fingerprint = pinned('entail')
left join set_aside as abstained
    on
        abstained.item_key = pair.premise_key || pair.hypothesis_key
        and abstained.stage = 'entail'
        and abstained.fingerprint = pinned('entail')
        and pair_score.premise_key is null
group by all;

-- Answers whose chosen pairs were read, or abstained on; what failed there is waited for, unless nobody reads.
-- One row per distinct answer and nugget set.
create or replace view match_items as
select item_key, answer_key, nugget_set_key, n_read
from match_evidence
where
    n_read + n_abstained = n_pairs
    or exists (from current_run where (settings ->> 'reader') = 'none');

-- Those without states under the pinned fingerprint, or whose states were made of fewer verdicts than there are now;
-- a set without nuggets has none to give.
create or replace view match_pending as
select *
from match_items
anti join (from match_made where fingerprint = pinned('match')) using (answer_key, nugget_set_key, n_read)
semi join nugget using (nugget_set_key)
order by item_key;
