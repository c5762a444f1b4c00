-- The citations of the current run's claims.
-- One row per distinct answer, claim and citation.
create or replace view current_citation as
with answers as (select distinct answer_key from current_answer)

select citation.*
from answers
join citation using (answer_key)
where citation.fingerprint = pinned('decompose');
