-- Articles of which PubMed's files say that they are withdrawn, among those that were cited or fetched, and of which that
-- still holds: no file has them again, and nobody else had them later.
-- One row per source.
create or replace view withdrawn_source as
with told as (
    select source_id, arg_max(reason, run_id) as reason
    from run_source
    where state = 'not_found' and source_id like 'pmid:%'
    group by source_id
),

names as (
    select source_id from told
    union
    select source_id from newest_source where source_id like 'pmid:%'
),

filed as (
    select name as source_id, max(added_at) as fetched_at, arg_max(file, added_at) as file
    from filed_as((select list(source_id) from names))
    group by name
    having bool_and(record is null)
)

select
    filed.source_id,
    coalesce(told.reason, 'PubMed has withdrawn this record, says ' || filed.file) as reason,
    'pubmed files' as origin,
    filed.fetched_at
from filed
left join told using (source_id)
where
    not exists (
        from source
        where
            source.source_id = filed.source_id
            and source.origin not in ('document', 'answer', 'pubmed files')
            and source.told_at >= filed.fetched_at
    );
