create or replace temp table to_come as
select source_id, fetch_no, $now - to_microseconds(row_number() over (order by told_at desc, fetch_no desc)) as dated
from (
    select source_id, fetch_no, told_at from source where told_at > $now
    union all
    select source_id, null as fetch_no, fetched_at as told_at from missing_source where fetched_at > $now
)
