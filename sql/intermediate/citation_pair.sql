-- Which passage has to be held against which claim. A title is read only where a source has no other text: most titles
-- name a matter and assert nothing of it, and what they do assert stands in the text as well.
-- One row per distinct answer, claim, citation and passage.
create or replace view citation_pair as
with has_text as (
    select distinct source_id, fetch_no
    from current_passage
    where label is distinct from 'TITLE'
)

select
    citation.answer_key,
    citation.claim_position,
    citation.ordinal,
    citation.source_id,
    citation.fetch_no,
    passage.position as passage_position,
    passage.label as passage_label,
    passage.text_key as premise_key,
    claim.text_key as hypothesis_key
from current_citation as citation
join current_claim as claim
    on claim.answer_key = citation.answer_key and claim.position = citation.claim_position
join current_passage as passage using (source_id, fetch_no)
left join has_text using (source_id, fetch_no)
where claim.kind = 'claim' and (passage.label is distinct from 'TITLE' or has_text.source_id is null);
