-- Cited articles of which a run was told by PubMed's files that they are withdrawn, and of which that still holds:
-- no file has them again, and nobody else had them later.
-- One row per source.
create or replace view withdrawn_source as
with told as (
    select source_id, arg_max(reason, run_id) as reason
    from run_source
    where state = 'not_found'
    group by source_id
),

filed as (
    select name as source_id, max(added_at) as fetched_at
    from filed_as((select list(source_id) from told))
    group by name
    having bool_and(record is null)
)

select filed.source_id, told.reason, 'pubmed files' as origin, filed.fetched_at
from filed
join told using (source_id)
where
    filed.source_id like 'pmid:%'
    and not exists (
        from source
        where
            source.source_id = filed.source_id
            and source.origin not in ('document', 'answer', 'pubmed files')
            and source.told_at >= filed.fetched_at
    );
