with told as (
    select unnest($names::varchar[]) as source_id, unnest($times::timestamptz[]) as told_at
),

here as (
    select source_id, max(told_at) as told_at
    from (
        select source_id, told_at from newest_source
        union all
        select source_id, fetched_at from missing_source
    )
    group by source_id
)

select count(*) from told join here using (source_id) where here.told_at >= told.told_at
