-- What each answer asserts, where it stands in the answer, and what the nuggets say of it.
-- One row per run, question, system and claim or non-claim.
create or replace view claims as
select claim.* exclude (text_key, evidence_key), text.text as claim
from mart.claim as claim
join text using (text_key);
