-- The evidence that the current run has pinned: which fetch of which source, or why there is none.
-- One row per cited or supplied source.
create or replace view current_source as
select
    run_source.source_id,
    run_source.fetch_no,
    run_source.state,
    run_source.reason,
    source.title,
    source.url,
    source.origin,
    source.fetched_at,
    source.told_at,
    source.content_digest as digest,
    coalesce(source.retracted, 'unchecked') as retracted,
    coalesce(source.concern, 'unchecked') as concern,
    coalesce(source.erratum, 'unchecked') as erratum,
    source.full_text
from current_run
join run_source using (run_id)
left join source using (source_id, fetch_no);
