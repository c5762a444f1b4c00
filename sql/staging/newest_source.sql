-- What the world last told of each source that it has.
-- One row per source that somebody outside this home was asked for, and had.
create or replace view newest_source as
from source
where record is not null
qualify row_number() over (partition by source_id order by told_at desc, fetch_no desc) = 1;

-- Sources of which the world's last word is that it has no such record.
-- One row per source.
create or replace view denied_source as
select missing.*
from missing_source as missing
left join newest_source using (source_id)
where newest_source.told_at is null or missing.fetched_at >= newest_source.told_at;
