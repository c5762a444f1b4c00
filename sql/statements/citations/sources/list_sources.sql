-- Count what is here by origin: names, records, those with text, retracted ones, the newest fetch's date.
with newest as (
    select
        *,
        -- Of all that a record goes by the PMID tells best which one it is.
        coalesce(
            list_extract(list_filter(
                list_sort((record ->> '$.identifiers[*]')::varchar[]), lambda name: name like 'pmid:%'
            ), 1),
            list_extract(list_sort((record ->> '$.identifiers[*]')::varchar[]), 1),
            source_id
        ) as record_name
    from source
    anti join denied_source using (source_id)
    anti join vanished_source using (source_id)
    qualify row_number() over (partition by source_id order by told_at desc, fetch_no desc) = 1
),

counted as (
    select
        origin,
        count(*) as n_sources,
        count(distinct record_name) as n_records,
        count(distinct if(texts.source_id is null, null, record_name)) as n_with_text,
        count(distinct record_name) filter (retracted = 'yes') as n_retracted,
        max(told_at) as newest
    from newest
    left join (select distinct source_id, fetch_no from passage) as texts using (source_id, fetch_no)
    group by origin
),

missing as (
    select
        'not found by ' || origin as origin,
        count(*) as n_sources,
        null as n_records,
        0 as n_with_text,
        0 as n_retracted,
        max(fetched_at) as newest
    from denied_source
    group by origin
),

held as (
    select bool_or(is_there) as is_there
    from (
        select source_id, arg_max(record is not null, (revision, file_no, position)) as is_there
        from pubmed_change
        group by source_id, version
    )
    group by source_id
),

filed as (
    select
        'held in ' || count(*) || if(count(*) = 1, ' PubMed file', ' PubMed files') as origin,
        (select count(*) from held where is_there) as n_sources,
        (select count(*) from held where is_there) as n_records,
        null as n_with_text,
        null as n_retracted,
        max(added_at) as newest
    from pubmed_file
    having count(*) > 0
)

from counted union all by name from missing union all by name from filed
order by n_with_text is null, origin
