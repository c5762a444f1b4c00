-- Remember that sources which answered do not have these records; what is newer counts.
insert into missing_source by name
select unnest($names::varchar[]) as source_id, unnest($reasons::varchar[]) as reason,
unnest($origins::varchar[]) as origin, $fingerprint as fingerprint,
unnest($times::timestamptz[]) as fetched_at
on conflict (source_id) do update set reason = excluded.reason, origin = excluded.origin,
fingerprint = excluded.fingerprint, fetched_at = excluded.fetched_at
where excluded.fetched_at >= missing_source.fetched_at
