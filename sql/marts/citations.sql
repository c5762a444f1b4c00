-- What each claim cites, and whom the text of the source was had from.
-- One row per run, question, system, claim and citation.
create or replace view citations as
select
    run_id, question_id, system, claim_id, ordinal, citation, source_id, title, url,
    state, retracted, concern, erratum, reason, origin, fetched_at, told_at, digest
from mart.citation;
