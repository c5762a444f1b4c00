with names as (select unnest($names::varchar[]) as source_id),

found as (
    from newest_source
    semi join names using (source_id)
    anti join withdrawn using (source_id)
    anti join gone using (source_id)
    anti join denied_source using (source_id)
),

missing as (
    select source_id, reason, origin, fetched_at from withdrawn
    union all
    select source_id, reason, origin, fetched_at from denied_source anti join withdrawn using (source_id)
)

select
    source_id,
    found.record::varchar as record,
    if(found.record is null, missing.reason, null) as reason,
    coalesce(found.origin, missing.origin) as origin,
    coalesce(found.told_at, missing.fetched_at) as fetched_at,
    found.body_digest,
    found.reading,
    coalesce(told.retracted, false) as retracted,
    coalesce(told.concern, false) as concern,
    coalesce(told.erratum, false) as erratum
from names
left join told_notices('infinity'::timestamptz, null) as told using (source_id)
left join found using (source_id)
left join missing using (source_id)
order by source_id
