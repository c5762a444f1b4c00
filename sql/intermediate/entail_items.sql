-- Every premise and hypothesis that the current run needs a verdict on; of a nugget's windows not those that cannot change
-- its state.
-- One row per distinct pair.
create or replace view entail_items as
with wanted as (
    select shortlist_pair.premise_key, shortlist_pair.hypothesis_key
    from shortlist_items
    join shortlist_pair using (answer_key, nugget_set_key)
    anti join spared_pair using (answer_key, nugget_set_key, premise_key, hypothesis_key)
    where shortlist_pair.fingerprint = pinned('shortlist')
    union
    select premise_key, hypothesis_key from citation_pair
    union
    select premise_key, hypothesis_key from context_pair
    union
    select premise_key, hypothesis_key from reference_pair
    union
    select premise_key, hypothesis_key from retrieval_pair
    where exists (from current_run where profile = 'bioace')
)

select premise_key || hypothesis_key as item_key, premise_key, hypothesis_key from wanted;

-- Pairs without a verdict under the pinned fingerprint, short passages first so that batches are even, and those of one
-- passage together: the language model reads a passage once for all statements that a batch holds against it.
create or replace view entail_pending as
select
    entail_items.item_key,
    entail_items.premise_key,
    entail_items.hypothesis_key,
    premise.text as premise,
    hypothesis.text as hypothesis
from entail_items
join text as premise on premise.text_key = entail_items.premise_key
join text as hypothesis on hypothesis.text_key = entail_items.hypothesis_key
anti join (from pair_score where fingerprint = pinned('entail')) using (premise_key, hypothesis_key)
anti join (from set_aside where stage = 'entail' and fingerprint = pinned('entail')) using (item_key)
order by length(premise.text), entail_items.premise_key, length(hypothesis.text), entail_items.hypothesis_key;
