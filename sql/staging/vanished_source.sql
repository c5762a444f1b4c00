-- DOIs of articles that PubMed told of, and of whose PMID it has said since that there is no such record.
-- One row per source.
create or replace view vanished_source as
with bearing as (
    select
        source_id,
        told_at,
        unnest(list_filter((record ->> '$.identifiers[*]')::varchar[], lambda name: name like 'pmid:%')) as pmid
    from newest_source
    where source_id like 'doi:%' and origin in ('pubmed', 'pubmed and crossref')
)

select distinct bearing.source_id
from bearing
join denied_source as denied on denied.source_id = bearing.pmid
where denied.fetched_at >= bearing.told_at;
