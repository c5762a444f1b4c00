-- What each claim cites.
-- One row per run, question, system, claim and citation.
create or replace view citations as
select
    run_id, question_id, system, claim_id, ordinal, citation, source_id, title, url,
    state, retracted, concern, erratum, reason
from mart.citation;
