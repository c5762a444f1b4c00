-- What the world last told of each source that it has.
-- One row per source that somebody outside this home was asked for, and had.
create or replace view newest_source as
from source
semi join (
    select source_id, arg_max(fetch_no, (told_at, fetch_no)) as fetch_no
    from source
    where record is not null
    group by source_id
) as newest using (source_id, fetch_no);

-- Sources of which the world's last word is that it has no such record.
-- One row per source.
create or replace view denied_source as
select missing.*
from missing_source as missing
left join newest_source using (source_id)
where newest_source.told_at is null or missing.fetched_at >= newest_source.told_at;
