-- Which passage has to be held against which claim.
-- One row per distinct answer, claim, citation and passage.
create or replace view citation_pair as
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
where claim.kind = 'claim';
