-- The citations of the current run's claims, and the fetch in which each one's source is read: the one that the run has
-- pinned, or the text that the answer itself carries.
-- One row per distinct answer, claim and citation.
create or replace view current_citation as
with answers as (select distinct answer_key from current_answer),

own as (from run_own_text where run_id = getvariable('run_id')),

pinned_source as (from run_source where run_id = getvariable('run_id'))

select citation.*, coalesce(own.fetch_no, pinned_source.fetch_no) as fetch_no
from answers
join citation using (answer_key)
left join own using (answer_key, source_id)
left join pinned_source using (source_id)
where citation.fingerprint = pinned('decompose');
