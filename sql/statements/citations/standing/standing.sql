with names as (select unnest($names::varchar[]) as source_id),

texts as (
    select source_id, fetch_no, md5(string_agg(concat_ws(' ', label, text_key), chr(10) order by position)) as text
    from passage
    semi join names using (source_id)
    group by source_id, fetch_no
)

select
    names.source_id,
    coalesce(denied.source_id, vanished.source_id) is not null as is_denied,
    newest.source_id is not null and not is_denied as is_there,
    false as is_filed,
    if(
        names.source_id like 'doi:%' and newest.origin in ('pubmed', 'pubmed and crossref'),
        list_filter((newest.record ->> '$.identifiers[*]')::varchar[], lambda name: name like 'pmid:%'),
        []
    ) as pmids,
    newest.title,
    newest.origin,
    if(is_there, texts.text, null) as text,
    if(told.retracted, 'yes', newest.retracted) as retracted,
    if(told.concern, 'yes', newest.concern) as concern,
    if(told.erratum, 'yes', newest.erratum) as erratum
from names
left join told_notices('infinity'::timestamptz, null) as told using (source_id)
left join newest_source as newest using (source_id)
left join denied_source as denied using (source_id)
left join vanished_source as vanished using (source_id)
left join texts on texts.source_id = newest.source_id and texts.fetch_no = newest.fetch_no
order by names.source_id
