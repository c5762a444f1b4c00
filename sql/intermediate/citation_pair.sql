-- Which passage has to be held against which claim. A language model, which is paid by the call, is not asked about the
-- title of a source whose text it reads.
-- One row per distinct answer, claim, citation and passage.
create or replace view citation_pair as
with asked as (
    select (spec -> 'reading' ->> 'premise_characters') is not null as is_paid
    from fingerprint
    where fingerprint = pinned('entail')
),

needless_title as (
    select distinct source_id
    from current_passage
    where coalesce(label, '') <> 'TITLE' and exists (from asked where is_paid)
)

select
    citation.answer_key,
    citation.claim_position,
    citation.ordinal,
    citation.source_id,
    passage.position as passage_position,
    passage.label as passage_label,
    passage.text_key as premise_key,
    claim.text_key as hypothesis_key
from current_citation as citation
join current_claim as claim
    on claim.answer_key = citation.answer_key and claim.position = citation.claim_position
join current_passage as passage using (source_id)
left join needless_title on needless_title.source_id = passage.source_id
where claim.kind = 'claim' and (needless_title.source_id is null or coalesce(passage.label, '') <> 'TITLE');
