select newest.source_id, newest.origin, newest.record::varchar as record, newest.told_at, newest.body_digest
from fetch_pending
join newest_source as newest on newest.source_id = fetch_pending.item_key
semi join source_body on source_body.content_digest = newest.body_digest
where coalesce(newest.reading, 0) < $reading
order by newest.body_digest, newest.source_id
