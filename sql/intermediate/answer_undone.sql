-- What our own stages did not do for an answer, whatever part of it: `failed` for the world's sake, or a model
-- `abstained`; where both happened it is failed.
-- One row per question, system and part.
create or replace view answer_undone as
with told as (
    select stage, item_key, state from outcome
    where run_id = getvariable('run_id') and state in ('abstained', 'failed')
),

cited as (
    select asked.question_id, asked.system, asked.answer_key, citation.source_id
    from asked
    join current_citation as citation using (answer_key)
    where citation.source_id is not null
),

items as (
    select question_id, system, 'nuggets' as part, ['nuggets'] as stages, nugget_set_key as item_key from asked
    union all
    -- An answer of which the model said nothing usable has the claims that the rules cut.
    select question_id, system, 'claims', ['decompose'], answer_key
    from asked
    anti join (from decomposition where fingerprint = pinned('decompose')) using (answer_key)
    union all
    select question_id, system, 'matching', ['shortlist', 'match', 'assign'], answer_key || held_against_key from asked
    union all
    select asked.question_id, asked.system, 'matching', ['entail'], pair.premise_key || pair.hypothesis_key
    from asked
    join shortlist_pair as pair
        on pair.answer_key = asked.answer_key and pair.nugget_set_key = asked.held_against_key
    where pair.fingerprint = pinned('shortlist')
    union all
    select question_id, system, 'reference', ['entail'], premise_key || hypothesis_key from reference_pair
    union all
    select asked.question_id, asked.system, 'guidance', ['guidance'], asked.answer_key || run_question.guidance_set_key
    from asked
    join run_question using (run_id, question_id)
    union all
    select question_id, system, 'labels', ['label'], answer_key from asked
    union all
    select asked.question_id, asked.system, 'passages', ['entail'], pair.premise_key || pair.hypothesis_key
    from asked
    join retrieval_pair as pair using (answer_key)
    union all
    select question_id, system, 'citations', ['fetch'], source_id from cited
    union all
    select asked.question_id, asked.system, 'citations', ['entail'], pair.premise_key || pair.hypothesis_key
    from asked
    join citation_pair as pair using (answer_key)
    union all
    select asked.question_id, asked.system, 'joint', ['joint'], evidence.evidence_key
    from asked
    join cited_evidence as evidence using (answer_key)
)

select
    items.question_id,
    items.system,
    items.part,
    if(bool_or(told.state = 'failed'), 'failed', 'abstained') as state
from told
join items on items.item_key = told.item_key and list_contains(items.stages, told.stage)
group by items.question_id, items.system, items.part;
