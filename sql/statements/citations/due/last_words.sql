select source_id, max(told_at) as told_at
from (
    select source_id, told_at from newest_source
    union all
    select source_id, fetched_at as told_at from denied_source
)
where split_part(source_id, ':', 1) in (select unnest($schemes::varchar[]))
group by source_id
