-- The evidence that the current run has pinned: which fetch of which source, or why there is none; and the texts that
-- answers carry of their own sources, where these are read.
-- One row per cited or supplied source and fetch.
create or replace view current_source as
with pins as (
    select source_id, fetch_no, state, reason
    from run_source
    where run_id = getvariable('run_id')
    union all
    select distinct source_id, fetch_no, 'found', null
    from run_own_text
    where run_id = getvariable('run_id')
)

select
    pins.source_id,
    pins.fetch_no,
    pins.state,
    pins.reason,
    source.title,
    source.url,
    source.origin,
    source.fetched_at,
    source.told_at,
    source.content_digest as digest,
    if(told.retracted, 'yes', coalesce(source.retracted, 'unchecked')) as retracted,
    if(told.concern, 'yes', coalesce(source.concern, 'unchecked')) as concern,
    if(told.erratum, 'yes', coalesce(source.erratum, 'unchecked')) as erratum,
    source.full_text
from pins
left join source using (source_id, fetch_no)
left join told_notices(
    (select started_at from run where run_id = getvariable('run_id')), getvariable('run_id')
) as told using (source_id);
