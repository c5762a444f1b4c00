create or replace temp table gone as
select newest.source_id
from newest_source as newest
join (
    select name as source_id, max(added_at) as added_at
    from filed_as((select list(source_id) from newest_source where source_id not like 'pmid:%'))
    group by name
    having bool_and(record is null)
) as filed using (source_id)
where newest.origin = 'pubmed files' or filed.added_at > newest.told_at
