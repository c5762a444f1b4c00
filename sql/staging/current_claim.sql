-- What the current run's answers were taken apart into.
-- One row per distinct answer and claim or non-claim.
create or replace view current_claim as
with answers as (select distinct answer_key from current_answer)

select claim.*, text.text
from answers
join claim using (answer_key)
join text using (text_key)
where claim.fingerprint = pinned('decompose');
